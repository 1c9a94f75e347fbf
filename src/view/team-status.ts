import { openDependencies } from '../team/board/board.ts'
import { settled } from '../team/members/breaker.ts'
import type { TeamState } from '../team/state.ts'
import { memberRows } from './member-rows.ts'
import type { View } from './view.ts'

export type TeamStatus = NonNullable<ReturnType<typeof teamStatus>>

/** What a team and its members do, for programs; undefined for a team that the view does not know. */
export function teamStatus(view: View, team: string, now: number) {
  const state = view.teams.get(team)
  const facts = state?.team.get()
  if (!state || !facts) return undefined
  const { name, description, session } = facts
  return {
    name,
    description,
    /** The session whose lead made it as a further team. */
    session,
    /** The process that runs it, or did until it was interrupted. */
    runtime: state.supervisor.get().runtime,
    members: memberRows(view, team, now).map(
      ({ name, role, kind, state, generation, parked, task, unread, calls, cost, unpriced }) => ({
        ...{ name, role, kind, status: state, generation },
        ...(parked !== undefined && { parked }),
        ...{ task, unread, calls, cost, unpriced },
      }),
    ),
    tasks: taskCounts(state),
    requests: [...state.requests.values()].filter((request) => request.state === 'pending'),
    breaker: settled(state.breaker.get(), now).state,
    deviations: state.deviations.get(),
  }
}

function taskCounts(state: TeamState) {
  const counts = { pending: 0, in_progress: 0, completed: 0, failed: 0, ready: 0 }
  for (const task of state.tasks.values()) {
    counts[task.status]++
    if (task.status === 'pending' && openDependencies(state, task).length === 0) counts.ready++
  }
  return counts
}
