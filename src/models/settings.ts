import { z } from 'zod'

const dollars = z.number().nonnegative()

/** US dollars per million tokens. Cached input without a price costs as much as other input. */
const PriceSetting = z
  .strictObject({
    input: dollars,
    output: dollars,
    cacheRead: dollars.optional(),
    cacheWrite: dollars.optional(),
  })
  .transform(({ input, output, cacheRead = input, cacheWrite = input }) => ({ input, output, cacheRead, cacheWrite }))

export const ProviderKind = z.enum(['anthropic', 'openai', 'openai-chat', 'google', 'compatible'])
export type ProviderKind = z.infer<typeof ProviderKind>

const ProviderSetting = z.strictObject({
  /** Its protocol; an unknown provider is OpenAI-compatible. */
  kind: ProviderKind.optional(),
  baseUrl: z.string().optional(),
  key: z.string().optional(),
  /** The name of the variable that holds the key. */
  keyFrom: z.string().optional(),
  headers: z.record(z.string(), z.string()).optional(),
})

const ModelSetting = z.strictObject({
  /** How many tokens fit into a request with its answer. */
  context: z.number().int().positive().optional(),
  maxOutput: z.number().int().positive().optional(),
  /** Whether it can be given images. */
  images: z.boolean().optional(),
  /** Passed on to the provider package unchanged. */
  options: z.record(z.string(), z.record(z.string(), z.json())).optional(),
})

/** The settings of models. Every key of `prices` and `models` is a model as the user names it: `provider/model`. */
export const ModelSettings = z.strictObject({
  providers: z.record(z.string(), ProviderSetting).default({}),
  prices: z.record(z.string(), PriceSetting).default({}),
  models: z.record(z.string(), ModelSetting).default({}),
  /** Seconds until a call to a silent provider fails. */
  patience: z
    .strictObject({ firstByte: z.number().positive().optional(), silence: z.number().positive().optional() })
    .default({}),
})
export type ModelSettings = z.infer<typeof ModelSettings>
