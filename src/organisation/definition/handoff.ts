import { z } from 'zod'
import { fixedObject, listOf, oneOf, text, yesOrNo } from './fixed-schema.ts'
import { handOffFileName } from './phase-file-name.ts'

/** Names of types of hand-offs. */
export const HANDOFF_TYPE = /^[a-z][a-z0-9_]{0,63}$/

const END = 'Write a role (dev), a role of a department (frontend/lead), any, or for "to" also up.'
const end = text(END).regex(/^(?:[a-z][a-z0-9_-]{0,31}\/)?[a-z][a-z0-9_-]{0,31}$/, END)
const ends = z
  .union([end, listOf(end, END).min(1, END)], { error: END })
  .transform((value) => (Array.isArray(value) ? value : [value]))

/**
 * How a hand-off travels.
 *
 * message  by SendMessage, inside of a team
 * file     recorded by the runtime and written to a file of the phase, between leads and the owner
 * result   the final answer of a one-shot agent
 */
export const VIA = ['message', 'file', 'result'] as const

export const HandoffEntry = fixedObject({
  /** Roles; `any` is every role of a team. */
  from: ends,
  /** Roles; `up` is the next level of the escalation chain. */
  to: ends,
  via: oneOf(VIA).default('message'),
  /** Where it is written: a file of the phase folder, with {department} for the name of the sender's department. */
  file: handOffFileName.optional(),
  /** Plain text is accepted instead of the fields. */
  text: yesOrNo('Write text: true, or leave it out.').default(false),
  /** The field whose values only move forward, in the order in which they are listed. */
  progress: text('Write the name of a field with several words, like status.').optional(),
  fields: z.unknown(),
})

/** A typed message between roles: who sends it to whom, how, and what is in it. */
export interface Handoff extends Omit<z.infer<typeof HandoffEntry>, 'fields'> {
  /** Of its content, without `type`. */
  readonly schema: z.ZodObject
}
