import { constants } from 'node:fs'
import { join } from 'node:path'
import type { Disk } from '../disk.ts'
import type { Rejected } from './incoming-lines.ts'

/** Writes lines that could not be delivered to `<name>.rejected.jsonl`, with the reason. */
export function createRejectedLines(
  inbox: string,
  disk: Disk,
  warn: (message: string) => void,
): (events: readonly Rejected[]) => void {
  const kept = new Set<string>()

  return (events) => {
    for (const to of new Set(events.map((event) => event.to))) {
      const path = join(inbox, `${to}.rejected.jsonl`)
      const fresh = events.filter((event) => event.to === to && !kept.has(placeOf(event)))
      if (fresh.length > 0) keep(path, fresh)
    }
  }

  function keep(path: string, events: readonly Rejected[]): void {
    const fd = disk.openSync(
      path,
      constants.O_RDWR | constants.O_APPEND | constants.O_CREAT | constants.O_NOFOLLOW,
      0o600,
    )
    try {
      // Two processes may read the same lines; both learn it from the journal, and only one should write them.
      const tail = readTail(disk, fd)
      const fresh = events.filter((event) => !tail.includes(placeOf(event)))
      if (fresh.length > 0) disk.writeSync(fd, Buffer.from(fresh.map((event) => `\n${lineOf(event)}\n`).join('')))
      for (const event of events) kept.add(placeOf(event))
      if (fresh.length > 0) warn(`${count(fresh.length)} not delivered (${fresh[0]?.reason}). Kept in ${path}.`)
    } finally {
      disk.closeSync(fd)
    }
  }
}

const TAIL_BYTES = 64 * 1024

function lineOf({ reason, line, archive, offset }: Rejected): string {
  return JSON.stringify({ reason, line, archive, offset })
}

function placeOf({ archive, offset }: Rejected): string {
  return `${JSON.stringify({ archive, offset }).slice(1)}\n`
}

function readTail(disk: Disk, fd: number): string {
  const { size } = disk.fstatSync(fd)
  const tail = Buffer.alloc(Math.min(TAIL_BYTES, size))
  const length = disk.readSync(fd, tail, 0, tail.length, size - tail.length)
  return tail.toString('utf8', 0, length)
}

function count(lines: number): string {
  return lines === 1 ? 'A line of an inbox file was' : `${lines} lines of an inbox file were`
}
