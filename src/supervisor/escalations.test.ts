import { afterEach, describe, expect, it } from 'vitest'
import { createMessageRouting } from '../organisation/routing/message-routing.ts'
import type { HandOffDraft } from '../team/phases/phase.ts'
import { engineering } from '../testing/harnesses/organisation-harness.ts'
import { closeSupervisors, supervisorHarness } from '../testing/harnesses/supervisor-harness.ts'
import { watchEscalations } from './escalations.ts'

afterEach(closeSupervisors)

const CONTENT = JSON.stringify({
  ...{ from: 'dev', to: 'senior', issue: 'the API is missing', evidence: ['src/api has no users.ts'] },
  ...{ recommendation: 'add it', severity: 'blocking' },
})

/** A team with a developer and a senior that never write by themselves. */
async function team() {
  const harness = await supervisorHarness(() => ({ text: 'Seen.' }))
  for (const [name, role] of [
    ['senior-1', 'senior'],
    ['dev-1', 'dev'],
  ] as const)
    await harness.supervised.spawn({ name, role, prompt: 'Hello.' })
  await harness.until(() => harness.supervised.isIdle)
  const recorded: HandOffDraft[] = []
  const routing = createMessageRouting({
    ...{ organisation: engineering(), department: 'backend', folder: 'phases/03' },
    record: async (handOff) => {
      recorded.push(handOff)
      return {}
    },
  })
  const escalations = watchEscalations({ ...harness.context, routing }, { team: harness.team, by: harness.lead })
  let sent = 0
  async function send(from: string, to: string, type: 'escalation' | 'message', content = CONTENT) {
    const message = { id: `m${++sent}`, type, from, to, content, timestamp: harness.clock.now() }
    await harness.team.report([{ type: 'message.sent', message }], { by: harness.lead })
  }
  const open = () => [...harness.team.state.escalations.values()].map(({ to }) => to)
  return { ...harness, recorded, escalations, send, open }
}

describe('an escalation', () => {
  it('goes to the next level after 300 seconds without an answer, and in the end to the owner', async () => {
    const { clock, send, open, until, recorded, events, escalations } = await team()
    await send('dev-1', 'senior-1', 'escalation')
    clock.advance(299)
    expect(open()).toEqual(['senior-1'])
    clock.advance(1)
    await until(() => open().includes('lead'))
    expect(open()).toEqual(['lead'])
    clock.advance(300)
    await until(() => open().length === 0)
    expect(recorded).toMatchObject([
      {
        ...{ kind: 'escalation', to: 'owner', from: 'backend' },
        content: {
          issue: 'the API is missing',
          evidence: [expect.anything(), 'senior-1 did not answer within 300 s', 'lead did not answer within 300 s'],
        },
      },
    ])
    expect(events).toContainEqual(expect.objectContaining({ type: 'problem', text: expect.stringContaining('owner') }))
    escalations.close()
  }) // C81, C31

  it('stays where it was answered, and is passed on at once when no agent works', async () => {
    const { clock, send, open, escalations, ...harness } = await team()
    await send('dev-1', 'senior-1', 'escalation')
    await send('senior-1', 'dev-1', 'message', 'I add it.')
    expect([open(), await escalations.passOnAll()]).toEqual([[], false])
    clock.advance(300)
    await send('dev-1', 'senior-1', 'escalation')
    expect(await escalations.passOnAll()).toBe(true)
    expect(open()).toEqual(['lead'])
    const [passedOn] = harness.team.state.escalations.values()
    expect(JSON.parse(passedOn!.content).evidence.at(-1), 'no time has passed').toBe(
      'senior-1 ended its turn without an answer',
    )
    escalations.close()
  }) // C81
})
