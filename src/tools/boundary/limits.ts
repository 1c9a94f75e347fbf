import { readdirSync, statSync } from 'node:fs'
import { release, totalmem } from 'node:os'
import type { ResourceLimits } from '../tool.ts'

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
  return readdirSync('/proc').filter((name) => /^\d+$/.test(name) && ownerOf(`/proc/${name}`) === uid).length
}

function ownerOf(path: string): number | undefined {
  try {
    return statSync(path).uid
  } catch {
    return undefined
  }
}
