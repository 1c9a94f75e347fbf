import { isPresent, type Member } from '../team/members/member.ts'
import type { Spent } from '../team/members/usage.ts'
import { nameKey } from '../team/name.ts'
import { heldBy, roster, type TeamState, unreadOf } from '../team/state.ts'
import type { View } from './view.ts'

/** One agent in the list of a team. */
export interface AgentRow {
  readonly name: string
  readonly team: string
  readonly role: string
  /** `parked`: its run ended in the middle of its work, and it waits for the next run. */
  readonly state: Member['status'] | 'parked'
  /** It works, and nothing was heard of it for long. */
  readonly isStalled: boolean
  readonly task: { readonly id: string; readonly subject: string } | null
  /** When it took its task, or was last active. */
  readonly since: number
  readonly lastAction: string
  readonly waitsForProvider: string | null
  readonly unread: number
  readonly tokens: number
  /** US dollars; null when the price of a call is unknown. */
  readonly dollars: number | null
}

/** An agent that works and is silent for longer is marked. */
const STALLED_AFTER_S = 120

/** Every agent of the session that has not stopped: the lead first, then in the order they joined. */
export function agentRows(view: View, now: number): AgentRow[] {
  return [...view.teams].flatMap(([team, state], i) =>
    roster(state)
      .filter((member) => isPresent(member) && member.kind === 'agent' && (i === 0 || nameKey(member.name) !== 'lead'))
      .map((member) => rowOf(view, team, state, member, now)),
  )
}

function rowOf(view: View, team: string, state: TeamState, member: Member, now: number): AgentRow {
  const { name, role } = member
  const activity = view.agents.get(name)
  const task = heldBy(state, name)
  const status = member.parked !== undefined ? 'parked' : member.status
  const activeAt = Math.max(activity?.activeAt ?? 0, member.joinedAt)
  const spent = state.spent.get(nameKey(name))
  const isWaiting = activity?.waiting !== undefined && activity.waiting.until > now
  return {
    ...{ name, team, role, state: status },
    isStalled: status === 'working' && !isWaiting && now - activeAt > STALLED_AFTER_S,
    task: task ? { id: task.id, subject: task.subject } : null,
    since: task?.status === 'in_progress' && status === 'working' ? task.claimedAt : activeAt,
    lastAction: activity?.lastAction ?? '',
    waitsForProvider: isWaiting ? activity.waiting!.why : null,
    unread: unreadOf(state, name).length,
    tokens: spent ? tokensOf(spent) : 0,
    dollars: spent && spent.unpriced > 0 ? null : (spent?.cost ?? 0),
  }
}

export interface Totals {
  readonly tokens: number
  /** Null as soon as the price of one call is unknown. */
  readonly dollars: number | null
}

/** What all agents of the session have used. */
export function totals(view: View): Totals {
  let [tokens, cost, unpriced] = [0, 0, 0]
  for (const state of view.teams.values()) {
    for (const spent of state.spent.values()) {
      tokens += tokensOf(spent)
      cost += spent.cost
      unpriced += spent.unpriced
    }
  }
  return { tokens, dollars: unpriced > 0 ? null : cost }
}

function tokensOf({ usage: { input, cacheRead, cacheWrite, output } }: Spent): number {
  return input + cacheRead + cacheWrite + output
}
