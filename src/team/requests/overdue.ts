import { claims } from '../board/board.ts'
import type { Circumstances } from '../command.ts'
import type { TeamEvent } from '../event.ts'
import { nameKey } from '../name.ts'
import type { Request } from '../request.ts'
import { isLead } from '../rights.ts'
import { heldBy, memberNamed, type TeamState, withOneShots } from '../state.ts'

/**
 * Expiry is a decision: any writing command appends it together with what it came for, by its own clock reading.
 * Reading commands only show it.
 */
export function overdue(state: TeamState, about: Circumstances): readonly TeamEvent[] {
  const lost = lostMembers(state, about)
  const leases = endedLeases(state, about.now).filter((id) => !lost.released.has(id))
  return [
    ...lost.events,
    ...leases.map((id): TeamEvent => ({ type: 'task.released', id, end: 'lease ended' })),
    ...dueRequests(state, about.now, new Set([...lost.released, ...leases])),
  ]
}

/** Tasks whose lease is over at `now`. */
export function endedLeases(state: TeamState, now: number): string[] {
  return claims(state)
    .filter((task) => task.leaseUntil !== null && task.leaseUntil <= now)
    .map((task) => task.id)
}

/** When the next lease or deadline is over, to know how long a waiting command may sleep. */
export function nextDeadline(state: TeamState): number | undefined {
  const leases = claims(state).map((task) => task.leaseUntil)
  const deadlines = [...state.requests.values()].map((request) =>
    request.state === 'pending' ? request.deadline : null,
  )
  const all = [...leases, ...deadlines].filter((time) => time !== null)
  return all.length === 0 ? undefined : Math.min(...all)
}

const PROCESS_GONE = 'its process is gone'

/**
 * Only the supervisor declares members lost. When there is none, or its own process is gone, the next writer takes
 * that role for this one record.
 */
function lostMembers(
  state: TeamState,
  { dead: gone, self }: Circumstances,
): { events: TeamEvent[]; released: Set<string> } {
  const events: TeamEvent[] = []
  const released = new Set<string>()
  if (gone.size === 0) return { events, released }
  const supervisor = state.supervisor.get()
  const abandoned = supervisor.runtime !== null && gone.has(supervisor.runtime)
  if (supervisor.runtime !== null && !abandoned && supervisor.runtime !== self) return { events, released }
  for (const member of withOneShots(state)) {
    if (member.runtime === null || !gone.has(member.runtime)) continue
    const task = heldBy(state, member.name)
    if (task) {
      events.push({ type: 'task.released', id: task.id, end: 'owner lost', reason: PROCESS_GONE })
      released.add(task.id)
    }
    events.push({
      type: 'member.lost',
      name: member.name,
      generation: member.generation,
      reason: PROCESS_GONE,
    })
  }
  if (abandoned) events.push({ type: 'supervisor.gone', epoch: supervisor.epoch, reason: PROCESS_GONE })
  return { events, released }
}

function dueRequests(state: TeamState, now: number, released: ReadonlySet<string>): TeamEvent[] {
  const events: TeamEvent[] = []
  for (const request of state.requests.values()) {
    if (request.state !== 'pending') continue
    const reason = whyVoid(state, request, released)
    if (reason) events.push({ type: 'request.closed', id: request.id, state: 'void', reason })
    else if (request.deadline !== null && request.deadline <= now) {
      events.push({ type: 'request.closed', id: request.id, state: 'timed_out', reason: 'no answer came in time' })
    }
  }
  return events
}

/** Requests that an answer may still come to. One to stop is not among them: it has a deadline. */
export function openRequests(state: TeamState): Request[] {
  return [...state.requests.values()].filter(
    (request) => request.state === 'pending' && request.kind !== 'shutdown' && !whyVoid(state, request),
  )
}

/** A request dies with the generation that sent or got it and with the assignment it speaks of. */
export function whyVoid(
  state: TeamState,
  request: Request,
  released: ReadonlySet<string> = new Set(),
): string | undefined {
  for (const [name, generation] of [
    [request.from, request.fromGeneration],
    [request.to, request.toGeneration],
  ] as const) {
    // Lead and user have no generations here: a resumed team finds its open requests again. A permission request ends
    // with the process that waited for it.
    if (isLead(name) && !(request.kind === 'permission' && nameKey(name) === 'lead')) continue
    const member = memberNamed(state, name)
    if (!member || member.status === 'stopped' || member.generation !== generation)
      return `${name} is not the same any more`
  }
  const { assignment } = request
  if (!assignment) return undefined
  const task = state.tasks.get(assignment.task)
  const same = task?.status === 'in_progress' && task.attempts === assignment.attempt && !released.has(assignment.task)
  return same ? undefined : `it belongs to an earlier assignment of task ${assignment.task}`
}
