import { readdirSync } from 'node:fs'
import { release, totalmem } from 'node:os'
import { statusOf } from '../paths/safe-reads.ts'

/** What a command may use. */
export interface ResourceLimits {
  /** Processes and threads of one command. */
  readonly processes: number
  /** Bytes of data of one process. */
  readonly memory: number
  /** Bytes of one file. */
  readonly fileSize: number
}

/**
 * Enough for builds and tests, too little to stop the machine: a fork bomb ends at so many processes and threads, a
 * process without end at three quarters of the memory, a file without end at 16 GB.
 */
export function resourceLimits(wanted: Partial<ResourceLimits> = {}): ResourceLimits {
  const { processes = 4096, memory = Math.floor(totalmem() * 0.75), fileSize = 16 * 2 ** 30 } = wanted
  return { processes: processes + countedAnyway(), memory, fileSize }
}

/** Before Linux 5.14 the kernel counted all processes of the user, not only those in the sandbox. */
function countedAnyway(): number {
  const [major = 0, minor = 0] = release().split('.').map(Number)
  if (process.platform !== 'linux' || major > 5 || (major === 5 && minor >= 14)) return 0
  const uid = process.getuid?.()
  return readdirSync('/proc').filter((name) => /^\d+$/.test(name) && statusOf(`/proc/${name}`)?.uid === uid).length
}

/** Lines for a POSIX shell. A limit that is already lower stays. `-u` is `-p` for some shells. */
export function limitLines({ processes, memory, fileSize }: ResourceLimits): string {
  return [
    'ulimit -c 0',
    `ulimit -u ${processes} || ulimit -p ${processes}`,
    `ulimit -d ${Math.ceil(memory / 1024)}`,
    `ulimit -f ${Math.ceil(fileSize / 512)}`,
  ]
    .map((line) => `{ ${line}; } 2>/dev/null`)
    .join('\n')
}
