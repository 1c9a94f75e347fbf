/** JSON with comments and trailing commas, and the position of every value in the text. */
export interface Jsonc {
  readonly value: unknown
  /** The offset of the key at the end of this path, or of the value if it has no key, in characters from 0. */
  offsetOf(path: readonly PropertyKey[]): number
  /** The offset behind the value at the end of this path. */
  endOf(path: readonly PropertyKey[]): number
}

export class NotJsonc extends Error {
  readonly offset: number
  constructor(what: string, offset: number) {
    super(what)
    this.offset = offset
  }
}

/** Without a limit a file could overflow the stack. */
const MAX_DEPTH = 100

export function parseJsonc(text: string): Jsonc {
  const offsets = new Map<string, number>()
  const ends = new Map<string, number>()
  let at = text.startsWith('\ufeff') ? 1 : 0
  const value = read([])
  skip()
  if (at < text.length) fail('there is text behind its end')
  const lookup = (map: ReadonlyMap<string, number>) => (path: readonly PropertyKey[]) =>
    map.get(JSON.stringify(path)) ?? 0
  return { value, offsetOf: lookup(offsets), endOf: lookup(ends) }

  function read(path: PropertyKey[]): unknown {
    const value = readValue(path)
    ends.set(JSON.stringify(path), at)
    return value
  }

  function readValue(path: PropertyKey[]): unknown {
    skip()
    if (!offsets.has(JSON.stringify(path))) offsets.set(JSON.stringify(path), at)
    if (path.length > MAX_DEPTH) fail('it is nested too deeply')
    if (text[at] === '{') return readObject(path)
    if (text[at] === '[') return readList(path)
    if (text[at] === '"') return readToken(STRING, 'a string without an end')
    return readToken(WORD, at < text.length ? 'a value is missing' : 'it ends too early')
  }

  function readObject(path: PropertyKey[]): object {
    const entries: [string, unknown][] = []
    readItems('}', () => {
      const begin = at
      if (text[at] !== '"') fail('a key in double quotes is missing')
      const key = readToken(STRING, 'a string without an end') as string
      offsets.set(JSON.stringify([...path, key]), begin)
      skip()
      if (text[at] !== ':') fail('a : is missing')
      at++
      entries.push([key, read([...path, key])])
    })
    // Not by assignment: a file could set `__proto__`.
    return Object.fromEntries(entries)
  }

  function readList(path: PropertyKey[]): unknown[] {
    const items: unknown[] = []
    readItems(']', () => void items.push(read([...path, items.length])))
    return items
  }

  function readItems(end: string, readItem: () => void): void {
    at++
    for (skip(); text[at] !== end; skip()) {
      readItem()
      skip()
      if (text[at] === end) break
      if (text[at] !== ',') fail(at < text.length ? `a , or ${end} is missing` : 'it ends too early')
      at++
    }
    at++
  }

  function readToken(pattern: RegExp, missing: string): unknown {
    pattern.lastIndex = at
    const token = pattern.exec(text)?.[0] ?? fail(missing)
    try {
      const value: unknown = JSON.parse(token)
      at += token.length
      return value
    } catch {
      return fail(`${token.slice(0, 40)} is not a value`)
    }
  }

  function skip(): void {
    SPACE.lastIndex = at
    at += SPACE.exec(text)?.[0].length ?? 0
    if (text.startsWith('/*', at)) fail('a comment without an end')
  }

  function fail(what: string): never {
    throw new NotJsonc(what, at)
  }
}

const SPACE = /(?:\s+|\/\/[^\n]*|\/\*[\s\S]*?\*\/)*/y
const STRING = /"(?:[^"\\\n]|\\.)*"/y
const WORD = /[\w.+-]+/y
