import type { Presence } from '../journal/store.ts'
import type { TeamState } from '../team/state.ts'

/**
 * at work      a process runs its agents
 * at rest      nobody does, and whoever did has closed it
 * interrupted  whoever did is gone without a word: killed, crashed, or the machine went down
 * unknown      a process on another machine, about which only its lease tells
 */
export type TeamLife = 'at work' | 'at rest' | 'interrupted' | 'unknown'

export async function lifeOf(state: TeamState, presence: Presence): Promise<TeamLife> {
  const { runtime } = state.supervisor.get()
  if (runtime === null) return 'at rest'
  const seen = await presence.look(runtime)
  return seen === 'alive' ? 'at work' : seen === 'dead' ? 'interrupted' : 'unknown'
}
