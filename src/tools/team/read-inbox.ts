import { z } from 'zod'
import type { Letterbox } from '../../ports/seat.ts'
import { defineTool } from '../define-tool.ts'
import description from './read-inbox.md'
import { seatOf } from './seat-of.ts'

/** Characters of mail in one result; what is longer goes in alone. */
const ENOUGH = 40_000

export const readInbox = defineTool({
  name: 'read_inbox',
  description,
  input: z.strictObject({}),
  wish: () => undefined,
  async run(_, world) {
    const current = await seatOf(world)
    const waiting: Letterbox[] = []
    for (const team of world.seats?.teams ?? [current.team])
      waiting.push(...(await (await seatOf(world, team)).unread()))
    if (waiting.length === 0) return 'No new mail.'
    const shown = thatFit(waiting)
    const left = waiting.length - shown.length
    const text = shown.map(({ words }) => words).join('\n')
    const more = left === 0 ? '' : `\n[${left} more wait; call read_inbox again]`
    // Only what is shown is delivered: the rest must reach its reader another time.
    const mail = (__BUG__ === 'deliver-unseen-mail' ? waiting : shown).map(({ message }) => message.id)
    return { text: `${await world.outputs.fit(text, 'mail')}${more}`, mail }
  },
})

function thatFit(waiting: readonly Letterbox[]): readonly Letterbox[] {
  let length = 0
  const count = waiting.findIndex(({ words }) => {
    length += words.length
    return length > ENOUGH
  })
  return count === -1 ? waiting : waiting.slice(0, Math.max(1, count))
}
