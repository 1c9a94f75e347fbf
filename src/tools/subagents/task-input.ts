import { z } from 'zod'

const subagent = {
  prompt: z.string().min(1),
  description: z.string().min(1).optional().describe('three to five words for the user who watches'),
  agent_type: z.string().optional().describe('code if left out'),
  run_in_background: z.boolean().optional(),
  model: z.string().min(1).optional().describe('another model than that of its type'),
}

const teammate = {
  name: z.string().min(1).optional().describe('creates a teammate of this name instead of a subagent'),
  team_name: z.string().min(1).optional().describe("the teammate's team, if not the current one"),
  role: z.string().min(1).optional().describe('what the teammate does'),
  task_id: z.string().min(1).optional().describe('the task it begins with'),
  require_plan: z.boolean().optional().describe('its plan has to be approved first'),
}

/** The schema for the model, with and without teammates. */
export const SubagentInput = z.strictObject(subagent)
export const SpawnInput = z.strictObject({ ...subagent, ...teammate })

/**
 * Checks every field in any case: parameters of a teammate without its name are an error and never start a subagent.
 * `spawnedBy`: the tool that creates teammates instead of this one.
 */
export function taskInput(hasTeammates: boolean, spawnedBy?: string): z.ZodType<z.infer<typeof SpawnInput>> {
  return SpawnInput.superRefine((input, context) => {
    const issue = (field: string, message: string) => context.addIssue({ code: 'custom', path: [field], message })
    const given = (Object.keys(teammate) as (keyof typeof teammate)[]).filter((field) => input[field] !== undefined)
    if (given.length === 0) return
    if (!hasTeammates && spawnedBy) issue(given[0]!, `a teammate is created with ${spawnedBy}; Task starts subagents`)
    else if (!hasTeammates) issue(given[0]!, 'there are no teammates in this session. Leave it out to start a subagent')
    else if (input.name === undefined)
      issue('name', `is needed with ${given.join(', ')}: they are about a teammate. Leave them out to start a subagent`)
    else if (input.run_in_background === false)
      issue('run_in_background', 'a teammate always runs in the background. Leave it out')
  })
}
