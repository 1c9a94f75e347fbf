import { readyTasks } from '../../../team/board/board.ts'
import { suits } from '../../../team/board/decide-claims.ts'
import { assume } from '../../../team/decide.ts'
import { nameKey } from '../../../team/name.ts'
import { overdue } from '../../../team/requests/overdue.ts'
import { memberNamed, type TeamState } from '../../../team/state.ts'
import type { Task } from '../../../team/task.ts'

/**
 * The tasks that suit a member now, its own assignments first. Leases that are over count as over, although no writer has
 * recorded that yet.
 */
export function claimableBy(state: TeamState, name: string, now: number): Task[] {
  return state.trial.run(() => {
    const none = new Set<string>()
    const about = { id: '', by: { name: 'user' }, now, dead: none, unknown: none, self: '' }
    assume(state, overdue(state, about), about)
    const member = memberNamed(state, name)
    const found = member ? readyTasks(state).filter((task) => suits(state, task, member)) : []
    const rank = (task: Task) => (isAssignedTo(task, name) ? 0 : 1)
    return found.sort((a, b) => rank(a) - rank(b))
  })
}

export function isAssignedTo({ assignee }: Pick<Task, 'assignee'>, name: string): boolean {
  return assignee !== null && nameKey(assignee) === nameKey(name)
}
