import { z } from 'zod'
import { Usage } from '../../team/usage.ts'
import type { ModelRequest } from '../model.ts'

/** A text is looked for; `/…/i` and regular expressions are matched. */
const Pattern = z.union([z.string(), z.instanceof(RegExp)])

const Conditions = z.strictObject({
  /** In what the user turn says that came since the model's last answer. */
  user: Pattern.optional(),
  /** In a tool result that came since then; `{ tool, text }` to look at one tool only. */
  result: z.union([Pattern, z.strictObject({ tool: z.string(), text: Pattern.optional() })]).optional(),
  /** Anywhere in the conversation. */
  conversation: Pattern.optional(),
  system: Pattern.optional(),
  /** Which answer of the conversation it is, counted from 1. */
  answer: z.number().int().positive().optional(),
})
export type Conditions = z.infer<typeof Conditions>
export type Pattern = z.infer<typeof Pattern>

const seconds = z.number().nonnegative()

const Faults = z.enum([
  'rate limit',
  'overloaded',
  'server',
  'network',
  'tls',
  'time-out',
  'cut off',
  'unreadable',
  'empty',
  'refused',
  'key',
  'permission',
  'billing',
  'model',
  'too long',
  'request',
])

const answer = {
  text: z.string().optional(),
  reasoning: z.string().optional(),
  calls: z
    .array(
      z.strictObject({
        tool: z.string(),
        /** Else `call_<answer>_<number>`. */
        id: z.string().optional(),
        input: z.record(z.string(), z.unknown()).default({}),
        /** What the model writes instead of a JSON object. */
        malformed: z.string().optional(),
      }),
    )
    .default([]),
  /** Fails, after the text if there is one. */
  error: z.strictObject({ fault: Faults, message: z.string().optional(), retryAfter: seconds.optional() }).optional(),
  /** Seconds before anything comes. */
  delay: seconds.default(0),
  /** Characters of each piece of the text. */
  chunk: z.number().int().positive().default(20),
  /** Seconds between pieces. */
  pace: seconds.default(0),
  end: z.enum(['finished', 'length', 'refused']).default('finished'),
  /** Else estimated, the same every time. */
  usage: Usage.partial().default({}),
  /** In US dollars, null for unknown; else from the usage and the price. */
  cost: z.number().nullable().optional(),
}

export const Answer = z.strictObject(answer)
export type Answer = z.infer<typeof Answer>

const who = {
  /** Whom it answers; everybody if left out. */
  agent: z.union([z.string(), z.array(z.string())]).optional(),
  when: Conditions.default({}),
  /** How often it answers. */
  times: z.union([z.number().int().positive(), z.literal('always')]).default(1),
}

/**
 * Computes the answer from the request; only in scripts that are programs. It may wait, and should reject with the reason
 * of the signal when that aborts.
 */
export type Compose = (
  request: ModelRequest,
  signal: AbortSignal,
) => z.input<typeof Answer> | Promise<z.input<typeof Answer>>

const Part = z.union([
  z.strictObject({ ...who, compose: z.custom<Compose>((value) => typeof value === 'function', 'is a function') }),
  z.strictObject({ ...who, ...answer }),
])
export type Part = z.infer<typeof Part>

const rate = z.number().default(0)
const Dollars = z.strictObject({ input: rate, output: rate, cacheRead: rate, cacheWrite: rate })

/** What a scripted model answers. The first part that fits and is not used up does. */
export const Script = z.strictObject({
  parts: z.array(Part),
  /** As if it were a model with so small a window. */
  context: z.number().int().positive().optional(),
  /** US dollars per million tokens; a scripted model is free of charge. */
  price: Dollars.prefault({}),
})
export type Script = z.input<typeof Script>
