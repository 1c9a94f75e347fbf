import { afterEach, describe, expect, it } from 'vitest'
import type { TeamHandle } from '../journal/team-handle.ts'
import { memberNamed } from '../team/state.ts'
import { type Compose, type SupervisorHarness, supervisorHarness } from '../testing/harnesses/supervisor-harness.ts'
import { shutDownTeam } from './shut-down-team.ts'

const open: SupervisorHarness[] = []
afterEach(async () => {
  for (const one of open.splice(0)) await one.close()
})

const hang: Compose = (_, signal) =>
  new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)))

async function crewOf(mind: Compose): Promise<SupervisorHarness> {
  const practice = await supervisorHarness({ mind, uncommitted: async () => 3 })
  open.push(practice)
  for (const name of ['ada', 'bob']) await practice.crew.spawn({ name, prompt: 'Hello.' })
  return practice
}

function end({ team, lead, crew, context }: SupervisorHarness, changes: { team?: TeamHandle } = {}) {
  return shutDownTeam(context, { team, by: lead, waitUntilStopped: crew.waitUntilStopped, ...changes })
}

const statusOf = ({ team }: SupervisorHarness, name: string) => memberNamed(team.state, name)?.status
const notes = ({ events }: SupervisorHarness) => events.flatMap((event) => (event.type === 'note' ? [event.text] : []))

describe('a team that is dismissed', () => {
  it('has everybody asked with reason and deadline, and everybody accounted for', async () => {
    const practice = await crewOf((request, signal) =>
      request.agent === 'bob' ? hang(request, signal) : { text: 'Here.' },
    )
    await practice.until(() => statusOf(practice, 'ada') === 'idle' && practice.askedOf('bob').length === 1)
    const ending = end(practice)
    await practice.until(() => statusOf(practice, 'ada') === 'stopped' && practice.team.state.requests.size === 2)
    const asked = [...practice.team.state.requests.values()]
    expect(asked.map(({ to, kind, deadline, openedAt }) => [to, kind, deadline! - openedAt])).toEqual([
      ['ada', 'shutdown', 30],
      ['bob', 'shutdown', 30],
    ])
    expect(asked.every(({ content }) => content.includes('being deleted'))).toBe(true)
    practice.clock.advance(31)
    expect(await ending).toMatchObject({
      notified: 2,
      report: [
        '- ada: shut down (clean, artifacts not committed, uncommitted files: 3)',
        '- bob: stopped: timed out',
        '- left undone by bob: did not answer before it was stopped',
      ],
    })
    expect(statusOf(practice, 'bob')).toBe('stopped')
  }) // C19

  it('ends although somebody cannot be asked: that is said, and what is not committed is on record', async () => {
    const practice = await crewOf(() => ({ text: 'Here.' }))
    await practice.until(() => practice.crew.isIdle)
    const run: TeamHandle['run'] = async (command, as) => {
      if (command.type === 'request.open' && command.to === 'bob') throw new Error('no mail today')
      return practice.team.run(command, as)
    }
    const ended = await end(practice, { team: Object.create(practice.team, { run: { value: run } }) })
    expect(ended.report).toEqual([
      '- ada: shut down (clean, artifacts not committed, uncommitted files: 3)',
      '- bob: stopped, could not be asked',
      '- left undone by lead: 3 changed files were not committed when the team was ended by force',
    ])
    expect(['ada', 'bob'].map((name) => statusOf(practice, name))).toEqual(['stopped', 'stopped'])
    expect(notes(practice)).toEqual([
      '[SHUTDOWN] bob was not asked: Error: no mail today',
      '[SHUTDOWN] Protocol failed, force-proceeding with cleanup.',
    ])
  }) // C23
})
