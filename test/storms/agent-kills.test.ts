import { fork } from 'node:child_process'
import { once } from 'node:events'
import { accessSync, constants, existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { beforeAll, describe, expect, it } from 'vitest'
import { openTranscript } from '../../src/agent/transcript/transcript.ts'
import { openTeam } from '../../src/journal/team-handle.ts'
import type { Turn } from '../../src/models/model.ts'
import { unreadOf } from '../../src/team/state.ts'
import type { Workspace } from '../../src/workspace.ts'
import { readFullTranscript, transcriptFaults } from '../agent/check-transcript.ts'
import {
  COUNTED_WORDS,
  callsOf,
  MESSAGES,
  openKilledAgent,
  openUnsyncedWorkspace,
  sendLate,
  TEAM,
} from '../agent/killed-agent.ts'
import { buildWorkers } from './fleet.ts'
import { figure } from './place.ts'

const worker = join(dirname(dirname(dirname(fileURLToPath(import.meta.url)))), '.build', 'test', 'storyteller.js')

/** Every so many-th step is tried; a soak tries all. */
const EVERY = figure('KILL_EVERY', 11, 1)

interface Kill {
  readonly what: 'call' | 'event' | 'none'
  readonly at: number
}

describe('kill -9 of an agent at every step of its turns', { timeout: 1_800_000 }, () => {
  let seen: { calls: number; events: number }
  beforeAll(async () => {
    await buildWorkers()
    seen = await inPlace(async (dir) => {
      const story = await tell(dir, { what: 'none', at: 0 })
      expect(story.signal).toBe(null)
      await examine(dir)
      return story.seen!
    })
  }, 120_000)

  it('before each file system call loses, repeats, cuts and leaves running nothing, also around a summary', async () => {
    expect(seen.calls).toBeGreaterThan(150)
    await killAll('call', seen.calls)
  }) // F1, F2, F38, A31

  it('after each event loses, repeats, cuts and leaves running nothing', async () => {
    expect(seen.events).toBeGreaterThan(20)
    await killAll('event', seen.events, 1)
  }) // F1, F2, F38
})

/** Two at a time, as this machine may have two cores. */
async function killAll(what: Kill['what'], count: number, every = EVERY): Promise<void> {
  const steps = Array.from({ length: Math.ceil(count / every) }, (_, i) => Math.min(count - 1, i * every))
  const next = async (): Promise<void> => {
    for (let at = steps.shift(); at !== undefined; at = steps.shift()) {
      await inPlace(async (dir) => {
        const { signal } = await tell(dir, { what, at: at! })
        // The last calls depend on timing, more on a busy machine: a story that got to its end has to be in order too.
        if (at! < count * 0.8) expect(signal, `${what} ${at}`).toBe('SIGKILL')
        await resume(dir)
        await examine(dir).catch((error) => {
          throw new Error(`killed at ${what} ${at}: ${error.message}`, { cause: error })
        })
      })
    }
  }
  await Promise.all([next(), next()])
}

async function inPlace<T>(use: (dir: string) => Promise<T>): Promise<T> {
  const dir = mkdtempSync(join(inMemory(), 'deskmates-story-'))
  try {
    await using workspace = await openUnsyncedWorkspace(dir)
    await using team = await openTeam(workspace.store, TEAM)
    await team.run({ type: 'team.create', team: TEAM })
    for (const content of [MESSAGES.first, MESSAGES.second]) await team.send({ to: 'lead', content })
    return await use(dir)
  } finally {
    rmSync(dir, { recursive: true, force: true })
  }
}

async function tell(dir: string, { what, at }: Kill) {
  const child = fork(worker, [dir, what, String(at)], { stdio: ['ignore', 'ignore', 'pipe', 'ipc'], execArgv: [] })
  let said = ''
  child.stderr?.setEncoding('utf8').on('data', (text) => {
    said += text
  })
  let seen: { calls: number; events: number } | undefined
  child.on('message', (message) => {
    seen = message as typeof seen
  })
  const [code, signal] = await once(child, 'close')
  if (signal === null && code !== 0) throw new Error(`The story ended with ${code}: ${said}`)
  return { signal, seen }
}

async function resume(dir: string): Promise<void> {
  await using workspace = await openUnsyncedWorkspace(dir)
  await using session = await openKilledAgent(workspace)
  await sendLate(session)
  const loop = session.run()
  let step = await loop.next()
  while (!step.done) step = await loop.next()
  expect(step.value).toMatchObject({ kind: 'finished' })
}

async function examine(dir: string): Promise<void> {
  await using workspace = await openUnsyncedWorkspace(dir)
  await using team = await openTeam(workspace.store, TEAM)
  await team.refresh()
  await examineSummary(workspace)
  await using log = asDisposable(await workspace.store.log(`${TEAM}/transcripts/lead`))
  const state = await readFullTranscript(log)
  const { turns } = state

  const inputs = turns.filter(({ role }) => role === 'user').flatMap(textsOf)
  for (const message of Object.values(MESSAGES)) expect(inputs.filter((text) => text === message)).toEqual([message])
  expect(unreadOf(team.state, 'lead')).toEqual([])

  for (const [i, turn] of turns.entries()) {
    const asked = callsOf(turn).map(({ toolCallId }) => toolCallId)
    const answered = resultsOf(turns[i + 1]).map(({ toolCallId }) => toolCallId)
    expect(answered).toEqual(asked)
    if (turn.role === turns[i + 1]?.role) throw new Error(`Two turns of the ${turn.role} stand side by side.`)
  }
  expect(turns.flatMap(callsOf)).toHaveLength(4)
  expect(turns.at(-1)?.role).toBe('assistant')

  const lines = linesOf(dir, 'counter')
  for (const word of COUNTED_WORDS) expect(lines.filter((line) => line === word).length).toBeLessThanOrEqual(1)
  for (const [id, word] of [['call-1', 'one'] as const, ['call-3', 'two'] as const]) {
    const result = JSON.stringify(turns.flatMap(resultsOf).find(({ toolCallId }) => toolCallId === id))
    if (!result.includes('Interrupted')) expect(lines).toContain(word)
  }

  const notices = inputs.filter((text) => text.includes('<task-id>b000001</task-id>'))
  expect(notices).toHaveLength(state.jobCount)
  expect(state.jobs.size).toBe(0)
  expect(linesOf(dir, 'pids').map(Number).filter(isRunning)).toEqual([])
}

/** What the model is told stands on the summary, in which the whole history is; once, however often it was begun. */
async function examineSummary({ store }: Workspace): Promise<void> {
  await using transcript = await openTranscript({ log: await store.log(`${TEAM}/transcripts/lead`), generation: 1000 })
  const { turns, mail } = transcript.state
  expect(transcriptFaults(turns)).toEqual([])
  expect(mail.size).toBe(Object.keys(MESSAGES).length)
  const first = textsOf(turns[0]!)
  expect(first[0]).toContain('made call-')
  expect(first[1]).toContain('You are lead, the lead of the team story.')
  expect(
    turns
      .slice(1)
      .flatMap(textsOf)
      .filter((text) => text.includes('[Conversation compressed]')),
  ).toEqual([])
}

function asDisposable<T extends { close(): Promise<void> }>(log: T): T & AsyncDisposable {
  return { ...log, [Symbol.asyncDispose]: () => log.close() }
}

function textsOf(turn: Turn): string[] {
  return (turn.content as { text?: string }[]).flatMap(({ text }) => text ?? [])
}

function resultsOf(turn: Turn | undefined) {
  return turn?.role === 'tool' ? turn.content.filter((part) => part.type === 'tool-result') : []
}

function linesOf(dir: string, file: string): string[] {
  const path = join(dir, file)
  return existsSync(path) ? readFileSync(path, 'utf8').trim().split('\n') : []
}

/** One that has died and waits for its parent does not run. */
function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0)
  } catch {
    return false
  }
  const stat = existsSync(`/proc/${pid}/stat`) ? readFileSync(`/proc/${pid}/stat`, 'utf8') : ''
  return !/\) [ZX] /.test(stat)
}

function inMemory(): string {
  try {
    accessSync('/dev/shm', constants.W_OK)
    return '/dev/shm'
  } catch {
    return tmpdir()
  }
}
