import { isPresent, type Member } from '../team/members/member.ts'
import { nameKey } from '../team/name.ts'
import { heldBy, roster, type TeamState, unreadOf } from '../team/state.ts'
import { tokensOf } from './totals.ts'
import type { View } from './view.ts'

/** One member in the list of a team. */
export interface MemberRow {
  readonly name: string
  readonly team: string
  readonly role: string
  readonly kind: Member['kind']
  readonly generation: number
  /**
   * `parked`: its run ended in the middle of its work, and it waits for the next run. `interrupted`: the process that ran it
   * is gone.
   */
  readonly state: Member['status'] | 'parked' | 'interrupted'
  /** Why it is parked. */
  readonly parked: string | undefined
  /** It works, and nothing was heard of it for long. */
  readonly isStalled: boolean
  readonly task: { readonly id: string; readonly subject: string } | null
  /** When it took its task, or was last active. */
  readonly since: number
  readonly lastAction: string
  readonly waitsForProvider: string | null
  readonly unread: number
  readonly calls: number
  readonly tokens: number
  /** US dollars; null when the price of a call is unknown. */
  readonly dollars: number | null
  /** US dollars of the calls whose price is known, and how many there are of the others. */
  readonly cost: number
  readonly unpriced: number
}

/** An agent that works and is silent for longer is marked. */
const STALLED_AFTER_S = 120

/** Members of a team that have not left or stopped: the lead first, then in the order they joined. */
export function memberRows(view: View, team: string, now: number): MemberRow[] {
  const state = view.teams.get(team)
  if (!state) return []
  return roster(state)
    .filter(isPresent)
    .map((member) => rowOf(view, team, state, member, now))
}

function rowOf(view: View, team: string, state: TeamState, member: Member, now: number): MemberRow {
  const { name, role, kind, generation, parked } = member
  const activity = view.agents.get(name)
  const task = heldBy(state, name)
  // What it did when its process was gone is not what it does.
  const isCutOff = view.interrupted.has(team) && kind === 'agent' && member.status !== 'idle'
  const status = parked !== undefined ? 'parked' : isCutOff ? 'interrupted' : member.status
  const activeAt = Math.max(activity?.activeAt ?? 0, member.joinedAt)
  // Of what it did before, nothing is known but what the journal says.
  const watchedSince = view.watchedSince.get(team) ?? 0
  const spent = state.spent.get(nameKey(name))
  const isWaiting = activity?.waiting !== undefined && activity.waiting.until > now
  return {
    ...{ name, team, role, kind, generation, parked, state: status },
    isStalled: status === 'working' && !isWaiting && now - Math.max(activeAt, watchedSince) > STALLED_AFTER_S,
    task: task ? { id: task.id, subject: task.subject } : null,
    since: task?.status === 'in_progress' && status === 'working' ? task.claimedAt : activeAt,
    lastAction: activity?.lastAction ?? '',
    waitsForProvider: isWaiting ? activity.waiting!.why : null,
    unread: unreadOf(state, name).length,
    calls: spent?.calls ?? 0,
    tokens: spent ? tokensOf(spent) : 0,
    dollars: spent && spent.unpriced > 0 ? null : (spent?.cost ?? 0),
    cost: spent?.cost ?? 0,
    unpriced: spent?.unpriced ?? 0,
  }
}
