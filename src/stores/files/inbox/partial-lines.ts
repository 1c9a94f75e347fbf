import { orUndefined } from '../disk.ts'

/** One line of another program at its place in an archive; `value` is undefined if it is not JSON. */
export interface Found {
  readonly offset: number
  readonly end: number
  readonly bytes: Buffer
  readonly value: unknown
}

export interface PartialLines {
  /** Adds the next line without its newline; `end` is where the next one begins. Returns the lines that are complete now. */
  add(bytes: Buffer, offset: number, end: number): Found[]
  /** Beginnings of lines whose rest is missing, oldest first. */
  unfinished(): readonly Found[]
}

/**
 * Joins lines that were written in parts while other programs wrote in between. A slow writer leaves
 *
 *     {"from":"ci","content":"bui          beginning of a line
 *     {"id":"01J…","type":"message", …}    a line of a program that writes a newline first, as we do
 *     ld is {"from":"cron","content":"x"}  the middle, followed by a line of a program that does not
 *     red"}                                the end
 *
 * A complete line is returned as it is. The result depends on the bytes alone, so two readers agree, and a complete line
 * never waits for an incomplete one.
 */
export function createPartialLines(): PartialLines {
  const beginnings: { found: Found; tries: number }[] = []

  function add(bytes: Buffer, offset: number, end: number): Found[] {
    if (isBlank(bytes)) return space(bytes, end)
    const value = parse(bytes)
    if (hasContent(value)) {
      const start = bytes.findIndex((byte) => byte !== 0x20)
      space(bytes.subarray(0, start), offset + start)
      return [{ offset, end, bytes, value }]
    }
    const whole = finish(bytes, end)
    if (whole) return [whole]
    const cut = lineBehind(bytes)
    if (cut) {
      const behind = bytes.subarray(cut.at)
      return [
        ...add(bytes.subarray(0, cut.at), offset, offset + cut.at),
        { offset: offset + cut.at, end, bytes: behind, value: cut.value },
      ]
    }
    if (extend(bytes, end, (_, joined) => isUnfinished(joined))) return []
    const found = { offset, end, bytes, value }
    if (value === undefined && bytes.length <= MAX_JOINED_BYTES && isUnfinished(text(bytes))) return begin(found)
    for (const beginning of beginnings) beginning.tries++
    return [found]
  }

  /** Spaces inside an unfinished text belong to it; any others are dropped. */
  function space(bytes: Buffer, end: number): [] {
    if (bytes.length > 0 && bytes.every((byte) => byte === 0x20)) extend(bytes, end, endsInText)
    return []
  }

  /** Completes the newest beginning that fits these bytes. */
  function finish(bytes: Buffer, end: number): Found | undefined {
    for (let i = beginnings.length - 1; i >= 0; i--) {
      const joined = join(i, bytes)
      const value = joined && parse(joined)
      if (!joined || value === undefined) continue
      const [beginning] = beginnings.splice(i, 1)
      return beginning && { offset: beginning.found.offset, end, bytes: joined, value }
    }
    return undefined
  }

  /** Extends the newest beginning that these bytes continue without completing it, as `fits` decides. */
  function extend(bytes: Buffer, end: number, fits: (beginning: string, joined: string) => boolean): boolean {
    for (let i = beginnings.length - 1; i >= 0; i--) {
      const joined = join(i, bytes)
      const beginning = beginnings[i]
      if (!joined || !beginning || !fits(text(beginning.found.bytes), text(joined))) continue
      beginnings[i] = { found: { ...beginning.found, end, bytes: joined }, tries: 0 }
      return true
    }
    return false
  }

  function join(i: number, bytes: Buffer): Buffer | undefined {
    const beginning = beginnings[i]
    if (!beginning || beginning.tries >= MAX_TRIES || beginning.found.bytes.length + bytes.length > MAX_JOINED_BYTES)
      return undefined
    return Buffer.concat([beginning.found.bytes, bytes])
  }

  /** Drops the oldest beginning when there are too many, and returns it with this end: lines are returned in the order of their ends. */
  function begin(found: Found): Found[] {
    beginnings.push({ found, tries: 0 })
    const given = beginnings.length > MAX_BEGINNINGS ? beginnings.shift() : undefined
    return given ? [{ ...given.found, end: found.end }] : []
  }

  return { add, unfinished: () => beginnings.map(({ found }) => found) }
}

