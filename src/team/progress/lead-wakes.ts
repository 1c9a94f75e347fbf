import { isUnblocked, readyTasks } from '../board/board.ts'
import { roleKey } from '../members/role.ts'
import { nameKey } from '../name.ts'
import type { TeamState, Unread } from '../state.ts'
import type { Task, TaskId } from '../task.ts'

/** How results of tasks reach the lead: all that wait at its next turn, or each in a turn as soon as it arrives. */
export const RESULT_DELIVERIES = ['together', 'each'] as const
export type ResultDelivery = (typeof RESULT_DELIVERIES)[number]

/**
 * Is this unread message worth a turn of the lead at once? Messages, requests, failures and losses are, and the result of
 * a turn without a task or of a task with `wakeLead`. Idle notices never are; other results wait for the next turn.
 */
export function wakesLead(state: TeamState, { message, external }: Unread, delivery: ResultDelivery): boolean {
  if (external) return true
  if (message.type === 'idle_notification') return false
  if (message.type !== 'result' || delivery === 'each') return true
  return typeof message.task !== 'string' || state.tasks.get(message.task)?.wakeLead === true
}

/** Are there results that the lead has not received? `isDelivered`: its transcript has the message of this id. */
export function hasUnheardResults(state: TeamState, isDelivered: (id: string) => boolean): boolean {
  for (const { message, external } of state.mailboxes.get('lead')?.values() ?? [])
    if (message.type === 'result' && !external && !isDelivered(message.id)) return true
  return false
}

/**
 * Ready tasks that no member can take, of these ids or of all: only the lead can change that. A lost or stopping member
 * takes none; files that a live claim reserves do not count, since claims end. The lead takes what it made for itself,
 * and without other members every task that is open to all.
 */
export function strandedTasks(state: TeamState, ids?: Iterable<TaskId>): Task[] {
  const takers = new Map<string, string>()
  for (const { name, role, status } of state.members.values())
    if (nameKey(name) !== 'lead' && !['stopping', 'stopped', 'lost'].includes(status))
      takers.set(nameKey(name), roleKey(role))
  const roles = new Set(takers.values())
  const isLone = state.members.size === 1

  const isTaken = ({ role, assignee, createdBy }: Task): boolean => {
    const wanted = role === null ? undefined : roleKey(role)
    const isForLead = (assignee !== null && nameKey(assignee) === 'lead') || (assignee === null && wanted === 'lead')
    if (isForLead) return nameKey(createdBy) === 'lead'
    if (assignee === null) return wanted === undefined ? takers.size > 0 || isLone : roles.has(wanted)
    const taker = takers.get(nameKey(assignee))
    return taker !== undefined && (wanted === undefined || wanted === taker)
  }
  return [...(ids === undefined ? readyTasks(state) : readyAmong(state, ids))].filter((task) => !isTaken(task))
}

function* readyAmong(state: TeamState, ids: Iterable<TaskId>): Generator<Task> {
  for (const id of ids) {
    const task = state.tasks.get(id)
    if (task?.status === 'pending' && isUnblocked(state, task)) yield task
  }
}
