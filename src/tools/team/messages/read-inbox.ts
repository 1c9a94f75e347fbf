import { z } from 'zod'
import { defineOwnTool } from '../../own-tool.ts'
import type { UnreadMessage } from '../../team-membership.ts'
import { membershipOf } from '../membership-of.ts'
import description from './read-inbox.md'

/** Of messages in one result; a longer message comes alone, as head, tail and the path of the whole. */
const MAX_MAIL_BYTES = 40_000

export const readInbox = defineOwnTool({
  name: 'read_inbox',
  roles: ['lead', 'teammate'],
  spelling: 'simple',
  needsTeam: true,
  description,
  input: z.strictObject({}),
  action: () => undefined,
  async run(_, context) {
    await membershipOf(context)
    const waiting: UnreadMessage[] = []
    for (const membership of context.memberships()) {
      await membership.refresh()
      waiting.push(...(await membership.unread()))
    }
    if (waiting.length === 0) return 'No new mail.'
    const shown = thatFit(waiting)
    const left = waiting.length - shown.length
    const [first] = shown
    const long = first && sizeOf(first) > MAX_MAIL_BYTES ? first.excerpt(context.outputs.keep) : undefined
    const text = long?.words ?? shown.map(({ text: words }) => words).join('\n')
    const more = left === 0 ? '' : `\n[${left} more wait; call read_inbox again]`
    // Only what the result shows counts as delivered.
    const mail = shown.map(({ message }) => message.id)
    if (!first || !long) return { text: `${text}${more}`, mail }
    // The file is durable before the result names it; a resumed agent restores it from the journal.
    const file = { message: first.message.id, path: long.path, sum: context.outputs.sumOf(long.path) }
    return { text: `${text}${more}`, mail, files: [file] }
  },
})

function thatFit(waiting: readonly UnreadMessage[]): readonly UnreadMessage[] {
  let length = 0
  const count = waiting.findIndex((one) => {
    length += sizeOf(one)
    return length > MAX_MAIL_BYTES
  })
  return count === -1 ? waiting : waiting.slice(0, Math.max(1, count))
}

function sizeOf({ text: words }: UnreadMessage): number {
  return Buffer.byteLength(words)
}
