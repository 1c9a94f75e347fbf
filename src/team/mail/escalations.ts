import { z } from 'zod'
import type { Table } from '../data/table.ts'
import type { Message } from '../message.ts'
import { nameKey } from '../name.ts'
import { Timestamp } from '../task.ts'

/** An escalation between members that its recipient has not answered yet; `id` is that of its message. */
export const OpenEscalation = z.object({
  id: z.string(),
  from: z.string(),
  to: z.string(),
  content: z.string(),
  at: Timestamp,
})
export type OpenEscalation = z.infer<typeof OpenEscalation>

/** How many the state keeps; all of them are in the journal. */
const KEPT = 100

/**
 * Follows one message. An escalation is open until its recipient writes to its sender or escalates itself, or the runtime
 * passes it on (`escalates` names it).
 */
export function followEscalations(escalations: Table<string, OpenEscalation>, message: Message, at: number): void {
  const from = nameKey(message.from)
  const to = nameKey(message.to)
  const isToAll = message.type === 'broadcast' || to === 'all'
  for (const open of [...escalations.values()]) {
    const isByRecipient = from === nameKey(open.to)
    const isAnswer = isByRecipient && (isToAll || to === nameKey(open.from) || message.type === 'escalation')
    if (isAnswer || message.escalates === open.id) escalations.delete(open.id)
  }
  if (message.type !== 'escalation') return
  const { id, content } = message
  escalations.set(id, { id, from: message.from, to: message.to, content, at })
  for (const old of [...escalations.keys()].slice(0, -KEPT)) escalations.delete(old)
}
