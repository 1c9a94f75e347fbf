import { createHash } from 'node:crypto'
import type { Reads } from '../tool.ts'

/** Hashes of the files that one agent has read. In memory only: after a restart it reads again before it edits. */
export function createReads(): Reads {
  const seen = new Map<string, string>()
  return { get: (path) => seen.get(path), set: (path, hash) => void seen.set(path, hash) }
}

export function hashOf(content: Uint8Array): string {
  return createHash('sha256').update(content).digest('hex')
}
