import { execFileSync } from 'node:child_process'
import { readFileSync, readlinkSync, symlinkSync, unlinkSync } from 'node:fs'
import { hostname } from 'node:os'
import { setTimeout as pause } from 'node:timers/promises'

/**
 * Lets one process do `work` while others wait until it is `done`.
 *
 * This is a courtesy, not a lock to build on: between finding a dead holder and removing its sign, another process
 * may have put up its own, and then two work at once. No scheme of breaking stale locks avoids that. So `work` must
 * be right when two do it: each works in a folder of its own and puts the whole result in place with one rename.
 *
 * The sign is a symbolic link whose target names its holder: made in one step, with its content, or not at all.
 */
export async function inTurn(sign, { done, work, onWait }) {
  const self = identify(process.pid)
  let said = false
  for (;;) {
    if (done()) return
    if (raise(sign, self)) break
    const holder = holderOf(sign)
    if (holder === undefined) continue
    // One elsewhere (a container, a shared disk) cannot be seen: working beside it is harmless, waiting may be for ever.
    if (!isHere(holder) || isGone(holder)) {
      lower(sign, holder)
      continue
    }
    if (!said) onWait(holder.split('_')[0])
    said = true
    await pause(100)
  }
  try {
    if (!done()) await work()
  } finally {
    lower(sign, self)
  }
}

/** `pid_start_place`: the start time tells a process from a later one with its pid, the place from other machines. */
export function identify(pid) {
  return `${pid}_${startOf(pid)}_${place()}`
}

/** Whether a process named by `identify` runs, or ran, where we can see it. */
export function isHere(identity) {
  return identity.split('_')[2] === place()
}

/** Whether a process that is here has ended. */
export function isGone(identity) {
  const [pid, start] = identity.split('_')
  return startOf(pid) !== start
}

function raise(sign, self) {
  try {
    symlinkSync(self, sign)
    return true
  } catch (error) {
    if (error.code === 'EEXIST') return false
    throw error
  }
}

function lower(sign, holder) {
  if (holderOf(sign) !== holder) return
  try {
    unlinkSync(sign)
  } catch (error) {
    if (error.code !== 'ENOENT') throw error
  }
}

function holderOf(sign) {
  try {
    return readlinkSync(sign)
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
