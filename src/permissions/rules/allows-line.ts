import { dirname } from 'node:path'
import type { FileLookup } from '../paths/file-lookup.ts'
import type { Nested } from '../paths/nested-repositories.ts'
import { isInside, placeOf, unresolved } from '../paths/places.ts'
import { targetsOf } from '../shell/folders.ts'
import { addedBy, plants, staysInHistory } from '../shell/git-effects.ts'
import type { Line, Step } from '../shell/line.ts'
import { allowsWords } from '../shell/match-command.ts'
import { refuseCommand } from '../shell/tables/tables.ts'
import type { Setting } from '../shell/tables/use.ts'
import type { Redirection, Word } from '../shell/word.ts'
import { SHELLS, TRANSPARENT } from '../shell/wrappers.ts'
import type { Rule } from './parse-rule.ts'

export interface Allowing {
  readonly root: string
  /** Rules of the tool that runs commands, with a pattern each. */
  readonly rules: readonly Rule[]
  readonly fileLookup: FileLookup
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
  const exact = allowing.rules.find(({ pattern }) => pattern === line.text.trim() && isText(pattern))
  if (exact && line.text.trim() !== '') return { rule: exact }
  return allowsSteps(line, allowing)
}

/** What the commands before a step may have done that cannot be seen from here. */
interface Before {
  /** Files from elsewhere, and with them perhaps links, are in the folder now. */
  isPlanted: boolean
  /** What git added: repositories in there may be in its index now. */
  added: readonly string[] | 'anything'
}

function allowsSteps(line: Line, allowing: Allowing, before: Before = { isPlanted: false, added: [] }): Allowed {
  const odd = line.unknown[0] ?? line.special[0]
  if (odd !== undefined) return { why: odd }
  let rule: Rule | undefined
  // In a loop or beside each other every step may come before every other.
  if (!line.isStraight) for (const step of line.steps) note(step, before)
  for (const step of line.steps) {
    const refusal = refuseRedirections(step, allowing, before.isPlanted)
    if (refusal !== undefined) return { why: refusal, step }
    const allowed = allowsStep(step, allowing, before)
    if ('why' in allowed) return { step, ...allowed }
    rule = allowed.rule ?? rule
    note(step, before)
  }
  return { rule }
}

/** Also of what wrappers run. */
function note(step: Step, before: Before): void {
  before.isPlanted ||= plants(step.words)
  const added = before.isPlanted ? 'anything' : addedBy(step.words, step.folders)
  before.added = added === 'anything' || before.added === 'anything' ? 'anything' : [...before.added, ...added]
  for (const { line } of step.runs) for (const inner of line.steps) note(inner, before)
}

function allowsStep(step: Step, allowing: Allowing, before: Before): Allowed {
  const { words, folders } = step
  if (words.length === 0) return { rule: undefined }
  if (!folders) return { why: 'where it runs is not known before' }
  const outside = folders.find((folder) => !isWorkFolder(folder, allowing))
  if (outside !== undefined) return { why: `${outside} is not a folder of the workspace` }
  if (words[0]!.text === 'cd') return allowsChange(words, folders, allowing, before.isPlanted)
  if (isHarmlessBuiltin(step)) return { rule: undefined }
  const named = allowing.rules.filter(({ pattern }) => allowsWords(pattern!, words))
  const exact = named.find((rule) => isExact(rule, words))
  if (exact && folders.every((folder) => folder === allowing.root)) return { rule: exact }
  if (isTransparent(words)) return allowsRuns(step, allowing, before)
  const program = words[0]!.text
  const wild = named.find(({ pattern }) => pattern!.includes('*'))
  if (!wild) return { why: exact ? `${exact.text} is only for the root of the workspace` : 'no rule names it' }
  const nested = program === 'git' ? folders.find((folder) => isOtherRepository(folder, allowing)) : undefined
  if (nested !== undefined) return { why: `${nested} may be a repository of its own, whose settings git would follow` }
  const entered = program === 'git' ? refuseEntering(words, allowing, before) : undefined
  if (entered !== undefined) return { why: entered }
  for (const folder of folders) {
    const why = refuseCommand(words, settingOf(folder, allowing, program === 'git'))
    if (why !== undefined) return { why }
  }
  return { rule: wild }
}

