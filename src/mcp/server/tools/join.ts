import { z } from 'zod'
import type { Answer } from '../../../team/answers/answer.ts'
import { isRefusal, type Refusal } from '../../../team/refusal.ts'
import { type TeamTool, teamTool } from '../team-tool.ts'

/** Offered where the server was started for no particular member: the caller chooses a name that is not in use. */
export function joinTool(join: (name: string, role: string) => Promise<Answer | Refusal>): TeamTool {
  return teamTool({
    name: 'join',
    title: 'Join the team',
    description: 'Joins the team as an external member. Call it once, before everything that needs a member.',
    input: z.object({
      name: z.string().max(64).describe('a name that no member has: letters, digits, - and _'),
      role: z.string().max(64).describe('what you do in the team, such as backend developer'),
    }),
    output: z.object({ name: z.string(), role: z.string() }),
    async run({ name, role }) {
      const answer = await join(name, role)
      if (isRefusal(answer)) return answer
      const { member } = answer
      if (!member) throw new Error(`${name} joined and cannot be seen.`)
      return { data: { name: member.name, role: member.role }, text: `You are ${member.name} (${member.role}).` }
    },
  })
}
