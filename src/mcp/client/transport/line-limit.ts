/** A line that was too long: its size, and what is left of it. */
export interface LongLine {
  readonly bytes: number
  readonly head: string
  readonly tail: string
}

export interface LineLimit {
  add(bytes: Buffer): void
}

const NEWLINE = 0x0a
const KEPT_BYTES = 4096

/** Passes on whole lines of bounded length. Of a longer one only the beginning and the end are kept, whatever its length. */
export function createLineLimit(
  maxBytes: number,
  { onLine, onTooLong }: { onLine(line: Buffer): void; onTooLong(line: LongLine): void },
): LineLimit {
  let pieces: Buffer[] = []
  let size = 0
  let long: { head: Buffer; tail: Buffer } | undefined

  function piece(bytes: Buffer): void {
    size += bytes.length
    if (long) {
      long.tail = Buffer.concat([long.tail, bytes.subarray(-KEPT_BYTES)]).subarray(-KEPT_BYTES)
      return
    }
    pieces.push(bytes)
    if (size <= maxBytes) return
    const last = Buffer.concat(pieces.slice(-2))
    // Copied, so that the large pieces are not held by them.
    long = { head: Buffer.from(pieces[0]!.subarray(0, KEPT_BYTES)), tail: Buffer.from(last.subarray(-KEPT_BYTES)) }
    pieces = []
  }

  function end(): void {
    const [all, bytes, cut] = [pieces, size, long]
    pieces = []
    size = 0
    long = undefined
    if (cut) onTooLong({ bytes, head: cut.head.toString('latin1'), tail: cut.tail.toString('latin1') })
    else onLine(all.length === 1 ? all[0]! : Buffer.concat(all))
  }

  return {
    add(bytes) {
      for (let start = 0; start < bytes.length; ) {
        const at = bytes.indexOf(NEWLINE, start)
        const stop = at === -1 ? bytes.length : at + 1
        piece(bytes.subarray(start, stop))
        start = stop
        if (at !== -1) end()
      }
    },
  }
}
