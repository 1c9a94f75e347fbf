import type { Plans } from '../../../team/plan-gate.ts'
import type { TeammateWish } from '../../subagents/task.ts'
import type { SpawnOptions, TeamControl } from '../../team-membership.ts'
import type { ToolContext, ToolResult } from '../../tool.ts'
import { teamWords } from '../membership-of.ts'
import { granted } from '../not-done.ts'

/** How `Task` makes a teammate. */
export function spawnThrough(office: TeamControl): (wish: TeammateWish, world: ToolContext) => Promise<ToolResult> {
  return async ({ name, prompt, team_name, role, type, model, task_id, require_plan }, world) => ({
    text: await spawn(
      office,
      {
        name,
        prompt,
        team: team_name,
        role,
        agentType: type?.name,
        model: model ?? type?.model,
        task: task_id,
        requirePlan: require_plan,
      },
      world,
    ),
  })
}

const PLAN_GOES: Record<Plans, string> = {
  lead: 'Its plan comes to you for approval before it changes anything.',
  human: 'Its plan goes to the user for approval before it changes anything; you are not asked.',
  auto: 'It hands in a plan before it changes anything, which is approved at once by a rule; you are not asked.',
}

/** Makes a teammate, or wakes the one of this name, and says so. */
export async function spawn(office: TeamControl, plan: SpawnOptions, world: ToolContext): Promise<string> {
  const { name, team, role, isKnown, task, plans = 'lead' } = granted(await office.spawn(plan))
  const who = isKnown
    ? `'${name}' (role: ${role}) is back in ${teamWords(world, team)}, with what it knew`
    : `Spawned '${name}' (role: ${role}) in ${teamWords(world, team)}`
  const begins = task === undefined ? 'without an initial task' : `on task #${task}`
  const gate = plan.requirePlan ? ` ${PLAN_GOES[plans]}` : ''
  return `${who}; it is working now, ${begins}.${gate} You are told what it does: end your turn rather than wait or ask.`
}
