import { homedir } from 'node:os'
import { join, relative, resolve, sep } from 'node:path'
import { fitsGlob, type Glob, parseGlob } from './glob.ts'
import { isInside, placeOf } from './places.ts'

/**
 * What a path in a rule means, as in Claude Code:
 *
 * ~/x     below the home folder of the user
 * //x     an absolute path
 * /x      below the root of the project
 * ./x, x  the same; a pattern without `/` means a name in any folder of it
 */
export interface PathPattern {
  /** The pattern without what says where it begins. */
  readonly text: string
  /** Paths outside of it are not meant. */
  readonly base: string
  /** The folders that every path it means is in: the base, and the steps without wildcards below it. */
  readonly fixed: string
  /** A name, in whatever folder below the base. */
  readonly isName: boolean
  /** It stands for exactly one path and what is in it. */
  readonly isPlain: boolean
  matches(path: string): boolean
}

/** Undefined for a pattern that cannot be read. */
export function parsePathPattern(text: string, root: string, isCaseless = false): PathPattern | undefined {
  const { base, rest } = baseOf(text, root)
  const trimmed = rest.replace(/^(\.\/)+/, '').replace(/\/+$/, '')
  if (trimmed === '') return undefined
  const isName = !trimmed.includes('/') && base === root && !/^\/|^~/.test(text)
  const fold = (name: string) => (isCaseless ? name.toLowerCase() : name)
  const glob = parseGlob(fold(isName ? `**/${trimmed}` : trimmed))
  if (!glob) return undefined
  const steps = trimmed.split('/')
  const open = steps.findIndex((step) => /[*?[{\\]/.test(step))
  const fixed = isName ? base : resolve(base, ...(open === -1 ? steps : steps.slice(0, open)))
  return {
    text: trimmed,
    base,
    fixed,
    isName,
    isPlain: open === -1,
    matches: (path) => matches(glob, base, fold, placeOf(path, root)),
  }
}

function matches(glob: Glob, base: string, fold: (name: string) => string, place: string): boolean {
  if (!isInside(fold(base), fold(place)) || place.length === base.length) return false
  const below = isInside(base, place) ? relative(base, place) : place.slice(base.length)
  return fitsGlob(glob, fold(below).split(sep).filter(Boolean))
}

function baseOf(text: string, root: string): { base: string; rest: string } {
  if (text === '~' || text.startsWith('~/')) return { base: homedir(), rest: text.slice(2) || '**' }
  if (text.startsWith('//')) return { base: sep, rest: text.replace(/^\/+/, '') }
  if (text.startsWith('/')) return { base: root, rest: text.slice(1) }
  // Where it leads out of the project it is anchored at what it names.
  const steps = text.split('/')
  const ups = steps.findIndex((step) => step !== '..')
  return ups > 0
    ? { base: join(root, ...steps.slice(0, ups)), rest: steps.slice(ups).join('/') }
    : { base: root, rest: text }
}
