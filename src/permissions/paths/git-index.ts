/** The kind of an entry that stands for another repository. */
const GITLINK = 0o160000

/**
 * The paths of the repositories that an index holds as submodules: git goes into them when it is asked for the state of
 * the whole. Undefined if the index cannot be read.
 */
export function gitlinksIn(index: Buffer, hashBytes: 20 | 32 = 20): readonly string[] | undefined {
  return readIndex(index, hashBytes)?.links
}

export interface IndexLinks {
  readonly links: readonly string[]
  /** No entries are kept in another file or stand for whole folders. */
  readonly isWhole: boolean
}

export function readIndex(index: Buffer, hashBytes: 20 | 32 = 20): IndexLinks | undefined {
  if (index.length < 12 || index.toString('latin1', 0, 4) !== 'DIRC') return undefined
  const version = index.readUInt32BE(4)
  if (version < 2 || version > 4) return undefined
  const links: string[] = []
  let at = 12
  let before = Buffer.alloc(0)
  for (let left = index.readUInt32BE(8); left > 0; left--) {
    const start = at
    if (start + 42 + hashBytes > index.length) return undefined
    const mode = index.readUInt32BE(start + 24)
    const flags = index.readUInt16BE(start + 40 + hashBytes)
    at = start + 42 + hashBytes + (flags & 0x4000 ? 2 : 0)
    let kept = 0
    if (version === 4) {
      const cut = varint(index, at)
      if (cut === undefined || cut.value > before.length) return undefined
      kept = before.length - cut.value
      at = cut.end
    }
    const end = index.indexOf(0, at)
    if (end === -1) return undefined
    const name = Buffer.concat([before.subarray(0, kept), index.subarray(at, end)])
    // An index of the other hash, or one that git would read otherwise: it takes the length from here.
    if ((flags & 0xfff) !== Math.min(name.length, 0xfff)) return undefined
    if ((mode & 0o170000) === GITLINK) links.push(name.toString('utf8'))
    before = name
    at = version === 4 ? end + 1 : start + (Math.floor((end - start) / 8) + 1) * 8
  }
  return { links, isWhole: isWholeFrom(index, at, hashBytes) }
}

/** Behind the entries stand extensions: `link` names a shared index, `sdir` says that entries may be folders. */
function isWholeFrom(index: Buffer, from: number, hashBytes: number): boolean {
  for (let at = from; at + 8 <= index.length - hashBytes; at += 8 + index.readUInt32BE(at + 4))
    if (/^(link|sdir)$/.test(index.toString('latin1', at, at + 4))) return false
  return true
}

/** A number as git packs it in the fourth version of its index. */
function varint(bytes: Buffer, from: number): { value: number; end: number } | undefined {
  let value = 0
  for (let at = from; at < bytes.length && at < from + 8; at++) {
    const byte = bytes[at]!
    value = at === from ? byte & 0x7f : (value + 1) * 128 + (byte & 0x7f)
    if ((byte & 0x80) === 0) return { value, end: at + 1 }
  }
  return undefined
}
