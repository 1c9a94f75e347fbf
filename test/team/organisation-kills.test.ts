import { fork } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, realpathSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { beforeAll, describe, expect, it } from 'vitest'
import { type AlarmClock, systemClock } from '../../src/journal/clock.ts'
import type { Workspace } from '../../src/workspace.ts'
import { openUnsyncedWorkspace } from '../agent/killed-agent.ts'
import { buildWorkers } from '../storms/fleet.ts'
import { AT_ONCE, leftBy, MOMENTS, runPhase, writePhase } from './killed-organisation.ts'

const worker = join(dirname(dirname(dirname(fileURLToPath(import.meta.url)))), '.build', 'test', 'organiser.js')

describe('a department that is killed in the middle of a phase', { timeout: 1_800_000 }, () => {
  let undisturbed: Awaited<ReturnType<typeof leftBy>>
  beforeAll(async () => {
    await buildWorkers()
    await inPlace(async (dir) => {
      undisturbed = await inWorkspace(dir, async (workspace) => {
        expect((await runPhase(workspace)).isComplete).toBe(true)
        return leftBy(workspace)
      })
    })
  }, 1_800_000)

  it.for([AT_ONCE, ...Object.keys(MOMENTS)])(
    'when %s: the other one finishes, and a second run leaves the same',
    async (moment) => {
      await inPlace(async (dir) => {
        let isKilled = false
        await inWorkspace(dir, async (workspace) => {
          const { isComplete, state } = await runPhase(workspace, moment, (backend) => {
            if (!isKilled) void backend.close()
            isKilled = true
          })
          expect([isKilled, isComplete]).toEqual([true, false])
          const statuses = state.departments.map(({ name, status }) => [name, status.status === 'complete'])
          expect(Object.fromEntries(statuses)).toEqual({ backend: false, frontend: true })
          expect((await runPhase(workspace)).isComplete).toBe(true)
          expect(await leftBy(workspace)).toEqual(undisturbed)
        })
      })
    },
  ) // C61, C75

  it.for([AT_ONCE, ...Object.keys(MOMENTS)])(
    'with the whole run, aborted when %s: nothing is left behind',
    async (moment) => {
      await inPlace(async (dir) => {
        await inWorkspace(dir, async (workspace) => {
          const whole = new AbortController()
          const { clock, alarms } = watchedClock()
          const { isComplete } = await runPhase(workspace, moment, () => whole.abort(), { signal: whole.signal, clock })
          expect([whole.signal.aborted, isComplete, alarms.size]).toEqual([true, false, 0])
          expect((await runPhase(workspace)).isComplete).toBe(true)
          expect(await leftBy(workspace)).toEqual(undisturbed)
        })
      })
    },
  ) // C61, C75

  it('with its whole process, by kill -9: a second run leaves the same', async () => {
    await inPlace(async (dir) => {
      expect(await killedAt(dir, 'a task is claimed')).toBe('SIGKILL')
      await inWorkspace(dir, async (workspace) => {
        expect((await runPhase(workspace)).isComplete).toBe(true)
        expect(await leftBy(workspace)).toEqual(undisturbed)
      })
    })
  }) // C75
})

async function inPlace(use: (dir: string) => Promise<void>): Promise<void> {
  const dir = realpathSync(mkdtempSync(join(tmpdir(), 'deskmates-organisation-')))
  writePhase(dir)
  try {
    await use(dir)
  } finally {
    rmSync(dir, { recursive: true, force: true })
  }
}

async function inWorkspace<T>(dir: string, use: (workspace: Workspace) => Promise<T>): Promise<T> {
  await using workspace = await openUnsyncedWorkspace(dir)
  return await use(workspace)
}

async function killedAt(dir: string, moment: string): Promise<unknown> {
  const child = fork(worker, [dir, moment], { stdio: ['ignore', 'ignore', 'pipe', 'ipc'], execArgv: [] })
  let stderr = ''
  child.stderr?.setEncoding('utf8').on('data', (text) => {
    stderr += text
  })
  const [code, signal] = await once(child, 'close')
  return signal ?? `ended with ${code}: ${stderr}`
}

/** The clock of the system, and the alarms that were set and neither rang nor were cancelled. */
function watchedClock() {
  const alarms = new Set<object>()
  const clock: AlarmClock = {
    now: () => systemClock.now(),
    in(seconds, ring) {
      const alarm = {}
      alarms.add(alarm)
      const cancel = systemClock.in(seconds, () => {
        alarms.delete(alarm)
        ring()
      })
      return () => {
        alarms.delete(alarm)
        cancel()
      }
    },
  }
  return { clock, alarms }
}
