import type { Membership } from '../../agent/membership.ts'
import type { SessionContext } from '../../agent/session-context.ts'
import { openPlansText } from '../../prompts/commits.ts'
import { planGate } from '../../team/members/plan-gate.ts'
import { nameKey } from '../../team/name.ts'
import { heldBy, memberNamed, type TeamState } from '../../team/state.ts'
import { reportPassed, roleOf } from './complete-task.ts'
import { MAX_HOLDS, mayIdle } from './gates.ts'

/** Why an agent that holds a task may not end its turn; undefined if it may, or was held often enough. */
export async function idleGateFeedback(
  context: Pick<SessionContext, 'commits' | 'gatesOf' | 'run' | 'clock'>,
  membership: Membership,
  held: number,
): Promise<string | undefined> {
  const { team, by } = membership
  const task = heldBy(team.state, by.name)
  if (!task || !context.gatesOf(roleOf(membership)).idle || waitsForOthers(team.state, by.name)) return undefined
  const open = [...team.state.plans.values()].filter(({ summary }) => summary === null).map(({ id }) => id)
  const recent = await context.commits.recent()
  // What cannot be told passes.
  if (recent === undefined || mayIdle(open.length, recent, context.clock.now())) return undefined
  const text = openPlansText(open, task)
  if (held < MAX_HOLDS) return text
  await reportPassed(context, membership, { task: task.id, text })
  return undefined
}

/** Its plan is not answered yet, or a member has not read what it wrote. */
function waitsForOthers(state: TeamState, name: string): boolean {
  const member = memberNamed(state, name)
  if (!member || planGate(state, member) === 'pending') return true
  const isOwn = ({ message }: { message: { from: string } }) => nameKey(message.from) === nameKey(name)
  return [...state.mailboxes.values()].some((mailbox) => [...mailbox.values()].some(isOwn))
}
