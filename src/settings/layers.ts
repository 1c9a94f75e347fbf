import type { Settings } from './settings.ts'

/** Where settings come from, by precedence. */
export const SOURCES = ['managed', 'flags', 'local', 'project', 'user'] as const
export type Source = (typeof SOURCES)[number]

export interface Layer {
  readonly source: Source
  /** The file; undefined for single options of the command line. */
  readonly path?: string
  readonly values: Settings
}

/** One value and its source. A key whose lists are combined has one for each layer that adds to it. */
export interface Origin {
  readonly key: string
  readonly value: unknown
  readonly source: Source
  readonly path?: string
}

/** Merges key by key; the first layer with a key wins. Lists of rules and hooks are combined: no file removes another's. */
export function mergeLayers(layers: readonly Layer[]): { settings: Settings; origins: Origin[] } {
  const settings = {}
  const origins: Origin[] = []
  const sorted = [...layers].sort((a, b) => SOURCES.indexOf(a.source) - SOURCES.indexOf(b.source))
  for (const layer of sorted) merge(settings, layer.values, '', layer, origins)
  origins.sort((a, b) => (a.key < b.key ? -1 : a.key > b.key ? 1 : 0))
  return { settings, origins }
}

function merge(into: Plain, from: object, prefix: string, layer: Layer, origins: Origin[]): void {
  for (const [name, value] of Object.entries(from)) {
    const key = prefix + name
    if (key === '$schema' || value === undefined) continue
    const isSet = Object.hasOwn(into, name)
    // A program is taken from one file as a whole: another one must not change its address or its variables.
    if (isPlain(value) && !WHOLE.has(key) && !PROGRAMS.has(prefix)) {
      if (!isSet) into[name] = {}
      if (isPlain(into[name])) merge(into[name], value, `${key}.`, layer, origins)
      continue
    }
    const origin = { key, value, source: layer.source, ...(layer.path !== undefined && { path: layer.path }) }
    // Which of several programs of one name counts is decided by who wrote it.
    if (isSet && PROGRAMS.has(prefix)) origins.push(origin)
    if (isSet && !COMBINED_LISTS.test(key)) continue
    into[name] = isSet ? [...(into[name] as unknown[]), ...(value as unknown[])] : value
    origins.push(origin)
  }
}

/** Taken from one layer or not at all: a part of it says how another part is run. */
const WHOLE = new Set(['statusLine'])
/** Their members are programs by name. */
const PROGRAMS = new Set(['mcpServers.', 'agents.'])
const COMBINED_LISTS = /^(permissions\.(allow|ask|deny)|hooks\.\w+|sandbox\.env)$/

type Plain = Record<string, unknown>

function isPlain(value: unknown): value is Plain {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
