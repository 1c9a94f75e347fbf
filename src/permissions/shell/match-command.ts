import { programOf } from './inside.ts'
import { type Line, linesOf, type Step, stepsOf } from './line.ts'
import { readLine } from './read-line.ts'
import { isKnownProgram } from './tables/tables.ts'
import { fitsWildcard } from './wildcard.ts'
import type { Word } from './word.ts'
import { PRINTERS, READERS } from './wrappers.ts'

/** Whether a rule means something; `maybe` where only running it would tell. */
export type Match = 'yes' | 'maybe' | 'no'

export function either(matches: Iterable<Match>): Match {
  let found: Match = 'no'
  for (const match of matches) {
    if (match === 'yes') return 'yes'
    if (match === 'maybe') found = 'maybe'
  }
  return found
}

/** Whether a pattern that denies or asks means anything in the line, at whatever depth and however it is wrapped. */
export function catchesLine(pattern: string, line: Line): Match {
  return either(matchesIn(pattern, line))
}

function* matchesIn(pattern: string, line: Line): Generator<Match> {
  for (const { unknown } of linesOf(line)) if (unknown.length > 0) yield 'maybe'
  for (const step of stepsOf(line)) {
    yield catchesWords(pattern, step.words)
    if (step.unknown.length > 0) yield 'maybe'
    if (step.runsSomewhere) yield* matchesSomewhere(pattern, step)
    else if (mayStartAnother(step)) yield* namesProgram(pattern, step)
  }
}

/** So many places are tried; a command with more of them is not read to its end. */
const MOST_TAILS = 40

/** Any tail of its words may be what it runs, and any of them a script. */
function* matchesSomewhere(pattern: string, { words }: Step): Generator<Match> {
  const wanted = partsOf(pattern).literal?.split(/\s+/)[0]
  const name = wanted?.slice(wanted.lastIndexOf('/') + 1).toLowerCase()
  let tails = 0
  for (let i = 1; i < words.length; i++) {
    const { text } = words[i]!
    if (text === undefined || name === undefined || /^-.*\s/s.test(text)) yield 'maybe'
    else if (/\s/.test(text)) yield catchesLine(pattern, readLine(text, { folders: undefined }, 4))
    else if (text.slice(text.lastIndexOf('/') + 1).toLowerCase() !== name) continue
    else yield ++tails > MOST_TAILS ? 'maybe' : catchesWords(pattern, words.slice(i))
  }
}

/** A program of which we do not know that it starts no other one. */
function mayStartAnother({ words }: Step): boolean {
  const program = programOf(words)
  if (program === undefined) return false
  const path = words[0]?.text ?? ''
  // A file of the workspace may have the name of a known program.
  if (path.includes('/') && !SYSTEM_PROGRAM.test(path)) return true
  return !isKnownProgram(program) && !READERS.has(program) && !PRINTERS.has(program)
}

const SYSTEM_PROGRAM = /^(\/usr(\/local)?)?\/s?bin\/[^/]+$/

/** An unknown program that is given the name of a denied one, or words that are not known, may start it. */
function* namesProgram(pattern: string, { words }: Step): Generator<Match> {
  const wanted = partsOf(pattern).literal?.split(/\s+/)[0]
  const name = wanted?.slice(wanted.lastIndexOf('/') + 1).toLowerCase()
  for (let i = 1; i < words.length; i++) {
    const { text } = words[i]!
    if (text === undefined) yield 'maybe'
    else if (text.slice(text.lastIndexOf('/') + 1).toLowerCase() !== name) continue
    else if (catchesWords(pattern, words.slice(i)) !== 'no') yield 'maybe'
  }
}

function catchesWords(pattern: string, words: readonly Word[]): Match {
  const program = programOf(words)
  if (program === undefined) return words.length === 0 ? 'no' : 'maybe'
  const { literal, isPrefix } = partsOf(pattern)
  if (fits(pattern.toLowerCase(), spell(words).toLowerCase())) return 'yes'
  if (fits(pattern.toLowerCase(), spell(words, program).toLowerCase())) return 'yes'
  if (literal === undefined) return couldMatch(pattern, words, program) ? 'maybe' : 'no'
  const [wanted = '', ...rest] = literal.split(/\s+/)
  const name = wanted.slice(wanted.lastIndexOf('/') + 1)
  if (name.toLowerCase() !== program.toLowerCase()) return 'no'
  return followsFrom(rest, words.slice(1), isPrefix)
}

