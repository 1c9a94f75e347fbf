import type { Turn } from '../../models/model.ts'
import { turnTokens } from './weigh.ts'

export interface CutLimits {
  /** Tokens at the end that stay if they fit. */
  readonly keep: number
  /** The last calls with their results stay unless they are larger than this. */
  readonly most: number
}

/**
 * How many turns at the end of a history stay as they are when the rest is summarised. A call and its result are never
 * separated; a turn without an answer always stays. Undefined: there is nothing before it to summarise.
 */
export function turnsToKeep(turns: readonly Turn[], { keep, most }: CutLimits): number | undefined {
  const last = groupStart(turns, turns.length - 1)
  const weight = (from: number, to: number) => turns.slice(from, to).reduce((sum, turn) => sum + turnTokens(turn), 0)
  if (last < 1)
    return turns.length > 1 && turns.at(-1)?.role === 'tool' && weight(0, turns.length) > most ? 0 : undefined
  const isAnswered = turns.at(-1)!.role === 'tool'
  if (isAnswered && weight(last, turns.length) > most) return 0
  let start = last
  let kept = weight(last, turns.length)
  while (start > 1) {
    const next = groupStart(turns, start - 1)
    kept += weight(next, start)
    if (next < 1 || kept > keep) break
    start = next
  }
  return turns.length - start
}

/** Where a history may be cut so that the turn at this place stays: results belong to the calls before them. */
function groupStart(turns: readonly Turn[], at: number): number {
  let start = at
  while (start > 0 && turns[start]!.role === 'tool') start--
  return start
}
