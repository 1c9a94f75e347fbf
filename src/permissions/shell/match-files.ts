import { dirname, resolve } from 'node:path'
import type { FileLookup } from '../paths/file-lookup.ts'
import type { PathPattern } from '../paths/path-pattern.ts'
import { isInside, placeOf, unresolved } from '../paths/places.ts'
import { programOf } from './inside.ts'
import { type Line, type Step, stepsOf, unknownIn } from './line.ts'
import { either, type Match } from './match-command.ts'
import { isKnownUse } from './tables/unknown-use.ts'
import { fitsWildcard } from './wildcard.ts'
import type { Word } from './word.ts'
import { GO_THROUGH, PRINTERS, READERS } from './wrappers.ts'

/** A rule about files, for looking at commands. */
export interface FileRule {
  readonly kind: 'read' | 'write'
  /** As the user wrote it. */
  readonly text: string
  /** Undefined where it cannot be read: then it may mean any file. */
  readonly pattern: PathPattern | undefined
  readonly fileLookup: FileLookup
}

/** So many names of one line are looked up; a line with more of them is not read to its end. */
const MOST_NAMES = 500

/**
 * Whether a command line names a file that a rule means: as a word, in an option, as the source or target of a
 * redirection, by a pattern or through a link. A name that cannot be followed (a variable, `/proc`, a search through a
 * folder) may be that file. What was given a second name before, by a hard link or by renaming a folder, is for the
 * sandbox to keep away, and so is what a program opens by itself.
 */
export function catchesFiles(rule: FileRule, line: Line): Match {
  return either(matchesIn(rule, line))
}

function* matchesIn(rule: FileRule, line: Line): Generator<Match> {
  if (!rule.pattern || unknownIn(line) !== undefined) yield 'maybe'
  if (!rule.pattern) return
  let names = 0
  const count = (word: Word, step: Step): Match => {
    names += 1
    return names > MOST_NAMES ? 'maybe' : catchesWord(rule, rule.pattern!, word, step.folders)
  }
  for (const step of stepsOf(line)) {
    for (const { kind, target } of step.redirections)
      if (rule.kind === 'read' || kind === 'write') yield count(target, step)
    if (!touches(rule, step)) continue
    const isText = step.words.some(({ isScript }) => isScript) && isKnownUse(step.words)
    for (const word of step.words) if (!isText || !word.isScript) yield count(word, step)
    for (const { value } of step.assignments) yield count(value, step)
    yield goesThrough(rule.pattern, step, rule.fileLookup)
  }
}

/** Does this command do to files what the rule is about? Who only looks breaks no rule about writing. */
function touches({ kind }: FileRule, { words }: Step): boolean {
  const program = programOf(words) ?? ''
  if (PRINTERS.has(program)) return false
  if (kind === 'read') return true
  const looks =
    READERS.has(program) || (program === 'git' && /^(log|diff|show|status|blame)$/.test(words[1]?.text ?? ''))
  return !looks || words.some(({ text }) => /^(-o|--o)/.test(text ?? ''))
}

function catchesWord(rule: FileRule, pattern: PathPattern, word: Word, folders: Step['folders']): Match {
  const { text, glob, loop, isStatus } = word
  if (loop) return either(loop.map((one) => catchesWord(rule, pattern, one, folders)))
  if (isStatus) return 'no'
  if (!folders) return text?.startsWith('-') || text === '' ? 'no' : 'maybe'
  if (glob !== undefined) return folders.some((folder) => globMayMean(pattern, glob, folder)) ? 'maybe' : 'no'
  if (text === undefined) return 'maybe'
  const named = either(namesIn(text).map((name) => catchesName(rule, pattern, name, folders)))
  if (named !== 'no') return named
  return mentionsIn(text).some((name) => folders.some((folder) => pattern.matches(placeOf(name, folder))))
    ? 'maybe'
    : 'no'
}

/** Below these every file has many names. */
const SPECIAL = /^\/+(\.?\/+)*(proc|dev)(\/|$)/
const DEVICES = /^\/dev\/(null|stdin|stdout|stderr|zero|u?random|tty)$/

/** By its name, and by where it leads if it is a link; below /proc every file has many names. */
function catchesName({ fileLookup }: FileRule, pattern: PathPattern, name: string, folders: readonly string[]): Match {
  if (name.length > 4096) return 'maybe'
  for (const folder of folders) {
    const place = placeOf(name, folder)
    if (pattern.matches(place)) return 'yes'
    if (!DEVICES.test(name) && [name, place].some((path) => SPECIAL.test(path))) return 'maybe'
    if (/^[-\d]/.test(name) || name.includes('\0')) continue
    const found = fileLookup.locate(unresolved(name, folder))
    if (found && found.real !== place && pattern.matches(found.real)) return 'yes'
  }
  return 'no'
}

