import { execFileSync } from 'node:child_process'
import { readFileSync, readlinkSync, symlinkSync, unlinkSync } from 'node:fs'
import { hostname } from 'node:os'
import { setTimeout as pause } from 'node:timers/promises'

/**
 * Runs `work` in one process while others wait until it is `done`.
 *
 * The lock saves time; correctness does not depend on it: between finding a dead holder and removing its lock, another
 * process may have taken it, and then two work at once. No way of breaking stale locks avoids that. So `work` must be
 * correct when two processes do it: each works in its own folder and renames the complete result into place.
 *
 * The lock is a symbolic link whose target names its holder: created in one step, with its content, or not at all.
 */
export async function oneAtATime(lock, { done, work, onWait }) {
  const self = identify(process.pid)
  let isReported = false
  for (;;) {
    if (done()) return
    if (acquire(lock, self)) break
    const holder = holderOf(lock)
    if (holder === undefined) continue
    // A holder elsewhere (a container, a shared disk) cannot be seen: working beside it is harmless, waiting may never end.
    if (!isHere(holder) || isGone(holder)) {
      release(lock, holder)
      continue
    }
    if (!isReported) onWait(holder.split('_')[0])
    isReported = true
    await pause(100)
  }
  try {
    if (!done()) await work()
  } finally {
    release(lock, self)
  }
}

/** `pid_start_place`: the start time tells a process from a later one with its pid, the place from other machines. */
export function identify(pid) {
  return `${pid}_${startOf(pid)}_${place()}`
}

/** Whether a process named by `identify` runs, or ran, on this machine. */
export function isHere(identity) {
  return identity.split('_')[2] === place()
}

/** Whether a process of this machine has ended. */
export function isGone(identity) {
  const [pid, start] = identity.split('_')
  return startOf(pid) !== start
}

function acquire(lock, self) {
  try {
    symlinkSync(self, lock)
    return true
  } catch (error) {
    if (error.code === 'EEXIST') return false
    throw error
  }
}

function release(lock, holder) {
  if (holderOf(lock) !== holder) return
  try {
    unlinkSync(lock)
  } catch (error) {
    if (error.code !== 'ENOENT') throw error
  }
}

function holderOf(lock) {
  try {
    return readlinkSync(lock)
  } catch (error) {
    if (error.code === 'ENOENT') return undefined
    throw error
  }
}

/** When the process started, in whatever unit the system counts; empty when it has ended. */
function startOf(pid) {
  try {
    if (process.platform === 'linux') {
      const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
      const [state, ...fields] = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
      return state === 'Z' || state === 'X' ? '' : fields[18]
    }
    const [state, ...start] = execFileSync('ps', ['-o', 'state=,lstart=', '-p', String(pid)], { encoding: 'utf8' })
      .trim()
      .split(/\s+/)
    return state.startsWith('Z') ? '' : start.join('-')
  } catch {
    return ''
  }
}

/** This machine and, inside a container, this container: where a pid means the same process. */
function place() {
  let namespace = ''
  if (process.platform === 'linux') {
    try {
      namespace = readlinkSync('/proc/self/ns/pid')
    } catch {
      // Without /proc the host name has to do.
    }
  }
  return `${hostname()}${namespace}`.replace(/[^A-Za-z0-9.-]/g, '')
}
