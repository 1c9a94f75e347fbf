import { z } from 'zod'
import type { Message } from '../message.ts'

/** What the last hand-off of its kind said about the tests of a plan, or about a check of the whole phase. */
export const ReportedResult = z.object({
  kind: z.enum(['test_plan_result', 'qa_result', 'qa_code_result', 'security_audit']),
  /** Null where it is not about one plan. */
  plan: z.string().nullable(),
  /** PASS, FAIL … of a check. */
  result: z.string().nullable(),
  /** Tests that were written, and whether all of them failed before the implementation. */
  tests: z.number().nullable(),
  isRed: z.boolean(),
  at: z.number(),
})
export type ReportedResult = z.infer<typeof ReportedResult>

const KINDS: ReadonlySet<string> = new Set(ReportedResult.shape.kind.options)

export function resultKey({ kind, plan }: Pick<ReportedResult, 'kind' | 'plan'>): string {
  return `${kind} ${plan ?? ''}`
}

/** The result in a message; undefined for every other message, and for one whose content is not an object. */
export function reportedResult({ type, content }: Pick<Message, 'type' | 'content'>, at: number) {
  if (!KINDS.has(type)) return undefined
  const said = fieldsOf(content)
  if (!said) return undefined
  const { plan_id, result, total_tests, all_red } = said
  return {
    kind: type as ReportedResult['kind'],
    plan: typeof plan_id === 'string' ? plan_id : null,
    result: typeof result === 'string' ? result : null,
    tests: typeof total_tests === 'number' ? total_tests : null,
    isRed: all_red === true,
    at,
  }
}

/** Of the content itself, or of the `payload` of an envelope. */
function fieldsOf(content: string): Readonly<Record<string, unknown>> | undefined {
  try {
    const value: unknown = JSON.parse(content)
    if (!isObject(value)) return undefined
    return isObject(value.payload) ? value.payload : value
  } catch {
    return undefined
  }
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
