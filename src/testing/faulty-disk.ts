import { type Disk, realDisk } from '../stores/files/disk.ts'

/** The simulated process is dead: this call and all later ones have no effect. */
export class CrashError extends Error {
  override readonly name = 'CrashError'
}

export type FaultKind =
  /** Half of the bytes are written. */
  | 'short write'
  | 'ENOSPC'
  | 'EACCES'
  | 'EIO before'
  /** The call took effect and then failed. */
  | 'EIO after'

export interface DiskPlan {
  /** The process crashes after this many calls took effect. */
  readonly crashAfter?: number
  /** The call with this number (from 0) fails in this way. */
  readonly fail?: { readonly at: number; readonly how: FaultKind }
}

export interface RecordingDisk extends Disk {
  /** The names of all calls so far, in order. */
  readonly calls: readonly string[]
}

/** Calls that return a promise. */
const PROMISED = new Set(['fsync', 'fdatasync'])
/** Watching is only a hint, so it is neither counted nor made to fail. */
const UNCOUNTED = new Set(['watch'])

/** A disk that records every call, and crashes after a call or makes one fail. Pass it to `openFileStore`. */
export function recordingDisk(plan: DiskPlan = {}, inner: Disk = realDisk): RecordingDisk {
  const calls: string[] = []

  function around(name: string, call: (...args: never[]) => unknown) {
    return (...args: never[]): unknown => {
      if (calls.length >= (plan.crashAfter ?? Number.POSITIVE_INFINITY)) throw new CrashError(`dead before ${name}`)
      const at = calls.push(name) - 1
      return plan.fail?.at === at ? failing(plan.fail.how, name, call, args) : call(...args)
    }
  }

  const counted = Object.fromEntries(
    Object.entries(inner).map(([name, call]) => [name, UNCOUNTED.has(name) ? call : around(name, call)]),
  )
  return Object.assign(counted as unknown as Disk, { calls })
}

function failing(how: FaultKind, name: string, call: (...args: never[]) => unknown, args: never[]): unknown {
  if (how === 'short write') return name === 'writeSync' ? call(...halfOf(args)) : call(...args)
  const code = how.split(' ')[0]!
  const error = Object.assign(new Error(`${code}: injected, ${name}`), { code })
  if (how !== 'EIO after') return PROMISED.has(name) ? Promise.reject(error) : raise(error)
  const done = call(...args)
  return done instanceof Promise ? done.then(() => raise(error)) : raise(error)
}

function halfOf([fd, bytes]: unknown[]): never[] {
  const all = bytes as Uint8Array
  return [fd, all.subarray(0, all.length >> 1)] as never[]
}

function raise(error: Error): never {
  throw error
}
