import { mkdtempSync, realpathSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { openTeam } from '../../src/journal/team-handle.ts'
import type { Model } from '../../src/models/model.ts'
import { openSession } from '../../src/session/open-session.ts'
import { createPlace, openMemoryStore } from '../../src/stores/memory/store.ts'
import { runToEnd } from '../../src/testing/harnesses/session-harness.ts'
import { workspaceOn } from '../../src/testing/harnesses/workspace-harness.ts'
import { manualClock } from '../../src/testing/manual-clock.ts'

let root: string
beforeEach(() => {
  root = realpathSync(mkdtempSync(join(tmpdir(), 'deskmates-outlive-')))
})
afterEach(() => rmSync(root, { recursive: true, force: true }))

type Call = readonly [tool: string, input: object]

/** What agents do who have heard this since they spoke; who does not know waits until it is aborted. */
type Minds = Readonly<Record<string, (heard: string) => readonly Call[] | undefined>>

async function open(minds: Minds) {
  const place = createPlace()
  const clock = manualClock()
  const begun: string[] = []
  const waiting: string[] = []
  const model = {
    name: 'outlive/one',
    provider: 'outlive',
    account: 'outlive',
    context: undefined,
    price: undefined,
    async *reply({ agent, turns }, signal) {
      await new Promise((resolve) => setImmediate(resolve))
      signal.throwIfAborted()
      const spoke = turns.findLastIndex(({ role }) => role === 'assistant')
      const calls = minds[agent]?.(JSON.stringify(turns.slice(spoke + 1)))
      begun.push(agent)
      if (!calls) {
        waiting.push(agent)
        await new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason))).finally(() =>
          waiting.splice(waiting.indexOf(agent), 1),
        )
      }
      yield { type: 'text', delta: '' }
      const parts = calls!.map(([toolName, input], i) => ({
        type: 'tool-call' as const,
        toolCallId: `${agent}-${begun.length}-${i}`,
        toolName,
        input,
      }))
      const turn = { role: 'assistant' as const, content: [{ type: 'text' as const, text: 'Well.' }, ...parts] }
      const usage = { input: 1, cacheRead: 0, cacheWrite: 0, output: 1 }
      return { turn, end: 'finished', usage, cost: 0, model: 'outlive/one' }
    },
  } as Model
  const session = await openSession({
    workspace: workspaceOn(await openMemoryStore(place), root),
    model,
    team: 'web',
    clock,
    permissions: { mode: 'bypassPermissions' },
    sandbox: { mode: 'off' },
    env: {},
  })
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
    /** A day later nobody has thought or written anything. */
    async expectSilence(): Promise<void> {
      const before = { begun: begun.length, records: records() }
      clock.advance(86_400)
      for (let i = 0; i < 50; i++) await new Promise((resolve) => setImmediate(resolve))
      expect({ begun: begun.length, records: records() }).toEqual(before)
    },
  }
}

const spawns: readonly Call[] = ['ada', 'bob'].map((name) => ['Task', { name, prompt: 'Work.' }])
const makesBoth = (heard: string) => (heard.includes('Go.') ? spawns : undefined)

describe('nobody who waits for its model', () => {
  it('outlives the session that is closed', async () => {
    const { session, run, waiting, until, expectSilence } = await open({ lead: makesBoth })
    await until(() => waiting.length === 3)
    await session.close()
    expect(waiting).toEqual([])
    expect(await run).toMatchObject({ kind: 'aborted' })
    await expectSilence()
  })

  it('outlives its team, deleted by its lead although one refused to stop and one said nothing', async () => {
    const no: Call = [
      'SendMessage',
      { type: 'shutdown_response', to: 'lead', approve: false, reason: 'I am not done.' },
    ]
    const { session, clock, waiting, until, expectSilence } = await open({
      lead(heard) {
        if (heard.includes('Go.')) return [['TeamCreate', { name: 'api' }], ...spawns]
        return heard.includes('TeamCreate') ? [['TeamDelete', { name: 'api' }]] : undefined
      },
      // Whoever rests would not be asked: it looks around until it is.
      ada(heard) {
        if (heard.includes('shutdown_request')) return [no]
        return heard.includes('"SendMessage"') ? undefined : [['TaskList', {}]]
      },
    })
    await until(() => waiting.includes('ada') && waiting.includes('bob') && !waiting.includes('lead'))
    clock.advance(31)
    await until(() => waiting.includes('lead'))
    expect(waiting).toEqual(['lead'])
    await session.close()
    await expectSilence()
  })

  it('outlives its team, deleted by somebody else', async () => {
    const { place, clock, session, run, waiting, until, expectSilence } = await open({ lead: makesBoth })
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
