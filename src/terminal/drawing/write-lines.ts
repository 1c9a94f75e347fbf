import type { Writable } from 'node:stream'
import type { Drawn } from './drawn.ts'

/** Lines for a terminal that only prints: no colours, nothing is drawn again. */
export function writeLines(output: Writable, lines: readonly Drawn[]): void {
  for (const { bare } of lines) output.write(`${bare.trimEnd()}\n`)
}
