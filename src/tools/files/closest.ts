import { beginning } from '../../team/wording.ts'

/** The result is only a hint, so long files are not compared to the end. */
const MAX_LINES_COMPARED = 20_000

/** Describes where `text` has something like `wanted`: most misses differ in white space or in one line. */
export function closest(text: string, wanted: string): string {
  const lines = text.split('\n', MAX_LINES_COMPARED)
  const sought = wanted.split('\n').map(bare)
  const longest = sought.reduce((best, line, i) => (line.length > sought[best]!.length ? i : best), 0)
  if (sought[longest] === '') return 'old_text is only white space; include some of the text around it.'

  const words = wordsOf(sought[longest]!)
  const likeness = lines.map((line) => alike(wordsOf(bare(line)), words))
  const best = likeness.reduce((best, value, i) => (value > likeness[best]! ? i : best), 0)
  if (likeness[best]! < 0.5) return 'The file has nothing similar; read it again.'

  const from = Math.max(0, best - longest)
  const there = lines.slice(from, from + sought.length)
  const isSame = there.length === sought.length && there.every((line, i) => bare(line) === sought[i])
  const shown = there.slice(0, 20).map((line, i) => `${String(from + i + 1).padStart(6)}\t${beginning(line, 200)}`)
  return `The most similar text differs in ${isSame ? 'white space only' : 'its words'}:\n${shown.join('\n')}`
}

/** Between 0 and 1: how many of their words they share. */
function alike(some: ReadonlySet<string>, others: ReadonlySet<string>): number {
  let shared = 0
  for (const word of some) if (others.has(word)) shared++
  return shared / Math.max(some.size, others.size, 1)
}

function wordsOf(line: string): Set<string> {
  return new Set(line.match(/\w+|[^\w\s]+/g))
}

function bare(line: string): string {
  return line.replace(/\s+/g, ' ').trim()
}
