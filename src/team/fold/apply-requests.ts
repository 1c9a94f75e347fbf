import type { Place, TeamEvent } from '../event.ts'
import { isControl } from '../message.ts'
import { nameKey } from '../name.ts'
import { mailboxOf, memberNamed, type TeamState, unreadOf } from '../state.ts'

type RequestEvent = Extract<TeamEvent, { type: `request.${string}` }>

/** How many answered requests can still be looked up; all of them are in the journal. */
const KEPT_REQUESTS = 500

export function applyRequestEvent(state: TeamState, event: RequestEvent, place: Place): void {
  if (event.type === 'request.opened') {
    const { type: _, ...facts } = event
    const counters = state.counters.get()
    state.counters.set({ ...counters, request: Math.max(counters.request, Number(event.id.slice(1)) + 1) })
    forgetOldest(state)
    return state.requests.set(event.id, { ...facts, openedAt: place.at, state: 'pending' })
  }
  const request = state.requests.get(event.id)
  // One terminal answer: whatever comes later changes nothing.
  if (request?.state !== 'pending') return
  if (event.type === 'request.closed') {
    return state.requests.set(event.id, { ...request, state: event.state, reason: event.reason, closedAt: place.at })
  }
  const { type: _, approve, ...answer } = event
  state.requests.set(event.id, { ...request, ...answer, state: approve ? 'approved' : 'rejected', closedAt: place.at })
  readWithItsAnswer(state, request.to, event.id)
  const target = memberNamed(state, request.to)
  if (request.kind === 'shutdown' && approve && target && target.status !== 'stopped') {
    state.members.set(nameKey(request.to), { ...target, status: 'stopping' })
  }
}

/** A member that answered a request has read it. */
function readWithItsAnswer(state: TeamState, name: string, id: string): void {
  const mailbox = mailboxOf(state, name)
  for (const { message, external } of unreadOf(state, name)) {
    if (!external && isControl(message.type) && message.request_id === id) mailbox.delete(message.id)
  }
}

function forgetOldest(state: TeamState): void {
  if (state.requests.size < KEPT_REQUESTS) return
  const closed = [...state.requests.values()].filter((request) => request.state !== 'pending')
  const number = ({ id }: { id: string }) => Number(id.slice(1))
  const oldest = closed.sort((a, b) => number(a) - number(b))[0]
  if (oldest) state.requests.delete(oldest.id)
}
