import type { Plans } from '../../../team/members/plan-gate.ts'
import type { SpawnOptions, TeamControl } from '../../team-control.ts'
import type { ToolContext } from '../../tool.ts'
import { teamWords } from '../membership-of.ts'
import { granted } from '../not-done.ts'

/** Creates a teammate, or reactivates the one of this name; the result of the tool call. */
export async function spawnTeammate(
  teamControl: TeamControl,
  options: SpawnOptions,
  context: ToolContext,
): Promise<string> {
  const { name, team, role, isKnown, task, plans = 'lead' } = granted(await teamControl.spawn(options))
  const who = isKnown
    ? `'${name}' (role: ${role}) is back in ${teamWords(context, team)}, with what it knew`
    : `Spawned '${name}' (role: ${role}) in ${teamWords(context, team)}`
  const begins = task === undefined ? 'without an initial task' : `on task #${task}`
  const approval = options.requirePlan ? ` ${PLAN_APPROVAL[plans]}` : ''
  return `${who}; it is working now, ${begins}.${approval} You are told what it does: end your turn rather than wait or ask.`
}

const PLAN_APPROVAL: Record<Plans, string> = {
  lead: 'Its plan comes to you for approval before it changes anything.',
  human: 'Its plan goes to the user for approval before it changes anything; you are not asked.',
  auto: 'It submits a plan before it changes anything, which is approved at once by a rule; you are not asked.',
}
