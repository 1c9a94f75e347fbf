import { isInsideAny } from '../paths/places.ts'
import type { ResourceLimits } from '../processes/resource-limits.ts'

/**
 * What a command may see and touch, as data. The arguments of bubblewrap and the Seatbelt profile are both made from
 * this and from nothing else; all paths are real ones.
 */
export interface SandboxProfile {
  /** The folder in which the command starts. */
  readonly root: string
  /** The workspace and further folders: the only places it can write to, besides `tmp` and `home`. */
  readonly writable: readonly string[]
  /** False for programs of ours that only read: then `writable` can only be read. */
  readonly canWrite: boolean
  /** Empty folders that stand in for /tmp and home as long as a session lasts. */
  readonly tmp: string
  readonly home: { readonly real: string; readonly inside: string } | undefined
  /** Folders of the system that are shown empty, and what is shown of them and of home all the same, read-only. */
  readonly emptied: readonly string[]
  readonly shown: readonly string[]
  /** Cannot be seen: keys, what deskmates keeps, what the user denied. */
  readonly hidden: readonly Hidden[]
  /** Inside of writable folders: can be seen and not be changed, moved or replaced. */
  readonly readOnly: readonly string[]
  /** Inside of writable folders: can be changed inside, and not be moved or replaced. */
  readonly pinned: readonly string[]
  /** Inside of writable folders: must not come into being. */
  readonly absent: readonly string[]
  readonly hasNetwork: boolean
  readonly limits: ResourceLimits
}

export interface Hidden {
  readonly path: string
  readonly isFolder: boolean
}

/** One rule for a place inside of the writable folders. */
export type PathRule =
  | { readonly kind: 'hidden'; readonly path: string; readonly isFolder: boolean }
  | { readonly kind: 'read-only' | 'writable'; readonly path: string }

/**
 * The rules inside of the writable folders, outermost first: a later one holds over an earlier one around it. Every
 * folder between a writable folder and a rule is pinned too, so that moving it away does not move the rule with it.
 */
export function rulesInside({ writable, hidden, readOnly, pinned }: SandboxProfile): PathRule[] {
  const rules = new Map<string, PathRule>()
  for (const path of pinned) rules.set(path, { kind: 'writable', path })
  for (const path of readOnly) rules.set(path, { kind: 'read-only', path })
  for (const one of hidden) rules.set(one.path, { kind: 'hidden', ...one })
  for (const path of rules.keys()) if (!isInsideAny(writable, path) || writable.includes(path)) rules.delete(path)
  const chosen = [...rules.values()].filter((rule) => !isCovered(rule, rules))
  const between = new Map(
    chosen.flatMap(({ path }) => foldersAbove(path, writable).map((folder) => [folder, writableRule(folder)] as const)),
  )
  const pins = [...between.values()].filter(
    ({ path }) => !rules.has(path) && nearest(path, rules)?.kind !== 'read-only',
  )
  return [...chosen, ...pins].sort((a, b) => depth(a.path) - depth(b.path) || (a.path < b.path ? -1 : 1))
}

function writableRule(path: string): PathRule {
  return { kind: 'writable', path }
}

/** Below what is hidden nothing is left; below what is read-only only what was pinned by itself is different. */
function isCovered(rule: PathRule, rules: ReadonlyMap<string, PathRule>): boolean {
  for (let at = parent(rule.path); at !== '/'; at = parent(at)) if (rules.get(at)?.kind === 'hidden') return true
  return rule.kind === 'read-only' && nearest(rule.path, rules)?.kind === 'read-only'
}

/** The innermost rule around a place. */
function nearest(path: string, rules: ReadonlyMap<string, PathRule>): PathRule | undefined {
  for (let at = parent(path); at !== '/'; at = parent(at)) if (rules.has(at)) return rules.get(at)
  return undefined
}

function foldersAbove(path: string, writable: readonly string[]): string[] {
  const above: string[] = []
  for (let at = parent(path); at !== '/' && !writable.includes(at); at = parent(at)) above.push(at)
  return above
}

function parent(path: string): string {
  return path.slice(0, path.lastIndexOf('/')) || '/'
}

function depth(path: string): number {
  return path.split('/').length
}
