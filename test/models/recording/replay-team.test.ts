import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { Model, ModelRequest } from '../../../src/models/model.ts'
import { createNormaliser } from '../../../src/models/recording/normalise.ts'
import { recordModel } from '../../../src/models/recording/record.ts'
import { replayModel } from '../../../src/models/recording/replay.ts'
import type { Script } from '../../../src/models/scripted/script.ts'
import { scriptedModel } from '../../../src/models/scripted/scripted-model.ts'
import { openSession } from '../../../src/session/open-session.ts'
import { allTasks } from '../../../src/team/board/board.ts'
import { runToEnd } from '../../../src/testing/harnesses/session-harness.ts'
import { openWorkspace } from '../../../src/workspace.ts'

let dir: string
beforeEach(() => {
  dir = realpathSync(mkdtempSync(join(tmpdir(), 'deskmates-replay-')))
})
afterEach(() => rmSync(dir, { recursive: true, force: true }))

/** Numbers from 0 up to 1 that are the same for the same seed. */
function randomFrom(seed: number): () => number {
  let state = seed
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0
    return state / 2 ** 32
  }
}

/** Answers after a number of rounds of the event loop that differs from call to call. */
function jittered(model: Model, seed: number): Model {
  const random = randomFrom(seed)
  return {
    ...model,
    async *reply(request, signal) {
      for (let rounds = Math.floor(random() * 60); rounds > 0; rounds--) await new Promise(setImmediate)
      return yield* model.reply(request, signal)
    },
  }
}

const call = (tool: string, input: Record<string, unknown> = {}) => ({ tool, input })
const answersIn = ({ turns }: ModelRequest) => turns.filter(({ role }) => role === 'assistant').length
const say = (to: string, content: string) => call('SendMessage', { to, content })

/** A teammate that writes to all members, looks around, and completes what it holds. */
function busy(name: string, other: string): Script['parts'][number] {
  return {
    agent: name,
    times: 'always',
    compose(request) {
      const at = answersIn(request)
      const seen = JSON.stringify(request.turns)
      const held = [...seen.matchAll(/<task id=\\"(\d+)\\">/g)].at(-1)?.[1]
      const isDone = held === undefined || seen.includes(`by ${name}: ${held}`)
      if (at % 5 === 0 && at < 20) return { calls: [say(other, `${name} asks ${at}`), call('TaskList')] }
      if (at % 5 === 1 && at < 20) return { calls: [say('lead', `${name} reports ${at}`), call('list_teammates')] }
      if (at % 5 === 2 && at < 20)
        return { calls: [call('write_file', { path: 'shared.txt', content: `${name} ${at}` }), call('read_inbox')] }
      if (!isDone)
        return { calls: [call('TaskUpdate', { taskId: held, status: 'completed', result: `by ${name}: ${held}` })] }
      return { text: `${name} is done with ${held ?? 'nothing'} after ${at}.` }
    },
  }
}

const begin: Script['parts'][number] = {
  agent: 'lead',
  when: { answer: 1 },
  calls: [
    ...['one', 'two', 'three', 'four'].map((subject) => call('TaskCreate', { subject, description: 'do it' })),
    call('TaskCreate', { subject: 'last', description: 'at the end', blockedBy: ['1', '2'] }),
    call('Task', { name: 'ada', prompt: 'Work on the board.' }),
    call('Task', { name: 'bob', prompt: 'Work on the board.' }),
  ],
}

const script: Script = {
  parts: [
    begin,
    {
      agent: 'lead',
      times: 'always',
      compose(request) {
        const at = answersIn(request)
        if (at > 8) return { text: `I heard it (${at}).` }
        const calls = [say(at % 2 === 0 ? 'ada' : 'bob', `lead says ${at}`), call('read_file', { path: 'shared.txt' })]
        return at % 3 === 0 ? { text: `Waiting (${at}).` } : { calls: [...calls, call('TaskList')] }
      },
    },
    busy('ada', 'bob'),
    busy('bob', 'ada'),
  ],
}

/** A lead whose messages interrupt teammates in the middle of answers and calls. */
const urgent: Script = {
  parts: [
    begin,
    {
      agent: 'lead',
      times: 'always',
      compose(request) {
        const at = answersIn(request)
        const content = { to: at % 4 === 1 ? 'ada' : 'bob', content: `now ${at}`, urgent: true }
        return at < 9 && at % 2 === 1 ? { calls: [call('SendMessage', content)] } : { text: `Waiting (${at}).` }
      },
    },
    busy('ada', 'bob'),
    busy('bob', 'ada'),
  ],
}

