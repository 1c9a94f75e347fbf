import { z } from 'zod'
import { defineTool } from '../define-tool.ts'
import type { TeamControl } from '../team-membership.ts'
import type { Tool } from '../tool.ts'
import description from './members/spawn-teammate.md'
import { spawn } from './members/spawn-teammate-text.ts'

export function createSpawnTeammate(office: TeamControl): Tool {
  return defineTool({
    name: 'spawn_teammate',
    description,
    input: z.strictObject({
      name: z.string().min(1),
      role: z.string().min(1).describe('one word, like backend or tester; it takes tasks for that role'),
      prompt: z.string().min(1).describe('what it is there for, and all it has to know'),
      task_id: z.string().min(1).optional().describe('the task it begins with'),
      require_plan: z.boolean().optional().describe('its plan has to be approved first'),
    }),
    action: () => undefined,
    run: ({ name, role, prompt, task_id, require_plan }, world) =>
      spawn(office, { name, role, prompt, task: task_id, requirePlan: require_plan }, world),
  })
}
