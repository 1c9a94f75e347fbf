import type { ReplayLines } from './replayed-view.ts'

/** Seconds that the wait before a step takes at most, at speed 1. */
export const MAX_WAIT_S = 2

/** Seconds to wait before a step at speed 1. */
export function waitBefore(lines: Pick<ReplayLines, 'timeOf'>, step: number): number {
  return Math.min(MAX_WAIT_S, gapBefore(lines, step))
}

/** Seconds that really passed before a step. */
export function gapBefore({ timeOf }: Pick<ReplayLines, 'timeOf'>, step: number): number {
  return step <= 1 ? 0 : Math.max(0, timeOf(step) - timeOf(step - 1))
}
