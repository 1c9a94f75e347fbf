import type { Plugin } from 'vite'

declare global {
  /** Set by ./runner.mjs, which runs vitest in its own process: the mutated text of a source, by its path. */
  var mutatedSource: ((path: string) => string | undefined) | undefined
}

/** Loads the mutated text of a source while a mutation runs. In every other run it does nothing. */
export function applyMutation(): Plugin {
  return {
    name: 'mutation',
    enforce: 'pre',
    load: (id) => globalThis.mutatedSource?.(id.split('?')[0]!) ?? null,
  }
}
