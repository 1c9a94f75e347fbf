import { closeSync, constants, fstatSync, ftruncateSync, readSync, writeSync } from 'node:fs'
import { PathRefused } from '../../permissions/paths/refused.ts'
import { openAt, type Spot } from '../../permissions/paths/spot.ts'

/** Larger files cannot be read as a whole, which an edit needs. */
export const MAX_WHOLE_BYTES = 16 * 1024 * 1024

/** All of an open file. It may grow while it is read, up to the limit. */
export function readWhole(fd: number, shown: string): Buffer {
  const { size } = fstatSync(fd)
  const parts: Buffer[] = []
  let total = 0
  for (;;) {
    if (total > MAX_WHOLE_BYTES || size > MAX_WHOLE_BYTES)
      throw new PathRefused(`${shown} has ${Math.max(size, total)} bytes, too many for this tool. Use bash.`)
    const part = Buffer.allocUnsafe(Math.max(4096, size - total + 1))
    const read = readSync(fd, part, 0, part.length, total)
    if (read === 0) return Buffer.concat(parts)
    parts.push(part.subarray(0, read))
    total += read
  }
}

/** The text of the file at this spot. */
export function readText(spot: Spot, shown: string): string {
  const fd = openAt(spot, constants.O_RDONLY)
  try {
    return readWhole(fd, shown).toString('utf8')
  } finally {
    closeSync(fd)
  }
}

/** Puts `content` in place of `old`, which is put back if that fails half way (a full disk). */
export function replaceContent(fd: number, content: Uint8Array, old: Uint8Array): void {
  try {
    put(fd, content)
  } catch (error) {
    put(fd, old)
    throw error
  }
}

function put(fd: number, content: Uint8Array): void {
  for (let at = 0; at < content.length; ) at += writeSync(fd, content, at, content.length - at, at)
  ftruncateSync(fd, content.length)
}
