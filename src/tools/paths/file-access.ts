import { lstatSync, readlinkSync } from 'node:fs'
import { dirname, join, relative, resolve, sep } from 'node:path'
import { isInside } from '../../permissions/paths/places.ts'
import { isProtectedView } from '../../team/plans/plan-views.ts'
import type { ToolContext } from '../tool.ts'

/** What decides which paths file tools may use. */
export type FileAccess = Pick<ToolContext, 'root' | 'folders' | 'team' | 'outputs' | 'forbids' | 'handOffFiles'>

/** Why this agent may not read there, with what to do instead; undefined if it may. `real` must be a real path. */
export function refuseReading(real: string, access: FileAccess): string | undefined {
  const steps = stepsInside(real, access)
  const state = steps?.findIndex((step) => step === '.teams' || step === '.tasks') ?? -1
  const isElsewhere = !steps || (state !== -1 && steps[state + 1] !== access.team.toLowerCase())
  if (isElsewhere && !isInside(access.outputs.folder, real))
    return steps
      ? `${show(real, access)} belongs to other teams, and their content stays with them. Ask your lead for what you need.`
      : outside(show(real, access), access)
  if (access.forbids('read', real))
    return `A rule of the user denies reading ${show(real, access)}. Work without it, or ask them.`
  return undefined
}

/**
 * Why this agent may not use a path that could not be opened, judged by where it would be: what lies outside, belongs to
 * others or is denied is refused in the same words whether it exists or not. `place` is the path before links are resolved.
 */
export function refuseMissing(place: string, access: FileAccess, kind: 'read' | 'write'): string | undefined {
  const where = resolvedPlace(place)
  if (isOutside(where, access)) return outside(show(place, access), access)
  return kind === 'read' ? refuseReading(where, access) : refuseWriting(where, access)
}

/** Outside of the workspace and of every folder the user opened. */
export function isOutside(real: string, access: FileAccess): boolean {
  return stepsInside(real, access) === undefined && !isInside(access.outputs.folder, real)
}

/** The same words for everything outside: they repeat the path that was given, not where its links lead. */
export function refuseOutside(place: string, access: FileAccess): string {
  return outside(show(place, access), access)
}

/** The same for writing. File tools never write files that decide what agents may do. */
export function refuseWriting(real: string, access: FileAccess): string | undefined {
  const steps = stepsInside(real, access)
  const shown = show(real, access)
  if (!steps) return outside(shown, access)
  const instead = insteadOf(steps, real, access)
  if (instead) return `${shown} is never written by a file tool: ${instead}`
  if (access.forbids('write', real)) return `A rule of the user denies writing ${shown}. Work without it, or ask them.`
  return undefined
}

/** The path as shown to the model: relative to the root where it is inside. */
export function show(real: string, { root }: Pick<FileAccess, 'root'>): string {
  if (real === root) return '.'
  return isInside(root, real) ? relative(root, real) : real
}

/** The names on the way from the root, or from a folder the user opened; undefined outside of both. */
function stepsInside(real: string, { root, folders }: FileAccess): string[] | undefined {
  const base = [root, ...folders].find((folder) => isInside(folder, real))
  if (base === undefined) return undefined
  return relative(base, real)
    .split(sep)
    .map((step) => step.replace(UNSEEN, '').toLowerCase())
}

/** Characters some file systems leave out when they compare names; others ignore case. */
const UNSEEN = /[\u200b-\u200f\u202a-\u202e\u2060\u206a-\u206f\ufeff]/g

function insteadOf(steps: readonly string[], real: string, { root, handOffFiles }: FileAccess): string | undefined {
  const has = (...names: string[]) => steps.some((step) => names.includes(step))
  if (has('.teams', '.tasks')) return 'deskmates keeps it. Use the tools for tasks and messages.'
  const name = steps.at(-1) ?? ''
  if (isProtectedView(name) || isProtectedView(join(relative(root, dirname(real)), name), handOffFiles))
    return 'deskmates writes it from the journal: a summary when the last task of the plan ends, a hand-off when its message is sent.'
  // All of it: hooks and config run programs, and so does whatever a `.git` file points to.
  if (has('.git')) return 'it belongs to git. Use git commands.'
  const authority = has('.deskmates', 'deskmates.yaml', 'deskmates.yml', '.claude', '.agents', '.husky', '.githooks')
  if (authority || ['agents', 'skills'].includes(steps[0] ?? ''))
    return 'it decides what agents may do, so only a person changes it. Write a proposal elsewhere and say where it is.'
  return undefined
}

function outside(shown: string, { root, folders }: FileAccess): string {
  const open = [root, ...folders].join(', ')
  return `Path escapes the workspace: ${shown}. Use a path inside of ${open}, or ask the user to open the folder (--add-dir).`
}

/** Where the state of a team lies below a folder; nothing searches there. */
export const STATE_FOLDERS: readonly string[] = ['.git', '.teams', '.tasks']

/** As many as Linux follows before it calls it a circle. */
const MAX_LINKS = 40

/** Where a path leads as far as it exists, with the rest of its names behind that. For judging, never for opening. */
export function resolvedPlace(path: string): string {
  let links = 0
  let real: string = sep
  const rest = path.split(sep).filter(Boolean).reverse()
  while (rest.length > 0) {
    const name = rest.pop()!
    const next = name === '..' ? dirname(real) : join(real, name)
    const target = linkAt(next)
    if (target === undefined || links >= MAX_LINKS) {
      real = next
      continue
    }
    links++
    rest.push(...resolve(real, target).split(sep).filter(Boolean).reverse())
    real = sep
  }
  return real
}

function linkAt(path: string): string | undefined {
  try {
    return lstatSync(path).isSymbolicLink() ? readlinkSync(path) : undefined
  } catch {
    return undefined
  }
}