/** The user wrote these very words; a pattern of names counts as the text it is. */
function isExact({ pattern }: Rule, words: readonly Word[]): boolean {
  if (!words.every(({ text, glob }) => text !== undefined || glob !== undefined)) return false
  return !pattern!.includes('*') || (isText(pattern!) && pattern === words.map(({ raw }) => raw).join(' '))
}

/**
 * Whether a rule may mean the very text it consists of. `git *` means any use of git: as a command it would become what
 * files are called, and a file can be called `-c`.
 */
function isText(pattern: string): boolean {
  return !pattern.endsWith(':*') && !pattern.split(/\s+/).some((word) => /^[*?[]|^-.*[*?[]/.test(word))
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

function isWorkFolder(folder: string, { root, fileLookup }: Allowing): boolean {
  if (folder === root) return true
  const found = isInside(root, folder) ? fileLookup.locate(folder) : undefined
  return found?.real === folder && (found.kind === 'folder' || found.kind === 'missing')
}

/** A repository below the root, or one without `.git`: its settings come from wherever its files come from. */
function isOtherRepository(folder: string, { root, fileLookup }: Allowing): boolean {
  const has = (path: string) => fileLookup.locate(path)?.kind !== 'missing'
  for (let at = folder; isInside(root, at); at = dirname(at)) {
    if (at !== root && has(`${at}/.git`)) return true
    if (has(`${at}/HEAD`) && has(`${at}/objects`) && has(`${at}/refs`)) return true
    if (at === dirname(at)) break
  }
  return false
}

/** Git goes into repositories that its index holds, and runs there what their own settings name. */
function refuseEntering(words: readonly Word[], { root, fileLookup }: Allowing, before: Before): string | undefined {
  if (staysInHistory(words)) return undefined
  const linked = fileLookup.nestedIn(root, 'linked')
  const nested = linked.length === 0 ? nestedIn(before.added, { root, fileLookup }) : linked
  if (nested === 'unknown') return 'git may enter a repository inside of this one; there are too many folders to tell'
  if (nested[0] === undefined) return undefined
  const alone = nested === linked ? '' : '; run each git command by itself'
  return `git may enter ${nested[0]}, a repository of its own, and run what its settings name${alone}`
}

/** Repositories that git may have put into its index by what it added. */
function nestedIn(added: Before['added'], { root, fileLookup }: Pick<Allowing, 'root' | 'fileLookup'>): Nested {
  if (added.length === 0) return []
  const all = fileLookup.nestedIn(root, 'all')
  if (all === 'unknown' || added === 'anything') return all
  return all.filter((path) => added.some((place) => isInside(place, path) || isInside(path, place)))
}

function settingOf(folder: string, allowing: Allowing, isGit: boolean): Setting {
  const { fileLookup, root } = allowing
  const find = (path: string) => (path.includes('\0') ? undefined : fileLookup.locate(unresolved(path, folder)))
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
      // Some programs resolve `..` behind a link by name, others by where the link leads: both must mean this folder.
      const found = find(path)
      return (
        found?.real === place &&
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

function allowsRuns({ runs, unknown, words }: Step, allowing: Allowing, before: Before): Allowed {
  if (unknown[0] !== undefined || runs.length === 0) return { why: unknown[0] ?? `${words[0]!.text} runs nothing here` }
  let rule: Rule | undefined
  for (const { line } of runs) {
    const allowed = allowsSteps(line, allowing, { ...before })
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
    const found = allowing.fileLookup.locate(unresolved(text, folder))
    return found !== undefined && /^(file|missing)$/.test(found.kind) && may(found.real)
  })
}
