import { fork } from 'node:child_process'
import { once } from 'node:events'
import { accessSync, constants, existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { beforeAll, describe, expect, it } from 'vitest'
import type { LogName, Recorded, Store } from '../../src/journal/store.ts'
import { apply } from '../../src/team/apply.ts'
import { emptyState } from '../../src/team/state.ts'
import { readAll } from '../../src/testing/contracts/read-all.ts'
import { openUnsyncedWorkspace } from '../agent/killed-agent.ts'
import { buildWorkers } from '../storms/fleet.ts'
import { figure } from '../storms/place.ts'
import { createRandom } from '../storms/random.ts'
import { examine } from './examine.ts'
import { MOMENTS, openKilledTeam, PROMPT, TEAM } from './killed-team.ts'

const worker = join(dirname(dirname(dirname(fileURLToPath(import.meta.url)))), '.build', 'test', 'builder.js')

/** So many random calls of the file system, besides the moments that have a name. */
const RANDOM = figure('TEAM_KILLS', 2, 100)

describe('kill -9 of a team at work', { timeout: 1_800_000 }, () => {
  let undisturbed: string[]
  let calls: number
  beforeAll(async () => {
    await buildWorkers()
    await inPlace(async (dir) => {
      const built = await build(dir)
      expect(built.signal).toBe(null)
      calls = built.calls!
      undisturbed = await boardOf(dir)
    })
  }, 120_000)

  it('is a house that stands when nobody disturbs', () => {
    expect(undisturbed).toEqual(['1', '2', '3', '4', '5'].map((id) => `${id} completed: ${id} stands`))
    expect(Object.keys(MOMENTS)).toHaveLength(12)
  })

  it.for(Object.keys(MOMENTS))('when %s: whoever opens it again gets the same board, in order', async (moment) => {
    await inPlace(async (dir) => {
      const { signal } = await build(dir, moment)
      expect(signal).toBe('SIGKILL')
      await resume(dir)
      expect(await boardOf(dir)).toEqual(undisturbed)
    })
  }) // F24, F33

  it('before a random call of the file system: the same board', async () => {
    const random = createRandom()
    expect(calls).toBeGreaterThan(100)
    let killed = 0
    for (let i = 0; i < RANDOM; i++) {
      const at = random.below(calls)
      await inPlace(async (dir) => {
        const built = await build(dir, '', at)
        const where = `seed ${random.seed}, killed before call ${at}`
        // Not every run makes as many calls: only who never came to that one ends by itself.
        if (built.signal === null) expect(built.calls, where).toBeLessThanOrEqual(at)
        else {
          expect(built.signal, where).toBe('SIGKILL')
          killed++
        }
        await resume(dir)
        expect(await boardOf(dir), where).toEqual(undisturbed)
      })
    }
    expect(killed, `seed ${random.seed}`).toBeGreaterThanOrEqual(RANDOM / 2)
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
  let said = ''
  let calls: number | undefined
  child.stderr?.setEncoding('utf8').on('data', (text) => {
    said += text
  })
  child.on('message', (message) => {
    calls = message as number
  })
  const [code, signal] = await once(child, 'close')
  if (signal === null && code !== 0) throw new Error(`The team ended with ${code}: ${said}`)
  return { signal, calls }
}

/** The lead goes on; whoever had not even heard the prompt is told again, as a person would. */
async function resume(dir: string): Promise<void> {
  await using workspace = await openUnsyncedWorkspace(dir)
  await using session = await openKilledTeam(workspace)
  const isTold = (await readAll(session.team.log)).some(({ record }) => JSON.stringify(record).includes(PROMPT))
  const loop = session.run(isTold ? undefined : PROMPT)
  let step = await loop.next()
  while (!step.done) step = await loop.next()
  expect(step.value).toMatchObject({ kind: 'finished' })
}

/** Each task with what became of it; the journal and all conversations are in order. */
async function boardOf(dir: string): Promise<string[]> {
  await using workspace = await openUnsyncedWorkspace(dir)
  const { store } = workspace
  const journal = await recordsOf(store, `${TEAM}/journal`)
  const folder = join(dir, '.teams', TEAM, 'transcripts')
  const names = existsSync(folder) ? readdirSync(folder).map((file) => basename(file, '.jsonl')) : []
  const transcripts = new Map<string, readonly Recorded[]>()
  for (const name of names) transcripts.set(name, await recordsOf(store, `${TEAM}/transcripts/${name}`))
  expect(examine({ journal, transcripts })).toEqual([])
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