/** The word, and what may be a path inside of it: `--file=x`, `if=x`, `@x`, `HEAD:x`, `-fx`. All of one length in sum. */
function namesIn(text: string): string[] {
  if (!/[=:@,]/.test(text) && !/^-[a-zA-Z]./.test(text)) return text === '' ? [] : [text]
  const names = new Set([text, ...text.split(/[=:@,]/)])
  for (const sign of ['=', ':', '@']) {
    const at = text.indexOf(sign)
    if (at !== -1) names.add(text.slice(at + 1).replace(/^file:\/\//, ''))
  }
  // The value of an option may follow a few others in the same word.
  if (/^-[a-zA-Z]./.test(text)) for (let at = 2; at < Math.min(text.length, 8); at++) names.add(text.slice(at))
  names.delete('')
  return [...names].slice(0, MOST_NAMES)
}

/** A path in the middle of a text or of a piece of code: perhaps it is only talked about. */
function mentionsIn(text: string): string[] {
  return /[\s'"()<>|;&{}[\]]/.test(text) ? text.split(/[\s'"()<>|;&{}[\],=:`]+/).filter(Boolean) : []
}

/** A pattern in a command stands for any name that fits it. What is in brackets is taken for anything. */
function globMayMean(pattern: PathPattern, glob: string, folder: string): boolean {
  if (pattern.matches(placeOf(glob, folder))) return true
  const steps = glob.split('/').filter(Boolean)
  const open = steps.findIndex((step) => /[*?[]/.test(step))
  const place = resolve(glob.startsWith('/') ? '/' : folder, ...steps.slice(0, Math.max(0, open)))
  if (/^\/(proc|dev)(\/|$)/.test(place)) return true
  // A name anywhere: one of the steps must be able to become it.
  if (pattern.isName && pattern.isPlain) {
    const name = pattern.text.toLowerCase()
    return steps.some((step) => fitsWildcard(widened(step), name))
  }
  if (pattern.isName) return true
  const { fixed } = pattern
  if (!isInside(place, fixed) && !isInside(fixed, place)) return false
  return (
    !pattern.isPlain ||
    isInside(dirname(fixed), place) ||
    fitsWildcard(widened(placeOf(glob, folder)), fixed.toLowerCase())
  )
}

/** Every bracket and `?` as `*`, which means more. */
function widened(glob: string): string {
  return glob
    .toLowerCase()
    .replace(/\[.*\]/g, '*')
    .replaceAll('?', '*')
}

/** A command that goes through a folder also opens what is inside of it. */
function goesThrough(pattern: PathPattern, { words, folders }: Step, fileLookup: FileLookup): Match {
  const program = programOf(words) ?? ''
  if (!isDeep(program, words)) return 'no'
  if (!folders) return 'maybe'
  const operands = words.slice(1).flatMap(({ text }) => (text === undefined || text.startsWith('-') ? [] : [text]))
  // These take what they are named; only a folder among that has more in it.
  if (MOVERS.has(program)) {
    const isFile = (name: string) =>
      folders.every((folder) => /^(file|missing)$/.test(fileLookup.locate(unresolved(name, folder))?.kind ?? ''))
    if (operands.length > 1 && operands.slice(0, -1).every(isFile)) return 'no'
  }
  if (pattern.isName) return 'maybe'
  const names =
    operands.length > (SEARCHERS.has(program) ? 1 : 0) && !MOVERS.has(program) ? operands : ['.', ...operands]
  const isAbove = folders.some((folder) => names.some((name) => isInside(placeOf(name, folder), pattern.fixed)))
  return isAbove ? 'maybe' : 'no'
}

const MOVERS: ReadonlySet<string> = new Set(['mv', 'ln'])
/** Their first operand is what they look for. */
const SEARCHERS: ReadonlySet<string> = new Set(['grep', 'egrep', 'fgrep', 'rgrep', 'rg', 'ag', 'ack', 'tar', 'git'])

function isDeep(program: string, words: readonly Word[]): boolean {
  const has = (option: RegExp) => words.slice(1).some(({ text }) => option.test(text ?? ''))
  if (GO_THROUGH.has(program)) return true
  if (program === 'ls') return has(/^-[a-zA-Z]*R|^--rec/)
  if (/^[ef]?grep$/.test(program)) return has(/^(-[a-zA-Z]*[rRd]|--(r|de|di))/)
  if (program === 'git')
    return (
      has(/^(grep|archive|bundle|clean)$/) ||
      (has(/^stash$/) && has(/^(-[a-zA-Z]*[ua]|--(i|a))/)) ||
      (has(/^add$/) && has(/^(-[a-zA-Z]*[Auf]|--(a|u|f)|\.\/?$|:|.*[*?[])/))
    )
  return /^(cp|rm|chmod|chown|chgrp|install|diff)$/.test(program) && has(/^(-[a-zA-Z]*[rRad]|--(r|a))/)
}
