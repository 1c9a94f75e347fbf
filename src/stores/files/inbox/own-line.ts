import { hash } from 'node:crypto'
import type { Unread } from '../../../team/state.ts'
import { messageView } from '../../../team/view.ts'

/** The last member of a line that shows a message in a mailbox file. No other program has a reason to write it. */
const MARK = ',"view_sum":"'
const DIGITS = 16

/** A message as a line of a mailbox file: its id first, and last a sum of all bytes before it. */
export function shownLine(unread: Unread): string {
  const { id, ...rest } = messageView(unread)
  const body = JSON.stringify({ id, ...rest }).slice(0, -1)
  return `${body}${MARK}${sumOf(body)}"}`
}

/** What the sum says of a line in a mailbox file: it is as we wrote it, it was changed since, or it is not ours. */
export type Copy = 'exact' | 'damaged' | undefined

/**
 * Judges a line by its sum. Undefined where it has none: another program wrote it, or a version of ours that wrote no
 * sums. Inside a JSON string the quotes of the mark would be escaped, so no content can hold it.
 */
export function judgeCopy(line: string): Copy {
  const at = line.lastIndexOf(MARK)
  if (at === -1) return undefined
  const body = line.slice(line.indexOf('{'), at)
  return line.slice(at + MARK.length).trimEnd() === `${sumOf(body)}"}` ? 'exact' : 'damaged'
}

function sumOf(body: string): string {
  return hash('sha256', body, 'hex').slice(0, DIGITS)
}
