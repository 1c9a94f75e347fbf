import type { SessionEvent } from '../../agent/session-event.ts'
import type { EventOf, TeamEvent } from '../../team/event.ts'

/** An agent and what it did, in one line for a person. */
export interface EventText {
  readonly who: string
  readonly what: string
  /** good: something was reached; bad: something was refused or lost. */
  readonly mood?: 'good' | 'bad'
}

/** Tasks and requests of earlier events: later events name only their ids. */
interface Known {
  task(id: string): string
  request(id: string): EventOf<'request.opened'> | undefined
}

/** Turns what happens in teams into lines: who sends what to whom, who takes and completes what. Others give undefined. */
export function createTeamText(isShown: (team: string) => boolean = () => true) {
  const subjects = new Map<string, string>()
  const requests = new Map<string, EventOf<'request.opened'>>()
  const known: Known = { task: (id) => `#${id} ${subjects.get(id) ?? ''}`.trimEnd(), request: (id) => requests.get(id) }
  return (event: SessionEvent): EventText | undefined => {
    if (event.type !== 'team' || !isShown(event.team)) return undefined
    if (event.event.type === 'task.created') subjects.set(event.event.id, event.event.subject)
    if (event.event.type === 'request.opened') requests.set(event.event.id, event.event)
    return teamEventText(event.event, event.agent, known)
  }
}

function teamEventText(event: TeamEvent, by: string, { task, request }: Known): EventText | undefined {
  switch (event.type) {
    case 'task.created': {
      const waits = event.blockedBy.length === 0 ? '' : `, after #${event.blockedBy.join(', #')}`
      return { who: by, what: `adds ${task(event.id)} (for ${event.role ?? 'any role'}${waits})` }
    }
    case 'member.joined':
      if (event.name === 'lead') return undefined
      return event.generation > 1
        ? { who: event.name, what: 'is back, with its whole conversation', mood: 'good' }
        : { who: event.name, what: `joins as ${event.role}` }
    case 'task.claimed':
      return { who: event.owner, what: `takes ${task(event.id)}` }
    case 'task.completed':
      return { who: by, what: `completed ${task(event.id)}: ${event.result}`, mood: 'good' }
    case 'task.failed':
      return { who: by, what: `failed ${task(event.id)}: ${event.reason}`, mood: 'bad' }
    case 'member.lost':
      return { who: event.name, what: `is lost: ${event.reason}`, mood: 'bad' }
    case 'task.released':
      return { who: 'board', what: `${task(event.id)} is free again: ${event.end}` }
    case 'member.stopped':
      return { who: event.name, what: `has stopped: ${event.reason}` }
    case 'request.opened':
      return { who: event.from, what: `${ASKS[event.kind](event.to)}: ${event.content}` }
    case 'request.answered':
      return answerText(event, request(event.id))
    case 'message.sent':
      return messageText(event.message)
    default:
      return undefined
  }
}

const ASKS: Record<EventOf<'request.opened'>['kind'], (to: string) => string> = {
  plan_approval: (to) => `hands in a plan to ${to}`,
  shutdown: (to) => `asks ${to} to stop`,
  permission: (to) => `asks ${to} for permission`,
  budget: (to) => `asks ${to} for money`,
}

function answerText(
  { by, approve, feedback }: EventOf<'request.answered'>,
  asked?: EventOf<'request.opened'>,
): EventText {
  if (asked?.kind === 'shutdown')
    return { who: by, what: approve ? 'agrees to stop' : `does not stop yet: ${feedback}` }
  const what = asked?.kind === 'plan_approval' ? `the plan of ${asked.from}` : `what ${asked?.from} asked for`
  return approve
    ? { who: by, what: `approves ${what}`, mood: 'good' }
    : { who: by, what: `rejects ${what}: ${feedback}`, mood: 'bad' }
}

/** Requests and their answers have lines of their own; what the runtime reports is in the journal. */
function messageText({ type, from, to, content }: EventOf<'message.sent'>['message']): EventText | undefined {
  const isSpoken = (type === 'message' || type === 'broadcast') && from !== 'user'
  return isSpoken ? { who: from, what: `→ ${to}: ${content}` } : undefined
}
