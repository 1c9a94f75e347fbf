import { readFile } from 'node:fs/promises'
import { extname } from 'node:path'
import { pathToFileURL } from 'node:url'
import { z } from 'zod'
import { Usage } from '../../team/members/usage.ts'
import { ModelFailure, type ModelRequest } from '../model.ts'

/** A text is searched for; `/…/i` and regular expressions are matched. */
const Pattern = z.union([z.string(), z.instanceof(RegExp)])

const Conditions = z.strictObject({
  /** In the user turn since the model's last answer. */
  user: Pattern.optional(),
  /** In a tool result since the model's last answer; `{ tool, text }` for one tool only. */
  result: z.union([Pattern, z.strictObject({ tool: z.string(), text: Pattern.optional() })]).optional(),
  /** Anywhere in the conversation. */
  conversation: Pattern.optional(),
  system: Pattern.optional(),
  /** The number of the answer in its conversation, from 1. */
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
        /** Text that the model writes instead of a JSON object. */
        malformed: z.string().optional(),
      }),
    )
    .default([]),
  /** Fails with this fault, after the text if there is one. */
  error: z.strictObject({ fault: Faults, message: z.string().optional(), retryAfter: seconds.optional() }).optional(),
  /** Seconds before the first piece. */
  delay: seconds.default(0),
  /** Characters per piece of the text. */
  chunk: z.number().int().positive().default(20),
  /** Seconds between pieces. */
  pace: seconds.default(0),
  end: z.enum(['finished', 'length', 'refused']).default('finished'),
  /** By default estimated, the same every time. */
  usage: Usage.partial().default({}),
  /** In US dollars, null for unknown; else from the usage and the price. */
  cost: z.number().nullable().optional(),
}

export const Answer = z.strictObject(answer)
export type Answer = z.infer<typeof Answer>

const selection = {
  /** The agents it answers; by default all. */
  agent: z.union([z.string(), z.array(z.string())]).optional(),
  when: Conditions.default({}),
  /** How often this part answers. */
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
  z.strictObject({ ...selection, compose: z.custom<Compose>((value) => typeof value === 'function', 'is a function') }),
  z.strictObject({ ...selection, ...answer }),
])
export type Part = z.infer<typeof Part>

const rate = z.number().default(0)
const Dollars = z.strictObject({ input: rate, output: rate, cacheRead: rate, cacheWrite: rate })

/** What a scripted model answers: the first part that matches and is not used up. */
export const Script = z.strictObject({
  parts: z.array(Part),
  /** The context window of the model, in tokens. */
  context: z.number().int().positive().optional(),
  /** US dollars per million tokens; by default 0. */
  price: Dollars.prefault({}),
})
export type Script = z.input<typeof Script>

/** A script in a JSON file, or the default export of a program (.js, .mjs). */
export async function scriptFromFile(path: string): Promise<Script> {
  const isProgram = ['.js', '.mjs'].includes(extname(path))
  try {
    if (!isProgram) return JSON.parse(await readFile(path, 'utf8'))
    const program: { default?: Script } = await import(/* @vite-ignore */ pathToFileURL(path).href)
    if (program.default !== undefined) return program.default
  } catch (cause) {
    throw new ModelFailure(
      { model: `scripted:${path}`, fault: 'script', cause },
      `Cannot read the script ${path}: ${cause instanceof Error ? cause.message : cause}. docs/scripted-model.md describes the format.`,
    )
  }
  throw new ModelFailure(
    { model: `scripted:${path}`, fault: 'script' },
    `The script ${path} has no default export. Write \`export default { parts: [ … ] }\`.`,
  )
}
