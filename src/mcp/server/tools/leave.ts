import { z } from 'zod'
import type { Author } from '../../../team/event.ts'
import { isRefusal } from '../../../team/refusal.ts'
import { heldBy } from '../../../team/state.ts'
import { type TeamTool, teamTool } from '../team-tool.ts'

/** `onLeft` is called when the caller is no member any more, so that nothing of it is kept. */
export function leaveTool(onLeft: (caller: Author) => void): TeamTool {
  return teamTool({
    name: 'leave',
    title: 'Leave the team',
    description:
      'Leaves the team for good. A task that you hold is free for others again, unread mail returns to its senders, and later mail to you bounces. Call it when your work is over.',
    input: z.object({ reason: z.string().max(500).optional().describe('why, for the other members') }),
    output: z.object({
      name: z.string(),
      released: z.string().nullable().describe('the task that is free again'),
      returned: z.number().describe('unread messages that returned to their senders'),
    }),
    async run({ reason }, { team, by }) {
      const released = heldBy(team.state, by.name)?.id ?? null
      const answer = await team.run({ type: 'member.stop', name: by.name, reason: reason || 'left' }, { by })
      if (isRefusal(answer)) return answer
      onLeft(by)
      const returned = (answer.effects ?? []).filter(({ outcome }) => outcome === 'bounced').length
      const words = [
        `${by.name} has left the team.`,
        ...(released === null ? [] : [`Task ${released} is free again.`]),
        ...(returned === 0 ? [] : [`${returned} unread returned to their senders.`]),
      ]
      return { data: { name: by.name, released, returned }, text: words.join(' ') }
    },
  })
}
