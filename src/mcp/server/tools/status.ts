import { z } from 'zod'
import { isPresent, MemberKind, MemberStatus } from '../../../team/members/member.ts'
import { heldBy, memberNamed, roster, unreadOf } from '../../../team/state.ts'
import { teamTool } from '../team-tool.ts'
import { openRequests } from './requests.ts'

export const teamStatus = teamTool({
  name: 'team_status',
  title: 'Show the team',
  description: 'Returns who is in the team and works on what, the state of the board, and who you are in it.',
  input: z.object({}),
  output: z.object({
    team: z.string(),
    description: z.string(),
    you: z.object({ name: z.string(), role: z.string() }).nullable().describe('null: you have not joined'),
    members: z.array(
      z.object({
        name: z.string(),
        role: z.string(),
        kind: MemberKind,
        status: MemberStatus,
        task: z.object({ id: z.string(), subject: z.string() }).nullable(),
        unread: z.number(),
      }),
    ),
    tasks: z.object({
      pending: z.number(),
      in_progress: z.number(),
      completed: z.number(),
      failed: z.number(),
    }),
    openRequests: z.number(),
  }),
  isReadOnly: true,
  async run(_, { team: { name, state }, by }) {
    const own = memberNamed(state, by.name)
    const tasks = { pending: 0, in_progress: 0, completed: 0, failed: 0 }
    for (const task of state.tasks.values()) tasks[task.status]++
    const members = roster(state)
      .filter(isPresent)
      .map(({ name, role, kind, status }) => {
        const task = heldBy(state, name)
        const held = task ? { id: task.id, subject: task.subject } : null
        return { name, role, kind, status, task: held, unread: unreadOf(state, name).length }
      })
    const data = {
      ...{ team: state.team.get()?.name ?? name, description: state.team.get()?.description ?? '' },
      ...{ you: own ? { name: own.name, role: own.role } : null, members, tasks },
      openRequests: openRequests(state).length,
    }
    const counts = Object.entries(tasks).map(([status, count]) => `${count} ${status}`)
    const lines = [
      `Team ${data.team}. ${own ? `You are ${own.name} (${own.role}).` : 'You have not joined.'}`,
      ...members.map(
        ({ name, role, status, task }) => `- ${name} (${role}): ${task ? `works on #${task.id}` : status}`,
      ),
      `Tasks: ${counts.join(', ')}.`,
    ]
    return { data, text: lines.join('\n') }
  },
})
