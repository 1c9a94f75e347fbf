import { z } from 'zod'
import { isHandOff, type Message } from '../message.ts'

/** What the last hand-off of its kind and sender said about the tests of a plan, or about a check. */
export const ReportedResult = z.object({
  /** `qa_result`, `code_review_result` …, also types that an organisation adds. */
  kind: z.string(),
  /** Missing in what older versions wrote. */
  from: z.string().default(''),
  /** Null where it is not about one plan. */
  plan: z.string().nullable(),
  /** PASS, FAIL … of a check. */
  result: z.string().nullable(),
  /** Tests that were written, and whether all of them failed before the implementation. */
  tests: z.number().nullable(),
  isRed: z.boolean(),
  at: z.number(),
  /** The number that the next task got or will get: it says between which tasks the result was reported. */
  nextTask: z.number().default(0),
})
export type ReportedResult = z.infer<typeof ReportedResult>

const TESTS = 'test_plan_result'

export function resultKey({ kind, plan, from }: Pick<ReportedResult, 'kind' | 'plan' | 'from'>): string {
  return `${kind} ${plan ?? ''} ${from}`
}

/** The newest of a kind, about this plan or, with null, about none. */
export function lastResult(
  results: Iterable<ReportedResult>,
  { kind, plan }: Pick<ReportedResult, 'kind' | 'plan'>,
): ReportedResult | undefined {
  let last: ReportedResult | undefined
  for (const result of results)
    if (result.kind === kind && result.plan === plan && (last === undefined || result.at >= last.at)) last = result
  return last
}

/** The result in a message; undefined for a message that holds none. */
export function reportedResult(
  message: Message,
  when: Pick<ReportedResult, 'at' | 'nextTask'>,
): ReportedResult | undefined {
  const { type, content, from, handoff } = message
  const kind = typeof handoff === 'string' ? handoff : type
  return isHandOff(type) || kind !== type ? resultIn(kind, fieldsOf(content), { ...when, from }) : undefined
}

/** The result in the fields of a hand-off. */
export function resultIn(
  kind: string,
  fields: Readonly<Record<string, unknown>> | undefined,
  about: Pick<ReportedResult, 'from' | 'at' | 'nextTask'>,
): ReportedResult | undefined {
  if (!fields) return undefined
  const { plan_id, result, total_tests, all_red } = fields
  if (typeof result !== 'string' && kind !== TESTS) return undefined
  return {
    ...{ ...about, kind, plan: typeof plan_id === 'string' ? plan_id : null },
    result: typeof result === 'string' ? result : null,
    tests: typeof total_tests === 'number' ? total_tests : null,
    isRed: all_red === true,
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
