import { dirname, resolve } from 'node:path'
import picomatch from 'picomatch'
import { isInside, placeOf } from '../paths/places.ts'
import { programOf } from './inside.ts'
import { isInterpreting, type Line, linesOf, type Step, stepsOf, unknownIn } from './line.ts'
import { either, type Match } from './match-command.ts'
import type { Word } from './word.ts'
import { GO_THROUGH, PRINTERS, READERS } from './wrappers.ts'

/** A rule about files, for looking at commands. */
export interface FileRule {
  readonly kind: 'read' | 'write'
  readonly pattern: string
  catches(path: string): boolean
}

/**
 * Whether a command line names a file that a rule means: as a word, in an option, as the source or target of a
 * redirection, by a pattern. By name only: what a program opens by itself is for the boundary to keep away.
 */
export function catchesFiles(rule: FileRule, line: Line, root: string): Match {
  return either(matchesIn(rule, line, root))
}

function* matchesIn(rule: FileRule, line: Line, root: string): Generator<Match> {
  if (unknownIn(line) !== undefined) yield 'maybe'
  const folders = foldersOf(line, root)
  if (!folders) yield 'maybe'
  const near = folders ?? [root]
  for (const { redirections } of linesOf(line))
    for (const { kind, target } of redirections)
      if (rule.kind === 'read' || kind === 'write') yield catchesWord(rule, target, near)
  for (const step of stepsOf(line)) {
    if (!touches(rule, step)) continue
    if (isInterpreting(step)) yield 'maybe'
    for (const word of [...step.words, ...step.assignments.map(({ value }) => value)])
      yield catchesWord(rule, word, near)
    yield goesThrough(rule, step, near)
  }
}

/** Does this command do to files what the rule is about? Who only looks breaks no rule about writing. */
function touches({ kind }: FileRule, { words }: Step): boolean {
  const program = programOf(words) ?? ''
  if (PRINTERS.has(program)) return false
  if (kind === 'read') return true
  const looks =
    READERS.has(program) || (program === 'git' && /^(log|diff|show|status|blame)$/.test(words[1]?.text ?? ''))
  return !looks || words.some(({ text }) => /^(-o|--output)/.test(text ?? ''))
}

function catchesWord(rule: FileRule, { text, glob }: Word, folders: readonly string[]): Match {
  const catches = (name: string) => folders.some((folder) => rule.catches(placeOf(name, folder)))
  if (glob !== undefined) return folders.some((folder) => globMayMean(rule, glob, folder)) ? 'maybe' : 'no'
  if (text === undefined) return 'maybe'
  if (namesIn(text).some(catches)) return 'yes'
  return mentionsIn(text).some(catches) ? 'maybe' : 'no'
}

/** The word, and what may be a path inside of it: `--file=x`, `if=x`, `@x`, `HEAD:x`, `-fx`. */
function namesIn(text: string): string[] {
  const names = [text]
  for (const [sign] of text.matchAll(/[=:@,]/g)) names.push(...text.split(sign).filter(Boolean))
  if (/^-[a-zA-Z]./.test(text)) names.push(text.slice(2))
  names.push(text.replace(/^[^=:@]*[=:@]/, '').replace(/^file:\/\//, ''))
  return [...new Set(names)].filter((name) => name !== '')
}

/** A path in the middle of a text or of a piece of code: perhaps it is only talked about. */
function mentionsIn(text: string): string[] {
  return /[\s'"()<>|;&{}[\]]/.test(text) ? text.split(/[\s'"()<>|;&{}[\],=:`]+/).filter(Boolean) : []
}

/** A pattern in a command stands for any name that fits it. */
function globMayMean({ pattern, catches }: FileRule, glob: string, folder: string): boolean {
  const isPlain = !/[*?[\]{}()!]/.test(pattern)
  if (catches(placeOf(glob, folder))) return true
  const steps = glob.split('/').filter(Boolean)
  if (isPlain && !pattern.includes('/')) {
    // The rule means a name anywhere: the last step of the pattern, or a folder on its way.
    return steps.some((step) => picomatch.isMatch(pattern, step, { dot: true, nocase: true }))
  }
  const fixed = steps.slice(
    0,
    Math.max(
      0,
      steps.findIndex((step) => /[*?[]/.test(step)),
    ),
  )
  const place = resolve(folder, glob.startsWith('/') ? '/' : '', ...fixed)
  if (!pattern.includes('/')) return true
  const wanted = placeOf(fixedPart(pattern), pattern.startsWith('/') ? '/' : folder)
  if (!isInside(place, wanted) && !isInside(wanted, place)) return false
  if (!isPlain) return true
  return (
    picomatch.isMatch(wanted, placeOf(glob, folder), { dot: true, nocase: true }) || isInside(dirname(wanted), place)
  )
}

/** The folders a pattern certainly begins with. */
function fixedPart(pattern: string): string {
  const steps = pattern.replace(/^\.\//, '').split('/')
  const open = steps.findIndex((step) => /[*?[{(!]/.test(step))
  return (open === -1 ? steps : steps.slice(0, open)).join('/') || '.'
}

/** Whoever goes through a folder also comes to what is inside of it. */
function goesThrough({ pattern }: FileRule, { words }: Step, folders: readonly string[]): Match {
  const program = programOf(words) ?? ''
  const isDeep = words.slice(1).some(({ text }) => (program === 'ls' ? /^-[a-zA-Z]*R/ : DEEP).test(text ?? ''))
  if (!GO_THROUGH.has(program) && !(isDeep && /^(e?grep|cp|rm|ls|chmod|chown|scp|install|diff)$/.test(program)))
    return 'no'
  if (!pattern.includes('/')) return 'maybe'
  const names = ['.', ...words.slice(1).flatMap(({ text }) => text ?? [])].filter((name) => !name.startsWith('-'))
  const isAbove = folders.some((folder) => {
    const wanted = placeOf(fixedPart(pattern), pattern.startsWith('/') ? '/' : folder)
    return names.some((name) => isInside(placeOf(name, folder), wanted))
  })
  return isAbove ? 'maybe' : 'no'
}

const DEEP = /^(-[a-zA-Z]*[rRa]|--recursive|--archive)/

/** Every folder the line may be in at some point; undefined if that cannot be known. */
export function foldersOf(line: Line, root: string): string[] | undefined {
  const folders = [root]
  for (const { words } of stepsOf(line)) {
    if (!/^(cd|pushd|popd|chdir)$/.test(programOf(words) ?? '')) continue
    const where = words.slice(1).filter(({ text }) => !/^-[LPe@]+$|^--$/.test(text ?? ''))
    const text = where[0]?.text
    if (where.length !== 1 || text === undefined || text === '-' || /^[+-]\d/.test(text)) return undefined
    folders.push(...folders.map((folder) => placeOf(text, folder)))
    if (folders.length > 64) return undefined
  }
  return [...new Set(folders)]
}
