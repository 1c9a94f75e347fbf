import { dirname } from 'node:path'
import { isInside, placeOf, unresolved } from './paths/places.ts'
import type { Surroundings } from './paths/surroundings.ts'
import type { Rule } from './rule.ts'
import { targetsOf } from './shell/folders.ts'
import type { Line, Step } from './shell/line.ts'
import { allowsWords } from './shell/match-command.ts'
import { refuseCommand } from './shell/tables/tables.ts'
import type { Setting } from './shell/tables/use.ts'
import type { Redirection, Word } from './shell/word.ts'
import { SHELLS, TRANSPARENT } from './shell/wrappers.ts'

export interface Allowing {
  readonly root: string
  /** Rules of the tool that runs commands, with a pattern each. */
  readonly rules: readonly Rule[]
  readonly surroundings: Surroundings
  /** Whether a file tool might write there without asking, as things are; real paths. */
  mayWrite(path: string): boolean
  mayRead(path: string): boolean
  /** Whether a program that a rule names may write there: in the workspace, and nothing denies or asks. */
  mayChange(path: string): boolean
}

/** A rule that allows all of a line, or why none does. */
export type Allowed = { readonly rule: Rule | undefined } | { readonly why: string; readonly step?: Step }

/**
 * Whether rules allow a command line: every simple command in it must be plain and allowed by one, also those inside of
 * substitutions and behind wrappers, and every redirection as a file tool would be. A rule without `*` allows the very
 * line it says, or a command of a line word by word in the root of the workspace; a rule with `*` only what the tables
 * of harmless uses cover.
 */
export function allowsLine(line: Line, allowing: Allowing): Allowed {
  const exact = allowing.rules.find(({ pattern }) => pattern === line.text.trim())
  if (exact && line.text.trim() !== '') return { rule: exact }
  return allowsSteps(line, allowing)
}

function allowsSteps(line: Line, allowing: Allowing): Allowed {
  const odd = line.unknown[0] ?? line.special[0]
  if (odd !== undefined) return { why: odd }
  let rule: Rule | undefined
  let isPlanted = false
  for (const step of line.steps) {
    const refusal = refuseRedirections(step, allowing, isPlanted)
    if (refusal !== undefined) return { why: refusal, step }
    const allowed = allowsStep(step, allowing, isPlanted)
    if ('why' in allowed) return { step, ...allowed }
    rule = allowed.rule ?? rule
    isPlanted ||= PLANTERS.test(step.words.map(({ text }) => text ?? '').join(' '))
  }
  return { rule }
}

/** Bring files from elsewhere into the folder, and with them perhaps links; nothing behind them was looked at. */
const PLANTERS = /^git (-\S+ )*(checkout|switch|restore|reset|stash|merge|rebase|pull|cherry-pick|revert)\b|^(cp|mv) /

function allowsStep(step: Step, allowing: Allowing, isPlanted: boolean): Allowed {
  const { words, folders } = step
  if (words.length === 0) return { rule: undefined }
  if (!folders) return { why: 'where it runs is not known before' }
  const outside = folders.find((folder) => !isWorkFolder(folder, allowing))
  if (outside !== undefined) return { why: `${outside} is not a folder of the workspace` }
  if (words[0]!.text === 'cd') return allowsChange(words, folders, allowing, isPlanted)
  if (isHarmlessBuiltin(step)) return { rule: undefined }
  const named = allowing.rules.filter(({ pattern }) => allowsWords(pattern!, words))
  const exact = named.find((rule) => isExact(rule, words))
  if (exact && folders.every((folder) => folder === allowing.root)) return { rule: exact }
  if (isTransparent(words)) return allowsRuns(step, allowing)
  const program = words[0]!.text
  const wild = named.find(({ pattern }) => pattern!.includes('*'))
  if (!wild) return { why: exact ? `${exact.text} is only for the root of the workspace` : 'no rule names it' }
  const nested = program === 'git' ? folders.find((folder) => isOtherRepository(folder, allowing)) : undefined
  if (nested !== undefined) return { why: `${nested} may be a repository of its own, whose settings git would follow` }
  for (const folder of folders) {
    const why = refuseCommand(words, settingOf(folder, allowing, program === 'git'))
    if (why !== undefined) return { why }
  }
  return { rule: wild }
}

/** The user wrote these very words; a pattern of names counts as the text it is. */
function isExact({ pattern }: Rule, words: readonly Word[]): boolean {
  if (!words.every(({ text, glob }) => text !== undefined || glob !== undefined)) return false
  return !pattern!.includes('*') || pattern === words.map(({ raw }) => raw).join(' ')
}