interface Ran {
  readonly stop: unknown
  readonly transcripts: Record<string, unknown>
  readonly board: unknown
}

/** A session in a workspace of its own: what each agent's conversation and the board came to. */
async function run(model: Model, name: string, prompt = 'Build it'): Promise<Ran> {
  const root = join(dir, name)
  mkdirSync(root)
  writeFileSync(join(root, 'shared.txt'), 'nothing yet')
  execFileSync('git', ['init', '-q', root], { env: { ...process.env, GIT_CONFIG_GLOBAL: '/dev/null' } })
  const env = { DESKMATES_STATE: join(root, 'state'), PATH: process.env.PATH }
  await using workspace = await openWorkspace({ cwd: root, env })
  const last = new Map<string, ModelRequest>()
  const watched: Model = {
    ...model,
    reply(request, signal) {
      last.set(request.agent, request)
      return model.reply(request, signal)
    },
  }
  await using session = await openSession({
    workspace,
    model: watched,
    permissions: { mode: 'bypassPermissions' },
    sandbox: { mode: 'off' },
  })
  const { stop } = await runToEnd(session, prompt, AbortSignal.timeout(60_000))
  const error = stop.kind === 'error' ? stop.error.message : undefined
  const transcripts: Record<string, unknown> = {}
  for (const [agent, request] of last) transcripts[agent] = createNormaliser(root)(request).turns
  const board = allTasks(session.team.state).map((task) => ({
    id: task.id,
    subject: task.subject,
    status: task.status,
    owner: 'owner' in task ? task.owner : undefined,
    result: 'result' in task ? task.result : undefined,
  }))
  return { stop: { ...stop, error }, transcripts, board }
}

const file = () => join(dir, 'run.jsonl')

function record(what: Script, seed: number): Promise<Ran> {
  return run(recordModel(jittered(scriptedModel(what), seed), file(), { root: join(dir, 'first') }), 'first')
}

/** Numbers of the replays that did not come to the same conversations, board and end. */
async function differing(recorded: Ran, replays: number): Promise<readonly number[]> {
  const others: number[] = []
  for (let n = 1; n <= replays; n++) {
    const name = `again-${n}`
    const replayed = await run(jittered(await replayModel(file(), { root: join(dir, name) }), n), name)
    if (JSON.stringify(replayed) !== JSON.stringify(recorded)) others.push(n)
  }
  return others
}

describe('a recording of a team', () => {
  it('is replayed identically ten times out of ten, whatever the latency of the models', async () => {
    const recorded = await record(script, 7)
    expect(recorded).toMatchObject({ stop: { kind: 'finished' }, transcripts: { ada: {}, bob: {}, lead: {} } })
    expect(await differing(recorded, 10)).toEqual([])
  }, 120_000) // T24

  it('is replayed identically when urgent messages interrupt its teammates', async () => {
    const recorded = await record(urgent, 62)
    expect(recorded.stop).toMatchObject({ kind: 'finished' })
    expect(await differing(recorded, 3)).toEqual([])
  }, 120_000) // T24

  it('fails with the first difference when the prompt differs', async () => {
    await record(script, 7)
    const again = await replayModel(file(), { root: join(dir, 'again') })
    const { stop } = await run(again, 'again', 'Build something else')
    expect(stop).toMatchObject({ kind: 'error', error: expect.stringContaining('Request 1 of lead differs from') })
  }, 60_000) // T24

  it('fails with the first difference when a step of a teammate differs', async () => {
    await record(script, 7)
    // As if the runtime had not let it look at the board.
    const changed = readFileSync(file(), 'utf8').replaceAll('"step":"ada looks"', '"step":"ada waits"')
    writeFileSync(file(), changed)
    const again = await replayModel(file(), { root: join(dir, 'again') })
    const { stop } = await run(jittered(again, 3), 'again')
    const { error } = stop as { error: string }
    expect(error).toMatch(/Request \d+ of \w+ differs from/)
    expect(error).toContain('left the recorded order: the recording has no further step "ada looks"')
  }, 60_000) // T24
})
