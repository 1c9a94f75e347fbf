import type { Model } from '../../models/model.ts'

/** Tokens of a window of unknown size; `models."provider/model".context` in the settings sets it. */
export const USUAL_WINDOW = 200_000
/** Tokens of the longest answer, as models give by default. */
const USUAL_OUTPUT = 8000

/** A model and how long its answers may be. */
export interface ModelWindow {
  readonly model: Pick<Model, 'context'>
  readonly maxOutput?: number | undefined
}

/** In tokens of one request. */
export interface CompactionLimits {
  /** From here on old results are put aside, if that frees at least a `step`. */
  readonly demote: number
  /** From here on the history is summarised. */
  readonly summarise: number
  readonly step: number
  /** So much of the end of the history stays as it was said. */
  readonly keep: number
}

/** The answer has to fit into the window too. Of a tiny window half is for the history, whatever an answer may take. */
export function limitsOf({ model, maxOutput = USUAL_OUTPUT }: ModelWindow): CompactionLimits {
  const window = model.context ?? USUAL_WINDOW
  const summarise = Math.floor(Math.max(window - Math.max(window * 0.07, maxOutput + 1000), window / 2))
  return {
    summarise,
    demote: Math.floor(summarise * 0.7),
    step: Math.floor(summarise * 0.1),
    keep: Math.floor(summarise * 0.1),
  }
}