/** `cd` into folders that are really there, or would be: a link on the way leads somewhere else. */
function allowsChange(
  words: readonly Word[],
  folders: readonly string[],
  allowing: Allowing,
  isPlanted: boolean,
): Allowed {
  const targets = targetsOf(words)
  if (!targets) return { why: 'where it goes is not known before' }
  if (isPlanted) return { why: 'what is there is known only when the command before it has run' }
  for (const folder of folders)
    for (const target of targets)
      if (!isWorkFolder(placeOf(target, folder), allowing)) return { why: `${target} is not a folder of the workspace` }
  return { rule: undefined }
}

function isWorkFolder(folder: string, { root, surroundings }: Allowing): boolean {
  if (folder === root) return true
  const found = isInside(root, folder) ? surroundings.whereIs(folder) : undefined
  return found?.real === folder && (found.kind === 'folder' || found.kind === 'missing')
}

/** A repository below the root, or one without `.git`: its settings come from wherever its files come from. */
function isOtherRepository(folder: string, { root, surroundings }: Allowing): boolean {
  const has = (path: string) => surroundings.whereIs(path)?.kind !== 'missing'
  for (let at = folder; isInside(root, at); at = dirname(at)) {
    if (at !== root && has(`${at}/.git`)) return true
    if (has(`${at}/HEAD`) && has(`${at}/objects`) && has(`${at}/refs`)) return true
    if (at === dirname(at)) break
  }
  return false
}

function settingOf(folder: string, allowing: Allowing, isGit: boolean): Setting {
  const { surroundings, root } = allowing
  const find = (path: string) => (path.includes('\0') ? undefined : surroundings.whereIs(unresolved(path, folder)))
  const mayUse = (path: string, may: (real: string) => boolean) => {
    if (DEVICES.test(path)) return true
    const found = find(path)
    return found !== undefined && found.kind !== 'other' && found.real !== root && may(found.real)
  }
  return {
    mayRead: (path) => (!SPECIAL.test(path) && !SPECIAL.test(placeOf(path, folder))) || DEVICES.test(path),
    mayWrite: (path) => mayUse(path, allowing.mayWrite),
    mayChange: (path) => mayUse(path, allowing.mayChange),
    isFolder: (path) => {
      const place = placeOf(path, folder)
      return (
        isWorkFolder(place, allowing) &&
        (place === root || allowing.mayChange(place)) &&
        !(isGit && isOtherRepository(place, allowing))
      )
    },
    isScript: (path) => {
      const found = find(path)
      return path !== '-' && found !== undefined && /^(file|missing)$/.test(found.kind) && isInside(root, found.real)
    },
    exists: (path) => find(path)?.kind !== 'missing',
  }
}

/** Wrappers that run their command as it would run without them, and shells that are given a text. */
function isTransparent(words: readonly Word[]): boolean {
  const name = words[0]!.text ?? ''
  if (!SHELLS.has(name)) return TRANSPARENT.has(name)
  return words.length === 3 && /^-[eux]*c$/.test(words[1]!.text ?? '')
}

function allowsRuns({ runs, unknown, words }: Step, allowing: Allowing): Allowed {
  if (unknown[0] !== undefined || runs.length === 0) return { why: unknown[0] ?? `${words[0]!.text} runs nothing here` }
  let rule: Rule | undefined
  for (const { line } of runs) {
    const allowed = allowsSteps(line, allowing)
    if ('why' in allowed) return allowed
    rule = allowed.rule ?? rule
  }
  return { rule }
}

/** Builtins that do nothing by themselves: every call begins anew in the root. */
function isHarmlessBuiltin({ words, unknown }: Step): boolean {
  if (unknown.length > 0 || !words.every(({ text, loop, isStatus }) => text !== undefined || loop || isStatus))
    return false
  return /^(true|false|:|exit|break|continue|set|test|\[|wait)$/.test(words[0]!.text!)
}

/** Below these a file has many names, and some show what other processes keep to themselves. */
const SPECIAL = /^\/+(\.?\/+)*(proc|sys|dev)(\/|$)/
const DEVICES = /^\/dev\/(null|stdout|stderr|stdin|zero)$/

function refuseRedirections(step: Step, allowing: Allowing, isPlanted: boolean): string | undefined {
  for (const one of step.redirections)
    if (!mayRedirect(one, step.folders, allowing, isPlanted))
      return `it may not ${one.kind} ${one.target.raw} by a redirection`
  return undefined
}

function mayRedirect(
  { kind, target }: Redirection,
  folders: Step['folders'],
  allowing: Allowing,
  isPlanted: boolean,
): boolean {
  const { text } = target
  if (text === undefined || !folders) return false
  if (DEVICES.test(text)) return true
  if (isPlanted) return false
  const may = kind === 'write' ? allowing.mayWrite : allowing.mayRead
  return folders.every((folder) => {
    const found = allowing.surroundings.whereIs(unresolved(text, folder))
    return found !== undefined && /^(file|missing)$/.test(found.kind) && may(found.real)
  })
}
