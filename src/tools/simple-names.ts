import { z } from 'zod'
import { aliasOf } from './alias.ts'
import { task } from './subagents/task.ts'
import spawnTeammate from './team/members/spawn-teammate.md'
import broadcast from './team/messages/broadcast.md'
import { sendMessage } from './team/messages/send-message.ts'

/** The names of the simple spelling for tools of the team spelling. */
export const SIMPLE_NAMES = {
  send_message: aliasOf(sendMessage, {
    name: 'send_message',
    roles: ['lead', 'teammate'],
    rename: { recipient: 'to', type: 'msg_type' },
  }),
  broadcast: aliasOf(sendMessage, {
    name: 'broadcast',
    roles: ['lead'],
    description: broadcast,
    input: z.strictObject({ content: z.string().min(1) }),
    fixed: { type: 'broadcast' },
  }),
  spawn_teammate: aliasOf(task, {
    name: 'spawn_teammate',
    roles: ['lead'],
    description: spawnTeammate,
    input: z.strictObject({
      name: z.string().min(1),
      role: z.string().min(1).describe('one word, like backend or tester; it takes tasks for that role'),
      prompt: z.string().min(1).describe('what it is there for, and all it has to know'),
      task_id: z.string().min(1).optional().describe('the task it begins with'),
      require_plan: z.boolean().optional().describe('its plan has to be approved first'),
    }),
  }),
} as const
