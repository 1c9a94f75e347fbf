import { hash } from 'node:crypto'
import { messageView } from '../../../team/answers/view.ts'
import { contentHash } from '../../../team/data/hash.ts'
import type { Message } from '../../../team/message.ts'
import { nameKey } from '../../../team/name.ts'
import type { TeamState, Unread } from '../../../team/state.ts'

/** The last member of a line that shows a message in an inbox file. No other program has a reason to write it. */
const MARK = ',"view_sum":"'
const SUM_DIGITS = 16

/** A message as a line of an inbox file: its id first, and last a hash of all bytes before it. */
export function messageLine(unread: Unread): string {
  const { id, ...rest } = messageView(unread)
  const body = JSON.stringify({ id, ...rest }).slice(0, -1)
  return `${body}${MARK}${sumOf(body)}"}`
}

/** `exact`: the line is as we wrote it. `damaged`: it was changed since. Undefined: it has no sum. */
export type SumCheck = 'exact' | 'damaged' | undefined

/**
 * Compares a line with its sum. Another program, or an older version of ours, writes no sum. Inside a JSON string the
 * quotes of the mark would be escaped, so no content can hold it.
 */
export function checkSum(line: string): SumCheck {
  const at = line.lastIndexOf(MARK)
  if (at === -1) return undefined
  const body = line.slice(line.indexOf('{'), at)
  return line.slice(at + MARK.length).trimEnd() === `${sumOf(body)}"}` ? 'exact' : 'damaged'
}

/**
 * Whether we wrote this line to show unread mail. Our lines are in the journal before they are in a file, so a state that
 * is folded to its end knows them; `mailbox` is for mail so old that the fold forgot its id.
 */
export function isOwnLine(state: TeamState, mailbox: string, value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false
  const { id, type, from, content, returns } = value as Partial<Record<string, unknown>>
  if (typeof id !== 'string' || typeof type !== 'string' || typeof from !== 'string' || typeof content !== 'string')
    return false
  const hash = contentHash({ type: type as Message['type'], from, content })
  const known = state.messages.get(id)
  if (known !== undefined) return known === hash
  const unread = state.mailboxes.get(nameKey(mailbox))?.get(id)
  if (unread) return contentHash(unread.message) === hash
  // A returned message was never sent under its own id: the fold made it.
  const original = typeof returns === 'string' && id === `${returns}.returned.${nameKey(from)}`
  return original && type === 'error' && state.messages.get(returns) !== undefined
}

/** Whether this is the beginning of a line of ours. Its message is in the journal, so nothing is lost with it. */
export function isTornOwnLine(state: TeamState, mailbox: string, text: string): boolean {
  const id = /^\{"id":"([^"\\]+)",/.exec(text)?.[1]
  if (id === undefined) return false
  return state.messages.get(id) !== undefined || state.mailboxes.get(nameKey(mailbox))?.get(id) !== undefined
}

function sumOf(body: string): string {
  return hash('sha256', body, 'hex').slice(0, SUM_DIGITS)
}
