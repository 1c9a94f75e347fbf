import { z } from 'zod'
import type { Member } from '../../../team/members/member.ts'
import { heldBy, roster } from '../../../team/state.ts'
import { defineOwnTool } from '../../own-tool.ts'
import { membershipOf, teamWords } from '../membership-of.ts'
import description from './list-teammates.md'

export const listTeammates = defineOwnTool({
  name: 'list_teammates',
  roles: ['lead'],
  spelling: 'simple',
  needsTeam: true,
  description,
  input: z.strictObject({}),
  isReadOnly: true,
  action: () => undefined,
  async run(_, context) {
    const { state, team, name } = await membershipOf(context)
    const others = roster(state).filter((member) => member.name !== name)
    if (others.length === 0) return 'No teammates.'
    const line = (member: Member) => {
      const task = heldBy(state, member.name)
      return `  ${member.name} (${member.role}): ${member.status}${task ? `, on task #${task.id}` : ''}`
    }
    const count = `${others.length} ${others.length === 1 ? 'teammate' : 'teammates'}`
    return `In ${teamWords(context, team)}: ${count}\n${others.map(line).join('\n')}`
  },
})