/** Limits against a program that writes garbage on purpose. */
const MAX_JOINED_BYTES = 2 * 1024 * 1024
const MAX_BEGINNINGS = 8
const MAX_TRIES = 64
const MAX_CUTS = 16

/** A complete message at the end of a line that is not JSON: its writer did not write a newline first. */
function lineBehind(bytes: Buffer): { at: number; value: unknown } | undefined {
  if (bytes.length > MAX_JOINED_BYTES) return undefined
  let at = bytes.length
  for (let cuts = 0; cuts < MAX_CUTS && at > 0; cuts++) {
    at = bytes.lastIndexOf('{"', at - 1)
    if (at <= 0) return undefined
    const value = parse(bytes.subarray(at))
    if (isMessageLike(value)) return { at, value }
  }
  return undefined
}

/** Not any object: a line may also have been cut behind an object that is part of it. */
function isMessageLike(value: unknown): boolean {
  return hasContent(value) && ('from' in value || 'sender' in value)
}

/** Other JSON (a number, a name, an inner object) cannot be delivered, so it may be the middle of a line. */
function hasContent(value: unknown): value is object {
  return typeof value === 'object' && value !== null && ('content' in value || 'text' in value || 'message' in value)
}

/** Whether a JSON string is still open at the end. */
function endsInText(start: string): boolean {
  let inString = false
  for (let i = 0; i < start.length; i++) {
    if (inString && start[i] === '\\') i++
    else if (start[i] === '"') inString = !inString
  }
  return inString
}

/** Whether more text could make this a JSON object: closes what is open and tries the parser. */
export function isUnfinished(start: string): boolean {
  const closers: string[] = []
  let inString = false
  let escapedAt = 0
  for (let i = 0; i < start.length; i++) {
    const char = start[i]
    if (inString && char === '\\') escapedAt = i++
    else if (char === '"') inString = !inString
    else if (inString) continue
    else if (char === '{') closers.push('}')
    else if (char === '[') closers.push(']')
    else if ((char === '}' || char === ']') && closers.pop() !== char) return false
  }
  if (closers[0] !== '}') return false
  const body = inString ? `${withoutHalfEscape(start, escapedAt)}"` : withoutHalfWord(start)
  const end = closers.reverse().join('')
  return ['', ':0', '0', '"":0'].some((missing) => parse(Buffer.from(body + missing + end)) !== undefined)
}

function withoutHalfEscape(text: string, escapedAt: number): string {
  return /^\\(?:u[0-9a-fA-F]{0,3})?$/.test(text.slice(escapedAt)) ? text.slice(0, escapedAt) : text
}

/** Removes an incomplete number, `true`, `false` or `null` from the end. Without a regex over all of it, which a hostile text could slow down. */
function withoutHalfWord(text: string): string {
  let at = text.length
  while (at > 0 && /[a-z0-9.+E-]/.test(text[at - 1] ?? '')) at--
  const word = text.slice(at)
  const isWord =
    /^-?(?:\d[\d.eE+-]*)?$/.test(word) || ['true', 'false', 'null'].some((literal) => literal.startsWith(word))
  const before = text.slice(0, at).trimEnd()
  return isWord && /[:[,]$/.test(before) ? before : text
}

/** Undefined if it is not JSON. A leading byte order mark is ignored. */
function parse(bytes: Buffer): unknown {
  return orUndefined(() => JSON.parse(text(bytes)))
}

function text(bytes: Buffer): string {
  const decoded = bytes.toString('utf8')
  return decoded.startsWith('\uFEFF') ? decoded.slice(1) : decoded
}

function isBlank(bytes: Buffer): boolean {
  return bytes.every((byte) => byte === 0x20 || byte === 0x0d || byte === 0x09 || byte === 0x0a)
}
