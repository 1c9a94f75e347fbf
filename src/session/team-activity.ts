import type { Presence } from '../journal/log/store.ts'
import type { TeamState } from '../team/state.ts'

/**
 * at work      a process runs its agents
 * at rest      no process does, and the last one closed the team
 * interrupted  the process ended without closing the team: killed, crashed, or the machine went down
 * unknown      a process on another machine, of which only the lease is known
 */
export type TeamActivity = 'at work' | 'at rest' | 'interrupted' | 'unknown'

export async function teamActivity(state: TeamState, presence: Presence): Promise<TeamActivity> {
  const { runtime } = state.supervisor.get()
  if (runtime === null) return 'at rest'
  const seen = await presence.look(runtime)
  return seen === 'alive' ? 'at work' : seen === 'dead' ? 'interrupted' : 'unknown'
}
