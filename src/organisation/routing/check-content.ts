import { z } from 'zod'
import type { HandOff } from '../../team/phases/phase.ts'
import type { Handoff } from '../definition/handoff.ts'

/** The content of a hand-off: its fields, or plain text where the type accepts that. */
export type HandoffContent =
  | { readonly fields: Readonly<HandOff['content']>; readonly envelope?: Envelope }
  | { readonly text: string }
  | { readonly issues: readonly string[] }

/** How typed protocols wrap the fields. The runtime knows sender, time and id itself; what a sender says must agree with it. */
const Envelope = z.looseObject({
  type: z.string().optional(),
  author_role: z.string().optional(),
  phase: z.string().nullish(),
  task: z.string().nullish(),
  schema_version: z.union([z.string(), z.number()]).optional(),
  confidence: z.union([z.string(), z.number()]).nullish(),
  payload: z.record(z.string(), z.json()),
})
export type Envelope = z.infer<typeof Envelope>

const MAX_ISSUES = 8

/** Parses the content as JSON and checks its fields; `type` may be repeated in them. Text that is not JSON is plain text. */
export function checkContent(type: string, { schema, text: allowsText }: Handoff, content: string): HandoffContent {
  const value = parseJson(content)
  if (!isObject(value)) return allowsText ? { text: content } : { issues: ['content: is not a JSON object'] }
  const envelope = 'payload' in value && !('payload' in schema.shape) ? Envelope.safeParse(value) : undefined
  if (envelope && !envelope.success) return { issues: issuesOf(envelope.error) }
  const { type: said = type, ...fields } = (
    envelope ? { type: envelope.data.type, ...envelope.data.payload } : value
  ) as {
    type?: unknown
  }
  if (said !== type) return { issues: [`type: is ${JSON.stringify(said)}, but the message is sent as ${type}`] }
  const parsed = schema.safeParse(fields)
  if (!parsed.success) return { issues: issuesOf(parsed.error) }
  return { fields: parsed.data as HandOff['content'], ...(envelope && { envelope: envelope.data }) }
}

function issuesOf({ issues }: z.ZodError): string[] {
  const all = issues.flatMap((issue) =>
    issue.code === 'unrecognized_keys'
      ? issue.keys.map((key) => `${[...issue.path, key].join('.')}: ${issue.message}`)
      : [`${issue.path.join('.') || 'content'}: ${issue.message}`],
  )
  return all.length > MAX_ISSUES ? [...all.slice(0, MAX_ISSUES), `${all.length - MAX_ISSUES} more`] : all
}

function parseJson(content: string): unknown {
  try {
    return JSON.parse(content)
  } catch {
    return undefined
  }
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
