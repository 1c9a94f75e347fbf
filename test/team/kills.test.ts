import { fork } from 'node:child_process'
import { once } from 'node:events'
import { accessSync, constants, existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { beforeAll, describe, expect, it } from 'vitest'
import type { LogName, Recorded, Store } from '../../src/journal/log/store.ts'
import { apply } from '../../src/team/apply.ts'
import { emptyState } from '../../src/team/state.ts'
import { readAll } from '../../src/testing/contracts/read-all.ts'
import { openUnsyncedWorkspace } from '../agent/killed-agent.ts'
import { buildWorkers } from '../storms/fleet.ts'
import { figure } from '../storms/place.ts'
import { createRandom } from '../storms/random.ts'
import { checkRecords } from './check-records.ts'
import { MOMENTS, openKilledTeam, PROMPT, TEAM } from './killed-team.ts'

const worker = join(dirname(dirname(dirname(fileURLToPath(import.meta.url)))), '.build', 'test', 'builder.js')

/** How many random file-system calls to kill before, besides the named moments. */
const RANDOM_KILLS = figure('TEAM_KILLS', 2, 100)

describe('kill -9 of a team at work', { timeout: 1_800_000 }, () => {
  let expectedBoard: string[]
  let calls: number
  beforeAll(async () => {
    await buildWorkers()
    await inPlace(async (dir) => {
      const built = await build(dir)
      expect(built.signal).toBe(null)
      calls = built.calls!
      expectedBoard = await boardOf(dir)
    })
  }, 120_000)

  it('does not happen in the reference run, which completes every task', () => {
    expect(expectedBoard).toEqual(['1', '2', '3', '4', '5'].map((id) => `${id} completed: ${id} stands`))
    expect(Object.keys(MOMENTS)).toHaveLength(13)
  })

  it.for(Object.keys(MOMENTS))('when %s: the resumed team ends with the same board', async (moment) => {
    await inPlace(async (dir) => {
      const { signal } = await build(dir, moment)
      expect(signal).toBe('SIGKILL')
      await resume(dir)
      expect(await boardOf(dir)).toEqual(expectedBoard)
    })
  }) // F24, F33

  it('before a random file-system call: the resumed team ends with the same board', async () => {
    const random = createRandom()
    expect(calls).toBeGreaterThan(100)
    let killed = 0
    for (let i = 0; i < RANDOM_KILLS; i++) {
      const at = random.below(calls)
      await inPlace(async (dir) => {
        const built = await build(dir, '', at)
        const where = `seed ${random.seed}, killed before call ${at}`
        // Not every run makes as many calls: a run ends by itself only if it never came to this one.
        if (built.signal === null) expect(built.calls, where).toBeLessThanOrEqual(at)
        else {
          expect(built.signal, where).toBe('SIGKILL')
          killed++
        }
        await resume(dir)
        expect(await boardOf(dir), where).toEqual(expectedBoard)
      })
    }
    expect(killed, `seed ${random.seed}`).toBeGreaterThanOrEqual(RANDOM_KILLS / 2)
  })
})

async function inPlace(use: (dir: string) => Promise<void>): Promise<void> {
  const dir = mkdtempSync(join(inMemory(), 'deskmates-house-'))
  try {
    await use(dir)
  } finally {
    rmSync(dir, { recursive: true, force: true })
  }
}

async function build(dir: string, moment = '', at?: number) {
  const args = [dir, moment, ...(at === undefined ? [] : [String(at)])]
  const child = fork(worker, args, { stdio: ['ignore', 'ignore', 'pipe', 'ipc'], execArgv: [] })
  let stderr = ''
  let calls: number | undefined
  child.stderr?.setEncoding('utf8').on('data', (text) => {
    stderr += text
  })
  child.on('message', (message) => {
    calls = message as number
  })
  const [code, signal] = await once(child, 'close')
  if (signal === null && code !== 0) throw new Error(`The team ended with ${code}: ${stderr}`)
  return { signal, calls }
}

/** Resumes the session; repeats the prompt, as a user would, when the journal does not have it. */
async function resume(dir: string): Promise<void> {
  await using workspace = await openUnsyncedWorkspace(dir)
  await using session = await openKilledTeam(workspace)
  const hasPrompt = (await readAll(session.team.log)).some(({ record }) => JSON.stringify(record).includes(PROMPT))
  const loop = session.run(hasPrompt ? undefined : PROMPT)
  let step = await loop.next()
  while (!step.done) step = await loop.next()
  expect(step.value).toMatchObject({ kind: 'finished' })
}

/** Each task with its result, after all records were checked. */
async function boardOf(dir: string): Promise<string[]> {
  await using workspace = await openUnsyncedWorkspace(dir)
  const { store } = workspace
  const journal = await recordsOf(store, `${TEAM}/journal`)
  const folder = join(dir, '.teams', TEAM, 'transcripts')
  const names = existsSync(folder) ? readdirSync(folder).map((file) => basename(file, '.jsonl')) : []
  const transcripts = new Map<string, readonly Recorded[]>()
  for (const name of names) transcripts.set(name, await recordsOf(store, `${TEAM}/transcripts/${name}`))
  expect(checkRecords({ journal, transcripts })).toEqual([])
  const state = emptyState()
  for (const { seq, record } of journal) apply(state, seq, record)
  return [...state.tasks.values()].map((task) =>
    task.status === 'completed' ? `${task.id} completed: ${task.result}` : `${task.id} ${task.status}`,
  )
}

async function recordsOf(store: Store, name: LogName): Promise<readonly Recorded[]> {
  const log = await store.log(name)
  try {
    return await readAll(log)
  } finally {
    await log.close()
  }
}

function inMemory(): string {
  try {
    accessSync('/dev/shm', constants.W_OK)
    return '/dev/shm'
  } catch {
    return tmpdir()
  }
}
