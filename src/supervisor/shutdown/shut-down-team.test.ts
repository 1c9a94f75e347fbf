import { afterEach, describe, expect, it } from 'vitest'
import type { TeamHandle } from '../../journal/team-handle.ts'
import { workOverRequest } from '../../prompts/reports.ts'
import { openMemoryStore } from '../../stores/memory/store.ts'
import { memberNamed } from '../../team/state.ts'
import {
  type Compose,
  closeSupervisors,
  lastTurnText,
  neverAnswers,
  type SupervisorHarness,
  supervisorHarness,
} from '../../testing/harnesses/supervisor-harness.ts'
import { askTeammatesToStop, shutDownTeam, waitUntilStopped } from './shut-down-team.ts'

afterEach(closeSupervisors)

async function harnessWithTwo(compose: Compose): Promise<SupervisorHarness> {
  const harness = await supervisorHarness(compose, { uncommitted: async () => 3 })
  for (const name of ['ada', 'bob']) await harness.supervised.spawn({ name, prompt: 'Hello.' })
  return harness
}

function end({ team, lead, context }: SupervisorHarness, changes: { team?: TeamHandle } = {}) {
  return shutDownTeam(context, { team, by: lead, ...changes })
}

const statusOf = ({ team }: SupervisorHarness, name: string) => memberNamed(team.state, name)?.status
const notes = ({ events }: SupervisorHarness) => events.flatMap((event) => (event.type === 'note' ? [event.text] : []))

describe('the shutdown of a team', () => {
  it('asks every teammate with reason and deadline, and reports how each ended', async () => {
    const harness = await harnessWithTwo((request, signal) =>
      request.agent === 'bob' ? neverAnswers(request, signal) : { text: 'Here.' },
    )
    await harness.until(() => statusOf(harness, 'ada') === 'idle' && harness.requestsOf('bob').length === 1)
    const ending = end(harness)
    await harness.until(() => statusOf(harness, 'ada') === 'stopped' && harness.team.state.requests.size === 2)
    const asked = [...harness.team.state.requests.values()]
    expect(asked.map(({ to, kind, deadline, openedAt }) => [to, kind, deadline! - openedAt])).toEqual([
      ['ada', 'shutdown', 30],
      ['bob', 'shutdown', 30],
    ])
    expect(asked.every(({ content }) => content.includes('being deleted'))).toBe(true)
    harness.clock.advance(31)
    expect(await ending).toMatchObject({
      notified: 2,
      report: [
        '- ada: shut down (clean, artifacts not committed, uncommitted files: 3)',
        '- bob: stopped: timed out',
        '- left undone by bob: did not answer before it was stopped',
      ],
    })
    expect(statusOf(harness, 'bob')).toBe('stopped')
  }) // C19

  it('ends although a teammate cannot be asked, reports that and records uncommitted files', async () => {
    const harness = await harnessWithTwo(() => ({ text: 'Here.' }))
    await harness.until(() => harness.supervised.isIdle)
    const run: TeamHandle['run'] = async (command, as) => {
      if (command.type === 'request.open' && command.to === 'bob') throw new Error('no mail today')
      return harness.team.run(command, as)
    }
    const ended = await end(harness, { team: Object.create(harness.team, { run: { value: run } }) })
    expect(ended.report).toEqual([
      '- ada: shut down (clean, artifacts not committed, uncommitted files: 3)',
      '- bob: stopped, could not be asked',
      '- left undone by lead: 3 changed files were not committed when the team was ended by force',
    ])
    expect(['ada', 'bob'].map((name) => statusOf(harness, name))).toEqual(['stopped', 'stopped'])
    expect(notes(harness)).toEqual([
      '[SHUTDOWN] bob was not asked: Error: no mail today',
      '[SHUTDOWN] Protocol failed, force-proceeding with cleanup.',
    ])
  }) // C23

  it('stops a teammate that refuses to stop', async () => {
    const harness = await supervisorHarness((request) => {
      const request_id = /type=\\"shutdown_request\\" request_id=\\"(r\d+)/.exec(lastTurnText(request))?.[1]
      const refusal = { type: 'shutdown_response', to: 'lead', request_id, approve: false, content: 'Not yet.' }
      if (request_id) return { calls: [{ tool: 'SendMessage', input: refusal }] }
      return { calls: [{ tool: 'SendMessage', input: { to: 'lead', content: 'How deep?' } }] }
    })
    await harness.tasks({ subject: 'dig' })
    await harness.supervised.spawn({ name: 'ada', prompt: 'Dig.', task: '1' })
    await harness.until(() => harness.requestsOf('ada').length > 1)
    expect((await end(harness)).report).toEqual([
      '- ada: stopped: rejected',
      '- left undone by ada: was stopped while it held the task (dig)',
    ])
    expect(statusOf(harness, 'ada')).toBe('stopped')
    expect([...harness.team.state.requests.values()].map(({ state }) => state)).toEqual(Array(4).fill('rejected'))
  }) // C22, C25

  it('asks with the reason and the team at the end of a phase, and only those that are meant', async () => {
    const harness = await harnessWithTwo(() => ({ text: 'Here.' }))
    await harness.until(() => harness.supervised.isIdle)
    const request = workOverRequest('phase_complete', 'web')
    const isMeant = ({ name }: { name: string }) => name === 'ada'
    const { team, lead, context } = harness
    await shutDownTeam(context, { team, by: lead }, { reason: 'phase_complete', request, isMeant })
    expect(['ada', 'bob'].map((name) => statusOf(harness, name))).toEqual(['stopped', 'idle'])
    const asked = [...team.state.requests.values()].map(({ to, content, state }) => [to, content, state])
    expect(asked).toEqual([['ada', expect.stringMatching(/^phase_complete: the work of team web is over/), 'approved']])
  }) // C25

  it('asks a teammate once, and does not wait for one that was lost', async () => {
    const harness = await supervisorHarness(() => ({ text: 'Here.' }))
    const { team, lead, clock } = harness
    await using other = await openMemoryStore(harness.place)
    const { self: runtime } = other.presence
    await team.run({ type: 'member.spawn', name: 'eve', role: 'eve', runtime }, { by: lead })
    const onProblem = () => {}
    expect((await askTeammatesToStop({ team, by: lead }, onProblem)).asked).toEqual(['eve'])
    expect((await askTeammatesToStop({ team, by: lead }, onProblem)).asked).toEqual(['eve'])
    expect(team.state.requests.size).toBe(1)
    let hasEnded = false
    void waitUntilStopped(team, clock, ['eve']).then(() => {
      hasEnded = true
    })
    await team.run({ type: 'member.lose', name: 'eve', reason: 'gone' }, { by: lead })
    await harness.until(() => hasEnded)
  })
})
