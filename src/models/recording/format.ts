import { z } from 'zod'
import type { ModelEvent, Price, Reply } from '../model.ts'
import type { NormalTurn } from './normalise.ts'

/**
 * A recording is a file of JSON lines: first the model, then one line for every request with its outcome and one for
 * every step by which agents act on shared state, in the order in which they happened. A request contains only the turns
 * that are new since the previous request of the same agent, from index `from` on.
 */
export const VERSION = 2

export interface RecordedModel {
  /** 1: without steps, so that the replay of a team may differ. */
  readonly v: 1 | typeof VERSION
  readonly model: string
  readonly provider: string
  readonly context?: number
  readonly price?: Price
}

export interface RecordedCall {
  readonly agent: string
  readonly request: {
    readonly system: string
    readonly tools: readonly string[]
    readonly from: number
    readonly turns: readonly NormalTurn[]
  }
  readonly events: readonly ModelEvent[]
  readonly reply?: Reply
  readonly failure?: RecordedFailure
  /** An urgent message interrupted the call. */
  readonly interrupted?: true
}

export interface RecordedStep {
  readonly step: string
}

/** Only the frame is validated: the content of a reply depends on its provider. */
export const ModelLine = z.looseObject({
  v: z.union([z.literal(1), z.literal(VERSION)]),
  model: z.string(),
  provider: z.string(),
})
export const CallLine = z.looseObject({
  agent: z.string(),
  request: z.looseObject({
    system: z.string(),
    tools: z.array(z.string()),
    from: z.number().int().nonnegative(),
    turns: z.array(z.unknown()),
  }),
  events: z.array(z.looseObject({ type: z.string() })),
})

export const StepLine = z.looseObject({ step: z.string() })

export interface RecordedFailure {
  readonly fault: string
  readonly message: string
  readonly emitted: boolean
}
