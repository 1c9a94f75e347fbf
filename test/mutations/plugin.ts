import { appendFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Plugin } from 'vite'
import { MUTATION, mutate } from './mutation.ts'

/** Puts the mutation of this run, if it has one, into its source before anything else sees the source. */
export function applyMutation(root: string): Plugin | undefined {
  const text = process.env[MUTATION]
  if (text === undefined) return undefined
  const { appliedTo, ...mutation } = JSON.parse(text)
  return {
    name: 'mutation',
    enforce: 'pre',
    transform(code, id) {
      if (id.split('?')[0] !== join(root, mutation.file)) return null
      const mutated = mutate(code, mutation)
      appendFileSync(appliedTo, `${mutation.file}\n`)
      return mutated
    },
  }
}
