/**
 * Which files a task reserves while it is claimed. A pattern is relative to the workspace root and covers itself and
 * everything below it, so `src/api`, `src/api/` and `src/api/**` mean the same. `*`, `?`, `[…]`, `{…}` and `**` are
 * understood generously: where two globs might meet they are taken to overlap, because a claim too few costs a
 * moment and a claim too many costs work.
 */
export function normalisePattern(pattern: string): string | undefined {
  if (pattern.trim() === '' || pattern.startsWith('/') || pattern.includes('\0')) return undefined
  const parts: string[] = []
  for (const part of pattern.normalize('NFC').trim().split('/')) {
    if (part === '' || part === '.') continue
    if (part !== '..') parts.push(part)
    else if (parts.pop() === undefined) return undefined
  }
  const path = parts.join('/')
  if (path === '') return '.'
  return pattern.endsWith('/') ? `${path}/` : path
}

/** The first pair that overlaps, if any. Both lists hold normalised patterns. */
export function firstOverlap(ours: readonly string[], theirs: readonly string[]): [string, string] | undefined {
  for (const a of ours) for (const b of theirs) if (overlaps(a, b)) return [a, b]
  return undefined
}

function overlaps(a: string, b: string): boolean {
  return meet(segments(a), 0, segments(b), 0)
}

const known = new Map<string, readonly string[]>()

function segments(pattern: string): readonly string[] {
  const cached = known.get(pattern)
  if (cached) return cached
  // Names are compared without case: on many disks README and readme are one file.
  const parts = withoutSpanningBraces(pattern.toLowerCase())
    .split('/')
    .filter((part) => part !== '' && part !== '.')
  if (parts.at(-1) !== '**') parts.push('**')
  if (known.size > 20_000) known.clear()
  known.set(pattern, parts)
  return parts
}

/** `src/{a/b,c}/x` cannot be cut at its slashes; from the brace on it covers everything. */
function withoutSpanningBraces(pattern: string): string {
  const brace = /\{[^}]*\//.exec(pattern)
  if (!brace) return pattern
  const head = pattern.slice(0, brace.index)
  return `${head.slice(0, head.lastIndexOf('/') + 1)}**`
}

/** `seen` holds pairs that led nowhere, so that many `**` cost a product of lengths and not a power. */
function meet(a: readonly string[], i: number, b: readonly string[], j: number, seen = new Set<number>()): boolean {
  const left = a[i]
  const right = b[j]
  if (left === undefined || right === undefined) return allOpen(a, i) && allOpen(b, j)
  const pair = i * (b.length + 1) + j
  if (seen.has(pair)) return false
  seen.add(pair)
  if (left === '**' || right === '**') return meet(a, i + 1, b, j, seen) || meet(a, i, b, j + 1, seen)
  return segmentsMeet(left, right) && meet(a, i + 1, b, j + 1, seen)
}

function allOpen(parts: readonly string[], from: number): boolean {
  for (let i = from; i < parts.length; i++) if (parts[i] !== '**') return false
  return true
}

/** What stands for more than itself in one segment: `@(a|b)`, `*`, `?`, `[ab]`, `{a,b}`. */
const WILD = /[@+!?*]\([^)]*\)|\*+|\?|\[[^\]]*\]|\{[^}]*\}/g

function segmentsMeet(a: string, b: string): boolean {
  if (a === b) return true
  const wildA = [...a.matchAll(WILD)]
  const wildB = [...b.matchAll(WILD)]
  if (wildA.length === 0 && wildB.length === 0) return false
  if (wildA.length === 0) return covers(b, wildB, a)
  if (wildB.length === 0) return covers(a, wildA, b)
  const [headA, tailA] = ends(a, wildA)
  const [headB, tailB] = ends(b, wildB)
  return (headA.startsWith(headB) || headB.startsWith(headA)) && (tailA.endsWith(tailB) || tailB.endsWith(tailA))
}

function ends(part: string, wild: readonly RegExpMatchArray[]): [head: string, tail: string] {
  const last = wild.at(-1)
  return [part.slice(0, wild[0]?.index), part.slice((last?.index ?? 0) + (last?.[0].length ?? 0))]
}

/** `[id]` stands for one character and, as in many web frameworks, for itself; groups stand for anything. */
function covers(glob: string, wild: readonly RegExpMatchArray[], text: string): boolean {
  let source = ''
  let at = 0
  for (const match of wild) {
    source += literal(glob.slice(at, match.index))
    const sign = match[0]
    source += sign === '?' ? '.' : sign.startsWith('[') ? `(?:${literal(sign)}|.)` : '.*'
    at = (match.index ?? 0) + sign.length
  }
  return new RegExp(`^${source}${literal(glob.slice(at))}$`, 's').test(text)
}

function literal(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\/-]/g, '\\$&')
}
