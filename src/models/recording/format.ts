import { z } from 'zod'
import type { ModelEvent, Price, Reply } from '../model.ts'
import type { NormalTurn } from './normalise.ts'

/**
 * A recording is a file of JSON lines: first which model it was, then one line for every request and what came of it,
 * and one for every step by which agents act on what they share, all in the order in which they happened. A request
 * holds only the turns that are new since the same agent's request before, at `from` on.
 */
export const VERSION = 2

export interface RecordedModel {
  /** 1: without steps, so that a team may not replay. */
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
  /** Something urgent came in before it was answered. */
  readonly interrupted?: true
}

export interface RecordedStep {
  readonly step: string
}

/** Only the frame is checked: what a reply holds is the business of the provider it came from. */
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
