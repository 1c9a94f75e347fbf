import type { z } from 'zod'
import type { Log } from '../../journal/store.ts'
import { defineTool, jsonSchemaOf } from '../define-tool.ts'
import { beginning } from '../results/excerpt.ts'
import type { Tool, ToolContext, ToolResult } from '../tool.ts'
import type { AgentType } from './agent-type.ts'
import prose from './task.md'
import { SpawnInput, SubagentInput, taskInput } from './task-input.ts'
import teammates from './task-teammates.md'

/** What one subagent is started with. */
export interface SubagentPlan {
  readonly type: AgentType
  readonly description: string
  readonly prompt: string
  readonly model: string | undefined
  /** Tools besides those of its type. */
  readonly tools?: readonly Tool[] | undefined
  /** Where its conversation is kept for a task of the board; without it nothing is kept but its last words. */
  readonly record?: { readonly log: Log; readonly generation: number; readonly task: string } | undefined
  /** False once its work has ended and it only talks about it; without it, never. */
  isOwing?(): boolean
  /** What it is told when it wants to end although something is missing; undefined if it may end. */
  wantsMore?(): string | undefined
}

export interface SubagentWorld extends ToolContext {
  /** Called with every tool it uses. */
  onTool(): void
}

export interface SubagentEnd {
  /** All text of its final answer. */
  readonly text: string
  /** Why it did not finish, if it did not: a limit, a budget, an error. */
  readonly problem?: string | undefined
}

/** Runs a subagent to its end with the tools of its type; throws only when aborted. */
export type RunAgent = (plan: SubagentPlan, world: SubagentWorld) => Promise<SubagentEnd>

export interface TaskSettings {
  readonly types: readonly AgentType[]
  readonly runAgent: RunAgent
  /** Makes a teammate; left out where there can be none. */
  readonly spawn?: ((wish: TeammateWish, world: ToolContext) => Promise<ToolResult>) | undefined
  /** The tool that makes teammates, where this one does not. */
  readonly teammatesBy?: string | undefined
  /** Seconds, from whenever; for the line that is shown while one runs. */
  readonly now?: () => number
}

/** A persistent colleague instead of an errand. */
export interface TeammateWish extends z.infer<typeof SpawnInput> {
  readonly name: string
  /** Only where one was named: a teammate needs none. */
  readonly type: AgentType | undefined
}

export function createTask(settings: TaskSettings): Tool {
  const { types, runAgent, spawn, now = () => performance.now() / 1000 } = settings
  const list = types.map(({ name, description }) => `- ${name}: ${description}`).join('\n')
  const colleagues = spawn ? `\n\n${teammates.trim()}` : ''
  return defineTool({
    name: 'Task',
    description: `${prose.trim()}\n${list}${colleagues}`,
    input: taskInput(spawn !== undefined, settings.teammatesBy),
    schema: jsonSchemaOf('Task', spawn ? SpawnInput : SubagentInput),
    // Teammates are decided on in the order they were asked for; only a team that is to be made first is waited for.
    isParallel: ({ name, team_name }) => name === undefined || team_name === undefined,
    // What it does is judged when it does it.
    action: () => undefined,
    async run(input, world): Promise<ToolResult> {
      const type = findType(types, input.agent_type ?? 'code')
      if (!type) {
        const valid = types.map(({ name }) => name).join(', ')
        return { text: `Unknown agent type '${input.agent_type}'. There are: ${valid}.`, isError: true }
      }
      const { name } = input
      if (spawn && name !== undefined)
        return spawn({ ...input, name, type: input.agent_type === undefined ? undefined : type }, world)
      const description = input.description ?? beginning(input.prompt.replace(/\s+/g, ' '), 60)
      const plan = { type, description, prompt: input.prompt, model: input.model ?? type.model }
      return input.run_in_background ? runAsJob(plan, world, runAgent) : runNow(plan, world, runAgent, now)
    },
  })
}

/** By name, whatever its case; `general-purpose` is what others call the one that does everything. */
function findType(types: readonly AgentType[], wanted: string): AgentType | undefined {
  const key = wanted.toLowerCase()
  const find = (name: string) => types.find((type) => type.name.toLowerCase() === name)
  return find(key) ?? (key === 'general-purpose' ? find('code') : undefined)
}

async function runNow(
  plan: SubagentPlan,
  world: ToolContext,
  runAgent: RunAgent,
  now: () => number,
): Promise<ToolResult> {
  const began = now()
  let tools = 0
  const spent = () => `${tools} ${tools === 1 ? 'tool' : 'tools'}, ${(now() - began).toFixed(1)} s`
  const show = () => world.progress(`[${plan.type.name}] ${plan.description} … ${spent()}`)
  show()
  const onTool = () => {
    tools++
    show()
  }
  const end = await runAgent(plan, { ...world, onTool })
  world.progress(`[${plan.type.name}] ${plan.description} - done (${spent()})`)
  return { text: await world.outputs.fit(told(end), 'agent'), ...(end.problem !== undefined && { isError: true }) }
}

function runAsJob(plan: SubagentPlan, world: ToolContext, runAgent: RunAgent): ToolResult {
  const job = world.jobs.start('agent', plan.description, async ({ id, signal, write }) => {
    // What it runs belongs to the job: the call ends long before it.
    const recordGroup: ToolContext['recordGroup'] = (group) => world.recordGroup(group, id)
    const end = await runAgent(plan, { ...world, signal, recordGroup, progress: () => {}, onTool: () => {} })
    write(told(end))
    return { state: end.problem === undefined ? 'completed' : 'failed', summary: told(end) }
  })
  const words = 'It runs on. You are told when it ends; see its answer with TaskOutput, end it with TaskStop.'
  return { text: `${JSON.stringify({ task_id: job.id, status: 'running' })}\n${words}` }
}

function told({ text, problem }: SubagentEnd): string {
  const said = text.trim() || '(subagent returned no text)'
  return problem === undefined ? said : `${said}\n[the subagent did not finish: ${problem}]`
}