/**
 * Whether the words of a rule come first in those of a command, whatever options stand between them: `git -C x push` is
 * a `git push`. Options of the rule itself may stand anywhere, alone or together.
 */
function followsFrom(wanted: readonly string[], words: readonly Word[], isPrefix: boolean): Match {
  const options = wanted.filter((word) => word.startsWith('-'))
  const names = wanted.filter((word) => !word.startsWith('-'))
  const reached = reach(names, words)
  if (reached === undefined) return 'no'
  if (reached === 'open') return 'maybe'
  const given = words.map(({ text }) => text)
  const has = (option: string) =>
    given.some((text) => text === option || text?.startsWith(`${option}=`)) ||
    (/^-[a-zA-Z]+$/.test(option) && [...option.slice(1)].every((flag) => given.some((text) => hasFlag(text, flag))))
  if (!options.every(has)) {
    // The long name of an option is another spelling of a short one, or a variable holds it.
    return options.length > 0 && given.some((text) => text === undefined || text.startsWith('--')) ? 'maybe' : 'no'
  }
  return isPrefix || words.slice(reached).every(({ text }) => text?.startsWith('-')) ? 'yes' : 'no'
}

function hasFlag(text: string | undefined, flag: string): boolean {
  return text !== undefined && /^-[a-zA-Z]+$/.test(text) && text.includes(flag)
}

/** How many words it takes until all names have come; a word behind an option may be its value. */
function reach(names: readonly string[], words: readonly Word[]): number | 'open' | undefined {
  let next = 0
  for (let i = 0; i < words.length; i++) {
    if (next === names.length) return i
    const { text } = words[i]!
    if (text === undefined) return 'open'
    if (text.toLowerCase() === names[next]!.toLowerCase()) next++
    else if (!text.startsWith('-') && !words[i - 1]?.text?.startsWith('-')) return undefined
  }
  return next === names.length ? words.length : undefined
}

/** Up to the first word that is not known, could the rest be what the pattern wants? */
function couldMatch(pattern: string, words: readonly Word[], program: string): boolean {
  const at = words.findIndex(({ text }) => text === undefined)
  if (at === -1) return false
  const beginning = pattern.slice(0, pattern.indexOf('*')).toLowerCase()
  return [spell(words.slice(0, at)), spell(words.slice(0, at), program)].some((known) => {
    const text = `${known.toLowerCase()} `
    return text.startsWith(beginning) || beginning.startsWith(text)
  })
}

/** Whether a pattern that allows means this simple command: as it is spelled, with the very program it names. */
export function allowsWords(pattern: string, words: readonly Word[]): boolean {
  if (words[0]?.text === undefined) return false
  return fits(pattern, spell(words)) || fits(pattern, words.map(({ raw }) => raw).join(' '))
}

/** `*` stands for anything; ` *` and `:*` at the end also for nothing. */
function partsOf(pattern: string): { literal: string | undefined; isPrefix: boolean } {
  const prefix = /^(.*?)(?: \*|:\*)$/s.exec(pattern)?.[1]
  if (prefix !== undefined && !prefix.includes('*')) return { literal: prefix, isPrefix: true }
  return { literal: pattern.includes('*') ? undefined : pattern, isPrefix: false }
}

function fits(pattern: string, text: string): boolean {
  const { literal, isPrefix } = partsOf(pattern)
  if (isPrefix) return text === literal || text.startsWith(`${literal} `)
  return fitsWildcard(pattern, text)
}

/** One spelling for all ways to write the same words; one that holds blanks stays in quotes. */
export function spell(words: readonly Word[], program?: string): string {
  return words
    .map(({ raw, text }, i) => {
      const known = i === 0 && program !== undefined ? program : text
      if (known === undefined) return raw
      return known === '' || /[\s'"]/.test(known) ? `'${known.replaceAll("'", "'\\''")}'` : known
    })
    .join(' ')
}
