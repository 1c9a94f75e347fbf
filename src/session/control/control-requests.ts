import { z } from 'zod'
import { MODES } from '../../permissions/rules/modes.ts'
import type { SessionControl } from './session-control.ts'

/** Of requests over the control socket; it names no host. */
export const CONTROL_HOST = 'deskmates'
export const LINES_PATH = '/v1/lines'
export const SESSION_PATH = '/v1/session'

const name = z.string().min(1).max(200)
const text = z.string().max(2_000_000)
const answer = z.union([
  z.strictObject({ allowed: z.literal(true), always: z.boolean().optional(), saved: z.boolean().optional() }),
  z.strictObject({ allowed: z.literal(false), why: text.optional(), always: z.boolean().optional() }),
])

type Operation = Exclude<keyof SessionControl, 'session' | 'subscribe' | typeof Symbol.asyncDispose>

/** The arguments of each operation, as a request writes them. */
export const ARGUMENTS = {
  prompt: z.tuple([text, text.nullable().optional()]),
  history: z.tuple([name, z.number().int().min(0).max(100_000)]),
  interrupt: z.tuple([name]),
  send: z.tuple([name, text]),
  answer: z.tuple([name, answer]),
  answerRequest: z.tuple([name, z.boolean(), text]),
  rules: z.tuple([]),
  setMode: z.tuple([z.enum(MODES)]),
  setModel: z.tuple([name]),
  spawn: z.tuple([name, text, text]),
  stop: z.tuple([name, z.boolean()]),
  compact: z.tuple([text.nullable()]),
} satisfies Record<Operation, z.ZodType>

export type ControlOperation = keyof typeof ARGUMENTS

/** What a person decides in front of the session: another process may do it only behind a sandbox, or if the user said so. */
export const DECISIONS: ReadonlySet<ControlOperation> = new Set<ControlOperation>(['answer', 'setMode'])

export function operationPath(operation: ControlOperation): string {
  return `/v1/${operation}`
}

/** The last line of a stream: no line follows, for this reason. */
export const StreamEnd = z.strictObject({ end: z.string() })
