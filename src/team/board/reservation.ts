/**
 * Which files a task reserves while it is claimed. A pattern is relative to the workspace root and covers itself and
 * everything below it, so `src/api`, `src/api/` and `src/api/**` mean the same. `*`, `?`, `[…]`, `{…}` and `**` are
 * understood generously: where two globs might meet they are taken to overlap, because a claim too few costs a
 * moment and a claim too many costs work.
 */
export function normalisePattern(text: string): string | undefined {
  const pattern = text.normalize('NFC').trim()
  if (pattern === '' || pattern.startsWith('/') || pattern.includes('\0') || pattern.length > LONGEST) return undefined
  const parts: string[] = []
  for (const part of pattern.split('/')) {
    if (part === '' || part === '.') continue
    if (part !== '..') parts.push(part)
    // `**/..` is any folder too.
    else if (parts.at(-1) !== '**' && parts.pop() === undefined) return undefined
  }
  const path = parts.join('/')
  if (path === '') return '.'
  return pattern.endsWith('/') ? `${path}/` : path
}

/** No path on disk is longer. */
const LONGEST = 4096

/** The first pair that overlaps, if any. Both lists hold normalised patterns. */
export function firstOverlap(ours: readonly string[], theirs: readonly string[]): [string, string] | undefined {
  for (const a of ours) for (const b of theirs) if (overlaps(a, b)) return [a, b]
  return undefined
}

/** Does one of these patterns reserve this file? Of a file the name is just its name, whatever signs are in it. */
export function reservesFile(patterns: readonly string[], path: string): boolean {
  const file = path.normalize('NFC')
  const isPlain = !/[*?[{(]/.test(file)
  return patterns.some((pattern) => {
    const folder = pattern.replace(/(\/|\/\*\*)$/, '')
    if (pattern === '.' || pattern === '**' || file === folder || file.startsWith(`${folder}/`)) return true
    const least = understood(pattern).segments.filter((segment) => segment !== '**').length
    return isPlain && file.split('/').length >= least && overlaps(file, pattern)
  })
}

/** The same pairs are asked about at every claim, so what was worked out once is kept. */
function overlaps(a: string, b: string): boolean {
  const ours = understood(a)
  const theirs = understood(b)
  if (areApart(ours, theirs)) return false
  const known = ours.meets.get(b)
  if (known !== undefined) return known
  const answer = meet(ours.segments, 0, theirs.segments, 0)
  ours.meets.set(b, answer)
  if (++pairs > MOST_PAIRS) {
    patterns.clear()
    pairs = 0
  }
  return answer
}

/** Most patterns part ways in a folder that both name plainly, which is seen without weighing their wild segments. */
function areApart(a: Pattern, b: Pattern): boolean {
  const plain = Math.min(a.plain, b.plain)
  for (let i = 0; i < plain; i++) if (a.segments[i] !== b.segments[i]) return true
  return false
}

interface Pattern {
  readonly segments: readonly string[]
  /** How many segments stand for nothing but themselves before the first that may stand for more. */
  readonly plain: number
  readonly meets: Map<string, boolean>
}

const MOST_PAIRS = 100_000
const patterns = new Map<string, Pattern>()
let pairs = 0

function understood(pattern: string): Pattern {
  const known = patterns.get(pattern)
  if (known) return known
  // Names are compared without case: on many disks README and readme are one file.
  const segments = withoutGroups(pattern.toLowerCase())
    .split('/')
    .filter((part) => part !== '' && part !== '.')
  if (segments.at(-1) !== '**') segments.push('**')
  const plain = segments.findIndex((segment) => MAY_BE_WILD.test(segment))
  const made = { segments, plain, meets: new Map<string, boolean>() }
  patterns.set(pattern, made)
  return made
}

/** `{a,b}` and `@(a|b)`, nested or not, stand for anything in their segment; with a slash in it, for anything below. */
function withoutGroups(pattern: string): string {
  let plain = ''
  for (let i = 0; i < pattern.length; i++) {
    const end = endOfGroup(pattern, i)
    if (end === undefined) plain += pattern[i]
    else if (pattern.slice(i, end).includes('/')) return `${plain.slice(0, plain.lastIndexOf('/') + 1)}**`
    else {
      plain += '*'
      i = end - 1
    }
  }
  return plain
}

function endOfGroup(pattern: string, start: number): number | undefined {
  if (pattern[start] !== '{' && !/^[@+!?*]\(/.test(pattern.slice(start, start + 2))) return undefined
  let depth = 0
  for (let i = start; i < pattern.length; i++) {
    if (pattern[i] === '{' || pattern[i] === '(') depth++
    if ((pattern[i] === '}' || pattern[i] === ')') && --depth === 0) return i + 1
  }
  return undefined
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

const MAY_BE_WILD = /[*?[]/

/** What stands for more than itself in one segment: `*`, `?`, `[ab]`. */
const WILD = /\*+|\?|\[[^\]]*\]/g

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

/**
 * `[id]` stands for one character and, as in many web frameworks, for itself. Steps through all places the text can be
 * matched up to at once: a regular expression of many stars takes longer than the universe.
 */
function covers(glob: string, wild: readonly RegExpMatchArray[], text: string): boolean {
  let places = new Set([0])
  let at = 0
  const step = (from: (place: number) => number[]) => {
    places = new Set([...places].flatMap(from))
  }
  const literal = (part: string) => step((place) => (text.startsWith(part, place) ? [place + part.length] : []))
  for (const match of wild) {
    literal(glob.slice(at, match.index))
    const sign = match[0]
    if (sign.startsWith('*')) places = from(Math.min(...places), text.length)
    else {
      const next = (place: number) => (place < text.length ? [place + 1] : [])
      step((place) => [...next(place), ...(text.startsWith(sign, place) ? [place + sign.length] : [])])
    }
    at = (match.index ?? 0) + sign.length
  }
  literal(glob.slice(at))
  return places.has(text.length)
}

function from(first: number, last: number): Set<number> {
  const places = new Set<number>()
  for (let place = first; place <= last; place++) places.add(place)
  return places
}
