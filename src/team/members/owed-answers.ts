import { nameKey } from '../name.ts'
import type { TeamState } from '../state.ts'
import type { Task } from '../task.ts'
import { isOneShot, isPresent, type Member } from './member.ts'

/** A one-shot agent that completed its task and was cut off before its final answer counted. */
export interface OwedAnswer {
  readonly member: Member
  readonly task: Task
}

/** One-shot agents stop when their answer was handed over: one that did not stop and completed its task still owes the answer. */
export function owedAnswers(state: TeamState): OwedAnswer[] {
  const open = [...state.members.values()].filter((member) => isOneShot(member) && isPresent(member))
  if (open.length === 0) return []
  const byName = new Map(open.map((member) => [nameKey(member.name), member]))
  return [...state.tasks.values()].flatMap((task) => {
    const member = task.status === 'completed' ? byName.get(nameKey(task.owner)) : undefined
    return member ? [{ member, task }] : []
  })
}
