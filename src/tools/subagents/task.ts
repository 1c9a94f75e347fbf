import { z } from 'zod'
import { beginning } from '../../team/wording.ts'
import { defineTool, jsonSchemaOf } from '../define-tool.ts'
import type { ToolFactory } from '../own-tool.ts'
import { spawnTeammate } from '../team/members/spawn-teammate.ts'
import type { TeamControl } from '../team-control.ts'
import type { Tool, ToolContext, ToolResult } from '../tool.ts'
import type { AgentType } from './agent-type.ts'
import type { RunSubagent, SubagentEnd, SubagentRun } from './run-subagent.ts'
import prose from './task.md'
import teammates from './task-teammates.md'

/** Starts subagents and, in the team spelling, teammates. */
export const task: ToolFactory<'Task'> = {
  name: 'Task',
  roles: ['lead'],
  create({ agentTypes, runSubagent, teamControl, spelling }) {
    if (!agentTypes || !runSubagent) return undefined
    if (!teamControl) return createTask({ agentTypes, runSubagent })
    return spelling === 'team'
      ? createTask({ agentTypes, runSubagent, spawn: spawnThrough(teamControl) })
      : createTask({ agentTypes, runSubagent, spawnedBy: 'spawn_teammate' })
  },
}

export interface TaskOptions {
  readonly agentTypes: readonly AgentType[]
  readonly runSubagent: RunSubagent
  /** Creates a teammate; undefined where Task cannot. */
  readonly spawn?: ((teammate: TeammateInput, context: ToolContext) => Promise<ToolResult>) | undefined
  /** The tool that creates teammates instead of this one. */
  readonly spawnedBy?: string | undefined
  /** Seconds since any moment, for the duration in progress lines. */
  readonly now?: () => number
}

export interface TeammateInput extends z.infer<typeof SpawnInput> {
  readonly name: string
  /** Undefined: the call names no agent type, and a teammate needs none. */
  readonly type: AgentType | undefined
}

export function createTask(options: TaskOptions): Tool {
  const { agentTypes, runSubagent, spawn, now = () => performance.now() / 1000 } = options
  const list = agentTypes.map(({ name, description }) => `- ${name}: ${description}`).join('\n')
  const aboutTeammates = spawn ? `\n\n${teammates.trim()}` : ''
  return defineTool({
    name: 'Task',
    description: `${prose.trim()}\n${list}${aboutTeammates}`,
    input: taskInput(spawn !== undefined, options.spawnedBy),
    schema: jsonSchemaOf('Task', spawn ? SpawnInput : SubagentInput),
    // Spawns are decided in the order of the calls; only one that may have to create its team first runs alone.
    isParallel: ({ name, team_name }) => name === undefined || team_name === undefined,
    // The calls of the new agent are checked, not its start.
    action: () => undefined,
    async run(input, context): Promise<ToolResult> {
      const type = findType(agentTypes, input.agent_type ?? 'code')
      if (!type) {
        const valid = agentTypes.map(({ name }) => name).join(', ')
        return { text: `Unknown agent type '${input.agent_type}'. Known types: ${valid}.`, isError: true }
      }
      const { name } = input
      if (spawn && name !== undefined)
        return spawn({ ...input, name, type: input.agent_type === undefined ? undefined : type }, context)
      if (type.acp)
        return {
          text: `The agent type ${type.name} is another vendor's agent, which works as a teammate only: give it a name${spawn ? '' : ` with ${options.spawnedBy ?? 'a team'}`}.`,
          isError: true,
        }
      const description = input.description ?? beginning(input.prompt.replace(/\s+/g, ' '), 60)
      const run = { type, description, prompt: input.prompt, model: input.model ?? type.model }
      return input.run_in_background ? runAsJob(run, context, runSubagent) : runNow(run, context, runSubagent, now)
    },
  })
}

function spawnThrough(teamControl: TeamControl): NonNullable<TaskOptions['spawn']> {
  return async ({ name, prompt, team_name, role, type, model, task_id, require_plan }, context) => {
    const teammate = { name, prompt, team: team_name, role, agentType: type?.name, model: model ?? type?.model }
    const options = { ...teammate, task: task_id, requirePlan: require_plan }
    return { text: await spawnTeammate(teamControl, options, context) }
  }
}

/** By name in any case; other products call the type that does everything `general-purpose`. */
function findType(types: readonly AgentType[], wanted: string): AgentType | undefined {
  const key = wanted.toLowerCase()
  const find = (name: string) => types.find((type) => type.name.toLowerCase() === name)
  return find(key) ?? (key === 'general-purpose' ? find('code') : undefined)
}

async function runNow(
  run: SubagentRun,
  context: ToolContext,
  runSubagent: RunSubagent,
  now: () => number,
): Promise<ToolResult> {
  const began = now()
  let tools = 0
  const spent = () => `${tools} ${tools === 1 ? 'tool' : 'tools'}, ${(now() - began).toFixed(1)} s`
  const show = () => context.progress(`[${run.type.name}] ${run.description} … ${spent()}`)
  show()
  const end = await runSubagent(run, context, () => {
    tools++
    show()
  })
  context.progress(`[${run.type.name}] ${run.description} - done (${spent()})`)
  const fitted = await context.outputs.fit(resultText(end), 'agent')
  return { ...fitted, ...(end.problem !== undefined && { isError: true }) }
}

function runAsJob(run: SubagentRun, context: ToolContext, runSubagent: RunSubagent): ToolResult {
  const job = context.jobs.start('agent', run.description, async ({ id, signal, write }) => {
    // Its process groups belong to the job, which outlives this call.
    const recordGroup: ToolContext['recordGroup'] = (group) => context.recordGroup(group, id)
    const end = await runSubagent(run, { ...context, signal, recordGroup, progress: () => {} }, () => {})
    write(resultText(end))
    return { state: end.problem === undefined ? 'completed' : 'failed', summary: resultText(end) }
  })
  const note = 'It keeps running. You get a notice when it ends; see its answer with TaskOutput, stop it with TaskStop.'
  return { text: `${JSON.stringify({ task_id: job.id, status: 'running' })}\n${note}` }
}

function resultText({ text, problem }: SubagentEnd): string {
  const answer = text.trim() || '(subagent returned no text)'
  return problem === undefined ? answer : `${answer}\n[the subagent did not finish: ${problem}]`
}

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
const SubagentInput = z.strictObject(subagent)
const SpawnInput = z.strictObject({ ...subagent, ...teammate })

/**
 * Checks every field in any case: parameters of a teammate without its name are an error and never start a subagent.
 * `spawnedBy`: the tool that creates teammates instead of this one.
 */
function taskInput(hasTeammates: boolean, spawnedBy?: string): z.ZodType<z.infer<typeof SpawnInput>> {
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
