import { fork } from 'node:child_process'
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
import { writeExample } from '../cli/plan-files.ts'
import { buildWorkers } from '../storms/fleet.ts'
import { filesOf, MOMENTS, type Mode, runPlans, TEAM } from './killed-plan.ts'

const worker = join(dirname(dirname(dirname(fileURLToPath(import.meta.url)))), '.build', 'test', 'planner.js')
/** Where a one-shot member leaves something else behind than a teammate. */
const IN_TASK_MODE = ['a task is claimed', 'a file is about to be written', 'a task is about to be completed']
const MODES: readonly Mode[] = ['teammate', 'task']

describe('kill -9 of a plan run', { timeout: 1_800_000 }, () => {
  const undisturbed = new Map<Mode, Awaited<ReturnType<typeof artefactsOf>>>()
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
      expect(await killedAt(dir, mode, moment)).toBe('SIGKILL')
      expect(await runAgain(dir, mode)).toBe('finished')
      expect(await artefactsOf(dir)).toEqual(undisturbed.get(mode))
    })
  }) // C38, C39, C46, C50
})

async function inPlace(use: (dir: string) => Promise<void>): Promise<void> {
  const dir = realpathSync(mkdtempSync(join(tmpdir(), 'deskmates-plan-')))
  writeExample(dir)
  try {
    await use(dir)
  } finally {
    rmSync(dir, { recursive: true, force: true })
  }
}

async function killedAt(dir: string, mode: Mode, moment: string): Promise<unknown> {
  const child = fork(worker, [dir, mode, moment], { stdio: ['ignore', 'ignore', 'pipe', 'ipc'], execArgv: [] })
  let stderr = ''
  child.stderr?.setEncoding('utf8').on('data', (text) => {
    stderr += text
  })
  const [code, signal] = await once(child, 'close')
  return signal ?? `ended with ${code}: ${stderr}`
}

async function runAgain(dir: string, mode: Mode): Promise<string> {
  await using workspace = await openUnsyncedWorkspace(dir)
  return runPlans(workspace, mode)
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
  return {
    board: board.sort(),
    completions: events.filter(({ type }) => type === 'task.completed').length,
    files: filesOf(dir),
    names: [...readdirSync(join(dir, 'p')), ...readdirSync(join(dir, 'src'))],
  }
}
