import { execFileSync, fork, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readdirSync, realpathSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { beforeAll, describe, expect, it } from 'vitest'
import { openTeam } from '../../src/journal/team-handle.ts'
import type { TeamEvent } from '../../src/team/event.ts'
import { readAll } from '../../src/testing/contracts/read-all.ts'
import { openUnsyncedWorkspace } from '../agent/killed-agent.ts'
import { header, task, writeExample, writeLines } from '../cli/plan-files.ts'
import { buildWorkers } from '../storms/fleet.ts'
import { ANSWER_MOMENTS, COMMIT_MOMENTS, filesOf, MOMENTS, type Mode, runPlans, TEAM } from './killed-plan.ts'

const worker = join(dirname(dirname(dirname(fileURLToPath(import.meta.url)))), '.build', 'test', 'planner.js')
/** Where a one-shot member leaves something else behind than a teammate. */
const IN_TASK_MODE = ['a task is claimed', 'a file is about to be written', 'a task is about to be completed']
const MODES: readonly Mode[] = ['teammate', 'task']

type Artefacts = Awaited<ReturnType<typeof artefactsOf>>

describe('kill -9 of a plan run', { timeout: 1_800_000 }, () => {
  const undisturbed = new Map<Mode, Artefacts>()
  beforeAll(async () => {
    await buildWorkers()
    for (const mode of MODES)
      await inPlace(async (dir) => {
        expect(await runAgain(dir, mode)).toBe('finished')
        undisturbed.set(mode, await artefactsOf(dir))
      })
  }, 120_000)

  it('does not happen in the reference runs, which leave the same in both modes', () => {
    expect(undisturbed.get('task')).toEqual(undisturbed.get('teammate'))
    expect(undisturbed.get('task')?.completions).toBe(9)
    expect(Object.keys(MOMENTS)).toHaveLength(10)
  }) // C1

  const cases = [
    ...Object.keys(MOMENTS).map((moment) => ({ mode: 'teammate' as const, moment })),
    ...IN_TASK_MODE.map((moment) => ({ mode: 'task' as const, moment })),
  ]
  it.for(cases)('when $moment in $mode mode: run again, it leaves the same', async ({ mode, moment }) => {
    await inPlace(async (dir) => {
      expect(await killedAt(dir, { mode, moment })).toBe('SIGKILL')
      // The record is there, and the process died before its view was written.
      if (moment === 'the first plan has ended') expect(readdirSync(join(dir, 'p'))).not.toContain(FIRST_SUMMARY)
      expect(await runAgain(dir, mode)).toBe('finished')
      expect(await artefactsOf(dir)).toEqual(undisturbed.get(mode))
    })
  }) // C38, C39, C46, C50
})

describe('kill -9 of a plan run that commits', { timeout: 1_800_000 }, () => {
  let undisturbed: Artefacts | undefined
  beforeAll(async () => {
    await buildWorkers()
    if (!hasSandbox()) return
    await inPlace(async (dir) => {
      initRepository(dir)
      expect(await runAgain(dir, 'teammate', { commits: true })).toBe('finished')
      undisturbed = { ...(await artefactsOf(dir)), ...commitsOf(dir) }
    })
  }, 120_000)

  it('does not happen in the reference run, which makes one commit for each task', ({ skip }) => {
    if (!undisturbed) skip('bubblewrap does not work here')
    expect(undisturbed).toMatchObject({ completions: 3, changed: '', index: '' })
    expect((undisturbed as Artefacts & { subjects: string[] }).subjects).toEqual([
      ...['03-01/T1: Do T1', '03-01/T2: Do T2', '03-02/T1: Do T1', 'plans'],
    ])
  }) // C78

  it.for(Object.keys(COMMIT_MOMENTS))('when %s: run again, it leaves the same commits', async (moment, { skip }) => {
    if (!undisturbed) skip('bubblewrap does not work here')
    await inPlace(async (dir) => {
      initRepository(dir)
      expect(await killedAt(dir, { mode: 'teammate', moment, commits: true })).toBe('SIGKILL')
      const made = commitsOf(dir).subjects.length - 1
      const done = await completionsOf(dir)
      if (moment === 'a commit is made and not yet on record') expect(made).toBeGreaterThan(done)
      if (moment === 'the branch is about to move to a commit') expect([made, done]).toEqual([0, 0])
      if (moment.endsWith('has no summary file')) expect(readdirSync(join(dir, 'p'))).not.toContain(FIRST_SUMMARY)
      expect(await runAgain(dir, 'teammate', { commits: true })).toBe('finished')
      expect({ ...(await artefactsOf(dir)), ...commitsOf(dir) }).toEqual(undisturbed)
    })
  }) // C38, C78
})

describe('kill -9 of a plan run whose one-shot developers hand over by their answers', { timeout: 1_800_000 }, () => {
  const EACH = ['03-01/T1', '03-01/T2', '03-01/T3', '03-01/T4', '03-01/T5', '03-01/T6', '03-01/T7']
  let undisturbed: Artefacts | undefined
  beforeAll(async () => {
    await buildWorkers()
    await inPlace(async (dir) => {
      expect(await runAgain(dir, 'task', { answers: true })).toBe('finished')
      undisturbed = await artefactsOf(dir)
      expect(undisturbed.handedOver).toEqual([...EACH, '03-02/T1', '03-02/T2'])
    })
  }, 120_000)

  it.for(Object.keys(ANSWER_MOMENTS))('when %s: run again, each is on record once', async (moment) => {
    await inPlace(async (dir) => {
      expect(await killedAt(dir, { mode: 'task', moment, answers: true })).toBe('SIGKILL')
      expect(await runAgain(dir, 'task', { answers: true })).toBe('finished')
      expect(await artefactsOf(dir)).toEqual(undisturbed)
    })
  }) // C1, C39
})

const FIRST_SUMMARY = '03-01.summary.jsonl'

/** Asked of the machine itself, not of the code under test. */
function hasSandbox(): boolean {
  return spawnSync('bwrap', ['--unshare-all', '--unshare-user', '--ro-bind', '/', '/', 'true']).status === 0
}

function git(dir: string, ...args: string[]): string {
  const identity = ['-c', 'user.name=Ada', '-c', 'user.email=ada@example.org', '-c', 'core.fsync=none']
  return execFileSync('git', [...identity, ...args], {
    ...{ cwd: dir, encoding: 'utf8', env: { PATH: process.env.PATH, HOME: dir, GIT_CONFIG_NOSYSTEM: '1' } },
  }).trimEnd()
}

/** Two small plans: each commit takes several programs in a sandbox. */
function initRepository(dir: string): void {
  writeLines(dir, 'p/03-01.plan.jsonl', header('01'), task('T1'), task('T2', { td: ['T1'] }))
  writeLines(dir, 'p/03-02.plan.jsonl', header('02', { w: 2, d: ['03-01'] }), task('T1', { f: ['src/x.ts'] }))
  git(dir, 'init', '-q', '-b', 'main')
  git(dir, 'add', 'p')
  git(dir, 'commit', '-qm', 'plans')
}

/** One line per commit, what of the work is in none, and what the index holds besides. */
function commitsOf(dir: string) {
  return {
    subjects: git(dir, 'log', '--format=%s').split('\n').sort(),
    changed: git(dir, 'status', '--porcelain', '--', 'src'),
    index: git(dir, 'diff', '--cached', '--name-only'),
  }
}

async function completionsOf(dir: string): Promise<number> {
  await using workspace = await openUnsyncedWorkspace(dir)
  await using team = await openTeam(workspace.store, TEAM)
  await team.refresh()
  return [...team.state.tasks.values()].filter(({ status }) => status === 'completed').length
}

async function inPlace(use: (dir: string) => Promise<void>): Promise<void> {
  const dir = realpathSync(mkdtempSync(join(tmpdir(), 'deskmates-plan-')))
  writeExample(dir)
  try {
    await use(dir)
  } finally {
    rmSync(dir, { recursive: true, force: true })
  }
}

interface Killed {
  readonly mode: Mode
  readonly moment: string
  readonly commits?: boolean
  readonly answers?: boolean
}

async function killedAt(dir: string, { mode, moment, commits, answers }: Killed): Promise<unknown> {
  const child = fork(worker, [dir, mode, moment, commits ? 'commits' : answers ? 'answers' : ''], {
    stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
    execArgv: [],
  })
  let stderr = ''
  child.stderr?.setEncoding('utf8').on('data', (text) => {
    stderr += text
  })
  const [code, signal] = await once(child, 'close')
  return signal ?? `ended with ${code}: ${stderr}`
}

async function runAgain(dir: string, mode: Mode, { commits = false, answers = false } = {}): Promise<string> {
  await using workspace = await openUnsyncedWorkspace(dir)
  return runPlans(workspace, { mode, commits, answers })
}

/** The board without names and times, how many tasks were completed, and all files in their folders. */
async function artefactsOf(dir: string) {
  await using workspace = await openUnsyncedWorkspace(dir)
  await using team = await openTeam(workspace.store, TEAM)
  await team.refresh()
  const events = (await readAll(team.log)).flatMap(({ record }) => record.events as unknown as readonly TeamEvent[])
  const board = [...team.state.tasks.values()].map((task) =>
    task.status === 'completed' ? `${task.id}: ${task.result}` : `${task.id} ${task.status}`,
  )
  const handOffs = events.flatMap((event) => (event.type === 'handoff.recorded' ? [event.content.task] : []))
  return {
    board: board.sort(),
    handedOver: handOffs.sort(),
    completions: events.filter(({ type }) => type === 'task.completed').length,
    files: filesOf(dir),
    names: [...readdirSync(join(dir, 'p')), ...readdirSync(join(dir, 'src'))],
  }
}
