import { readdirSync, unlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { AlarmClock } from '../../journal/clock.ts'
import { look, thisRuntime } from '../../stores/identity.ts'
import { TeamError } from '../../team/errors.ts'

/** Another process has been loading plans of the same folder for longer than that takes. */
export class PlansBusy extends TeamError {
  readonly code = 'plans_busy'
}

const LONGEST_WAIT_S = 10
const MAX_PAUSE_S = 0.1
const MARK = /^\.plan-load-(r-[0-9a-fx-]+)-\d+\.lock$/

let made = 0
const turns = new Map<string, Promise<unknown>>()

/**
 * Does `work` while no other process loads plans of this folder. Every process leaves a mark of its own and looks for
 * those of others afterwards: of two at least one sees the other and steps back. A mark carries the process that made it,
 * so one that was left by a crash counts no more, and removing it cannot remove another.
 */
export async function inTurn<T>(folder: string, clock: AlarmClock, work: () => Promise<T>): Promise<T> {
  const before = turns.get(folder) ?? Promise.resolve()
  const own = before.catch(() => {}).then(() => alone(folder, clock, work))
  turns.set(folder, own)
  try {
    return await own
  } finally {
    if (turns.get(folder) === own) turns.delete(folder)
  }
}

async function alone<T>(folder: string, clock: AlarmClock, work: () => Promise<T>): Promise<T> {
  const path = join(folder, `.plan-load-${thisRuntime()}-${made++}.lock`)
  const until = clock.now() + LONGEST_WAIT_S
  for (;;) {
    // A folder that cannot be written to gets no summary either, so it has no second writer.
    if (!mark(path)) return work()
    try {
      const other = otherMark(folder, path)
      if (other === undefined) return await work()
      if (clock.now() >= until)
        throw new PlansBusy(
          `Another process is loading plans of ${folder}. Try again when it is done; if there is none, remove ${other}.`,
        )
    } finally {
      remove(path)
    }
    await new Promise<void>((resume) => void clock.in(Math.random() * MAX_PAUSE_S, resume))
  }
}

function mark(path: string): boolean {
  try {
    writeFileSync(path, '', { flag: 'wx' })
    return true
  } catch {
    return false
  }
}

function otherMark(folder: string, own: string): string | undefined {
  for (const name of readdirSync(folder)) {
    const path = join(folder, name)
    const runtime = MARK.exec(name)?.[1]
    if (runtime === undefined || path === own) continue
    if (look(runtime) !== 'dead') return path
    remove(path)
  }
  return undefined
}

function remove(path: string): void {
  try {
    unlinkSync(path)
  } catch {
    // Another process has removed the mark of a dead one first.
  }
}
