import { settleAdditions } from './board/remaining-path.ts'
import type { Json } from './data/json.ts'
import { type Author, type EventOf, type Place, readEvent, type TeamEvent } from './event.ts'
import { applyMemberEvent } from './fold/apply-members.ts'
import { applyPhaseEvent, applyResult } from './fold/apply-phases.ts'
import { applyPlanEvent } from './fold/apply-plans.ts'
import { applyRequestEvent } from './fold/apply-requests.ts'
import { applyTaskEvent } from './fold/apply-tasks.ts'
import { loadState } from './fold/snapshot.ts'
import { followEscalations } from './mail/escalations.ts'
import { deliver, receiveExternal, returnToUnread, sendMessage, takeMail } from './mail/mail.ts'
import { spend } from './members/usage.ts'
import type { Effect } from './message.ts'
import { nameKey } from './name.ts'
import type { TeamState } from './state.ts'

/** A record of a team's journal as it was accepted. */
export interface TeamRecord {
  readonly id: string
  readonly at?: Json
  readonly by?: Json
  readonly events?: Json
}

/** What a record did, at its place in the journal. */
export interface Applied extends Place {
  readonly events: readonly TeamEvent[]
  readonly effects: readonly Effect[]
  /** Events that could not be read; `check` names them. */
  readonly broken: number
}

/** Folds one accepted record into the state. Total: whatever stands in the record, it returns. */
export function apply(state: TeamState, seq: number, record: TeamRecord): Applied {
  const place: Place = {
    seq,
    id: record.id,
    at: typeof record.at === 'number' ? record.at : 0,
    by: readAuthor(record.by),
  }
  const events: TeamEvent[] = []
  const effects: Effect[] = []
  const values = Array.isArray(record.events) ? record.events : []
  let broken = values === record.events ? 0 : 1
  for (const value of values) {
    const event = readEvent(value)
    if (event === 'broken') broken++
    if (event === 'broken' || event === 'unknown') continue
    events.push(event)
    applyEvent(state, event, place, effects)
  }
  if (events.some(({ type }) => type === 'task.created')) settleAdditions(state)
  return { seq, id: place.id, at: place.at, by: place.by, events, effects, broken }
}

export function applyEvent(state: TeamState, event: TeamEvent, place: Place, effects: Effect[]): void {
  switch (event.type) {
    // Most of what is folded; what comes first is asked for first.
    case 'message.sent':
      applyResult(state, event.message, place)
      if (event.message.type === 'escalation' || state.escalations.size > 0)
        followEscalations(state.escalations, event.message, place.at)
      return sendMessage(state, event.message, place, effects)
    case 'team.created':
      return foundTeam(state, event, place)
    case 'team.led':
      return state.leads.set([...state.leads.get().filter((team) => team !== event.team), event.team])
    case 'team.ceded':
      return state.leads.set(state.leads.get().filter((team) => team !== event.team))
    case 'team.deleted': {
      const team = state.team.get()
      if (team) state.team.set({ ...team, deleted: true })
      return
    }
    case 'team.restored':
      return loadState(state, event.state)
    case 'supervisor.took':
      return state.supervisor.set({
        ...state.supervisor.get(),
        runtime: event.runtime,
        epoch: event.epoch,
        ...(event.folder && { folder: event.folder }),
      })
    case 'supervisor.gone':
      return leaveTeam(state, event.epoch)
    case 'member.joined':
    case 'member.stopped':
    case 'member.lost':
    case 'member.parked':
    case 'member.activity':
      return applyMemberEvent(state, event, place, effects)
    case 'token.issued':
      return state.tokens.set(nameKey(event.member), event.hash)
    case 'task.created':
    case 'task.updated':
    case 'task.claimed':
    case 'task.renewed':
    case 'task.released':
    case 'task.completed':
    case 'task.failed':
    case 'task.reopened':
    case 'task.deleted':
    case 'task.baseline':
      return applyTaskEvent(state, event, place)
    case 'plan.loaded':
    case 'plan.ended':
      return applyPlanEvent(state, event, place)
    case 'step.changed':
    case 'handoff.recorded':
      return applyPhaseEvent(state, event, place)
    case 'request.opened':
    case 'request.answered':
    case 'request.closed':
      return applyRequestEvent(state, event, place)
    case 'transcript.repaired':
      return returnToUnread(state, event, effects)
    case 'mail.taken':
      return takeMail(state, event, place, effects)
    case 'message.delivered':
      return deliver(state, event, place, effects)
    case 'agent.health':
      return
    case 'breaker.changed':
      return state.breaker.set(event.breaker)
    case 'deviation.noted': {
      const { member, task, text } = event
      return state.deviations.set([...state.deviations.get(), { member, task, text, at: place.at }].slice(-KEPT))
    }
    case 'usage': {
      const member = nameKey(event.member)
      if (state.transcripts.get(member) === undefined) state.transcripts.set(member, '')
      return state.spent.set(member, spend(state.spent.get(member), event.usage, event.cost))
    }
    case 'external.received':
    case 'external.rejected':
      return receiveExternal(state, event, place, effects)
    default:
      event satisfies never
  }
}

/** No process runs the team any more, nor the members that the supervisor ran. */
function leaveTeam(state: TeamState, epoch: number): void {
  const { runtime } = state.supervisor.get()
  state.supervisor.set({ ...state.supervisor.get(), runtime: null, epoch })
  if (runtime === null) return
  for (const member of [...state.members.values()])
    if (member.runtime === runtime) state.members.set(nameKey(member.name), { ...member, runtime: null })
}

/** How many deviations the state keeps; all of them are in the journal. */
const KEPT = 100

function foundTeam(state: TeamState, event: EventOf<'team.created'>, place: Place): void {
  const { team: name, description, session = null } = event
  state.team.set({ id: place.id, name, description, createdAt: place.at, deleted: false, session })
  state.members.set('lead', {
    name: 'lead',
    role: 'lead',
    kind: 'agent',
    status: 'idle',
    generation: 0,
    runtime: null,
    epoch: 0,
    prompt: null,
    profile: null,
    joinedAt: place.at,
    place: 0,
  })
}

function readAuthor(value: Json | undefined): Author {
  if (typeof value !== 'object' || value === null || !('name' in value) || typeof value.name !== 'string')
    return { name: 'user' }
  // People and scripts carry neither, and a spread is several times slower.
  if (value.generation === undefined && value.epoch === undefined) return { name: value.name }
  return {
    name: value.name,
    ...(typeof value.generation === 'number' && { generation: value.generation }),
    ...(typeof value.epoch === 'number' && { epoch: value.epoch }),
  }
}
