import { isInside, placeOf } from './paths/places.ts'
import { allows, type Rule } from './rule.ts'
import { programOf } from './shell/inside.ts'
import { type Line, linesOf, type Step } from './shell/line.ts'
import { allowsWords, namedWords, spell } from './shell/match-command.ts'
import { foldersOf } from './shell/match-files.ts'
import type { Redirection } from './shell/word.ts'
import { CHANGE_LATER, FOLLOWED, HARMLESS_VARIABLES, SHELLS } from './shell/wrappers.ts'

export interface Allowing {
  readonly root: string
  /** Rules of the tool that runs commands, with a pattern each. */
  readonly rules: readonly Rule[]
  /** Whether a file tool might write there, as things are. */
  mayWrite(path: string): boolean
  mayRead(path: string): boolean
}

/**
 * The rule that allows a command line: every simple command in it must be allowed by one, also those inside of
 * substitutions and behind wrappers, and every redirection as a file tool would be. Undefined if that is not so.
 */
export function allowsLine(line: Line, allowing: Allowing): Rule | undefined {
  if ([...linesOf(line)].some(({ unknown }) => unknown.length > 0)) return undefined
  const folders = foldersOf(line, allowing.root)
  if (!folders) return undefined
  for (const { redirections } of linesOf(line))
    if (!redirections.every((one) => mayRedirect(one, folders, allowing))) return undefined
  const used = allowsSteps(line, allowing)
  return used === false ? undefined : used
}

/** The last rule that was needed, undefined if none was, false if one is missing. */
function allowsSteps(line: Line, allowing: Allowing): Rule | undefined | false {
  let used: Rule | undefined
  for (const step of line.steps) {
    const rule = allowsStep(step, allowing)
    if (rule === false) return false
    used = rule ?? used
  }
  return used
}

function allowsStep(step: Step, allowing: Allowing): Rule | undefined | false {
  const { words, assignments, runs } = step
  const program = programOf(words)
  if (!assignments.every(({ name }) => HARMLESS_VARIABLES.has(name))) return false
  if (words.length === 0) return undefined
  if (program === undefined) return false
  const named = allowing.rules.filter(({ pattern }) => allowsWords(pattern!, words))
  const exact = named.find(({ pattern }) => namedWords(pattern!) === Number.POSITIVE_INFINITY)
  if (exact) return exact
  if (CHANGE_LATER.has(words[0]!.text!) || step.unknown.length > 0) return false
  if (step.runsSomewhere) return named.find(({ pattern }) => namedWords(pattern!) >= 2) ?? false
  if (runs.length === 0) return named[0] ?? (isHarmless(step, allowing.root) ? undefined : false)

  const covering = named.find(({ pattern }) =>
    runs.every(({ at, isScript }) => !isScript && at >= 0 && namedWords(pattern!) > at),
  )
  if (covering) return covering
  // What it runs must be allowed by itself; and so must it, unless it only runs that.
  if (!isTransparent(words[0]!.text!) && named.length === 0) return false
  let used: Rule | undefined = named[0]
  for (const { line } of runs) {
    const rule = line.unknown.length > 0 ? false : allowsSteps(line, allowing)
    if (rule === false) return false
    used = rule ?? used
  }
  return used
}

/** Runs its command as it would run without it. Only by its bare name: elsewhere anything may be called like that. */
function isTransparent(name: string): boolean {
  const followed = FOLLOWED.get(name)
  return (followed !== undefined && !followed.raises) || SHELLS.has(name) || name === 'eval'
}

/** Steps of a line that do nothing by themselves: every call begins anew in the root. */
function isHarmless({ words }: Step, root: string): boolean {
  const [program, ...rest] = words.map(({ text }) => text)
  if (program === 'cd') return rest.length === 1 && rest[0] !== undefined && isInside(root, placeOf(rest[0], root))
  return program === 'true' || program === 'false' || program === ':'
}

function mayRedirect({ kind, target }: Redirection, folders: readonly string[], allowing: Allowing): boolean {
  const { text } = target
  if (text === undefined) return false
  if (/^\/dev\/(null|stdout|stderr|stdin|zero)$/.test(text)) return true
  const may = kind === 'write' ? allowing.mayWrite : allowing.mayRead
  return folders.every((folder) => may(placeOf(text, folder)))
}

/** A rule for all that this tool does. */
export function allowsTool(rules: readonly Rule[], tool: string): Rule | undefined {
  return rules.find((rule) => rule.pattern === undefined && allows(rule, tool, undefined, ''))
}

/** The pattern to propose for a command, where there is one. */
export function patternFor({ words }: Step): string | undefined {
  const [program] = words
  return program?.text !== undefined && /^[\w./-]+$/.test(program.text) ? `${spell([program])} *` : undefined
}
