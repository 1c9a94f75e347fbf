import type { Membership } from '../../agent/membership.ts'
import type { SessionContext } from '../../agent/session-context.ts'
import { nameKey } from '../../team/name.ts'
import type { Refusal } from '../../team/refusal.ts'

/** Why the organisation does not accept the answer of a one-shot agent that has completed this task. */
export function answerRefusal(
  { routing }: Pick<SessionContext, 'routing'>,
  { team, by }: Membership,
  id: string,
  answer: string,
): Refusal | undefined {
  const task = team.state.tasks.get(id)
  const isOwn = task?.status === 'completed' && nameKey(task.owner ?? '') === nameKey(by.name)
  return isOwn ? routing?.answerProblem?.({ from: by.name, answer }, team.state) : undefined
}
