import type { Circumstances, Decision } from '../command.ts'
import type { Member } from '../members/member.ts'
import { shutdownOf } from '../members/shutdown-request.ts'
import { nameKey } from '../name.ts'
import { memberNamed, type TeamState } from '../state.ts'
import type { Task } from '../task.ts'
import { decideClaim, isForAnyMember, nextFor } from './decide-claims.ts'
import { isTaskSoonReady } from './soon-ready.ts'

/** A member that failed so many tasks in a row ends its turn before it gets another one. */
const MAX_FAILURES_IN_A_ROW = 2

/** The claim of a member that has just ended its own task. It is an ordinary claim, by which not every member gets a task. */
export function decideHandOver(state: TeamState, lease: number | undefined, about: Circumstances): Decision {
  const member = memberNamed(state, about.by.name)
  const task = member && mayGetNext(state, member) ? nextOf(state, member) : undefined
  return task ? decideClaim(state, task, lease, about) : { events: [], note: 'No task is handed over.' }
}

/** May this member get a task by hand-over, and will there be one for it soon? */
export function isHandOverNear(state: TeamState, member: Member): boolean {
  return mayGetNext(state, member) && isTaskSoonReady(state, member)
}

function mayGetNext(state: TeamState, member: Member): boolean {
  if (nameKey(member.name) === 'lead' || member.status === 'stopping' || shutdownOf(state, member)) return false
  return (member.failures ?? 0) < MAX_FAILURES_IN_A_ROW
}

/**
 * The next task of this member. One that any member may take goes first to an idle agent that never had one: a fast member
 * would get one task after the other before the others had their first.
 */
function nextOf(state: TeamState, member: Member): Task | undefined {
  const next = nextFor(state, member)
  if (!next || !isForAnyMember(next)) return next
  let newcomers = 0
  for (const other of state.members.values()) {
    if (!isNewcomer(state, other)) continue
    const first = nextFor(state, other, newcomers)
    if (!first) break
    if (isForAnyMember(first)) newcomers++
  }
  return nextFor(state, member, newcomers)
}

/** It is about to claim the first task that it ever had. */
function isNewcomer(state: TeamState, member: Member): boolean {
  const { name, kind, status, runtime } = member
  if (kind !== 'agent' || status !== 'idle' || runtime === null || nameKey(name) === 'lead') return false
  return !state.index.owned.get(nameKey(name)) && !shutdownOf(state, member)
}
