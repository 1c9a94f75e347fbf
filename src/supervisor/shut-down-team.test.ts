import { afterEach, describe, expect, it } from 'vitest'
import type { TeamHandle } from '../journal/team-handle.ts'
import { memberNamed } from '../team/state.ts'
import {
  type Compose,
  closeSupervisors,
  neverAnswers,
  type SupervisorHarness,
  supervisorHarness,
} from '../testing/harnesses/supervisor-harness.ts'
import { shutDownTeam } from './shut-down-team.ts'

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
})
