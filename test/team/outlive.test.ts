import { describe, expect, it } from 'vitest'
import { openTeam } from '../../src/journal/team-handle.ts'
import { createPlace, openMemoryStore } from '../../src/stores/memory/store.ts'
import { composedModel, untilAborted } from '../../src/testing/harnesses/composed-model.ts'
import { openTestSession, runToEnd } from '../../src/testing/harnesses/session-harness.ts'
import { manualClock } from '../../src/testing/manual-clock.ts'

type Call = readonly [tool: string, input: Record<string, unknown>]

/** The tool calls of each agent, by its new input; an agent without an answer waits until its request is aborted. */
type Answers = Readonly<Record<string, (input: string) => readonly Call[] | undefined>>

async function open(answers: Answers) {
  const place = createPlace()
  const clock = manualClock()
  const waiting: string[] = []
  const { model, requests } = composedModel(async ({ agent, turns }, signal) => {
    const last = turns.findLastIndex(({ role }) => role === 'assistant')
    const calls = answers[agent]?.(JSON.stringify(turns.slice(last + 1)))
    if (calls) return { text: 'Well.', calls: calls.map(([tool, input]) => ({ tool, input })) }
    waiting.push(agent)
    return untilAborted(signal).finally(() => waiting.splice(waiting.indexOf(agent), 1))
  })
  const session = await openTestSession({ store: await openMemoryStore(place), model, team: 'web', clock })
  const run = runToEnd(session, 'Go.').then(({ stop }) => stop)
  const records = () => [...place.logs.values()].reduce((sum, { accepted }) => sum + accepted.length, 0)
  return {
    place,
    clock,
    session,
    run,
    waiting,
    async until(isSo: () => boolean): Promise<void> {
      for (let i = 0; i < 2000 && !isSo(); i++) await new Promise((resolve) => setImmediate(resolve))
      expect(isSo(), `${isSo}, while ${waiting} wait`).toBe(true)
    },
    /** After a day no model was asked and no record written. */
    async expectSilence(): Promise<void> {
      const before = { requests: requests.length, records: records() }
      clock.advance(86_400)
      for (let i = 0; i < 50; i++) await new Promise((resolve) => setImmediate(resolve))
      expect({ requests: requests.length, records: records() }).toEqual(before)
    },
  }
}

const spawns: readonly Call[] = ['ada', 'bob'].map((name) => ['Task', { name, prompt: 'Work.' }])
const spawnsBoth = (input: string) => (input.includes('Go.') ? spawns : undefined)

describe('an agent that waits for its model', () => {
  it('is stopped when its session is closed', async () => {
    const { session, run, waiting, until, expectSilence } = await open({ lead: spawnsBoth })
    await until(() => waiting.length === 3)
    await session.close()
    expect(waiting).toEqual([])
    expect(await run).toMatchObject({ kind: 'aborted' })
    await expectSilence()
  })

  it('is stopped when the lead deletes the team, although it refused to stop or did not answer', async () => {
    const no: Call = [
      'SendMessage',
      { type: 'shutdown_response', to: 'lead', approve: false, reason: 'I am not done.' },
    ]
    const { session, clock, waiting, until, expectSilence } = await open({
      lead(input) {
        if (input.includes('Go.')) return [['TeamCreate', { name: 'api' }], ...spawns]
        return input.includes('TeamCreate') ? [['TeamDelete', { name: 'api' }]] : undefined
      },
      // An idle teammate would not be asked, so this one calls tools until the request comes.
      ada(input) {
        if (input.includes('shutdown_request')) return [no]
        return input.includes('"SendMessage"') ? undefined : [['TaskList', {}]]
      },
    })
    await until(() => waiting.includes('ada') && waiting.includes('bob') && !waiting.includes('lead'))
    // A teammate that refused is asked three times more, each time with a deadline.
    for (let asked = 0; asked < 4 && !waiting.includes('lead'); asked++) {
      clock.advance(31)
      for (let i = 0; i < 50; i++) await new Promise((resolve) => setImmediate(resolve))
    }
    await until(() => waiting.includes('lead'))
    expect(waiting).toEqual(['lead'])
    await session.close()
    await expectSilence()
  })

  it('is stopped when another process deletes the team', async () => {
    const { place, clock, session, run, waiting, until, expectSilence } = await open({ lead: spawnsBoth })
    await until(() => waiting.length === 3)
    await using store = await openMemoryStore(place)
    await using user = await openTeam(store, 'web', { clock })
    await user.run({ type: 'team.delete' })
    expect(await run).toMatchObject({ kind: 'error' })
    expect(waiting).toEqual([])
    await session.close()
    await expectSilence()
  })
})
