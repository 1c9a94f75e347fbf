import { applyEvent, type Place } from './apply.ts'
import type { Circumstances, Command } from './command.ts'
import { decideTake } from './decide-mail.ts'
import { decideMember, decideSupervisor } from './decide-members.ts'
import { decideRequest } from './decide-requests.ts'
import { decideTask } from './decide-tasks.ts'
import type { TeamEvent } from './event.ts'
import { isName, nameRule } from './name.ts'
import { overdue } from './overdue.ts'
import { isRefusal, type Refusal, refuse } from './refusal.ts'
import { isLead, mayAct } from './rights.ts'
import type { TeamState } from './state.ts'

/** Events to append, possibly none when everything is already so (`note` says it), or why not. */
export type Decision = { readonly events: readonly TeamEvent[]; readonly note?: string } | Refusal

/**
 * What follows from a command in this state: events or a refusal, never both. Runs inside a trial of the state and
 * leaves its own events applied there, so that the next decision of the same batch stands on it.
 */
export function decide(state: TeamState, command: Command, about: Circumstances): Decision {
  const mark = state.trial.mark()
  const absent = command.type === 'team.create' ? undefined : mayAct(state, about.by)
  const decision = absent ?? decideByType(state, command, about)
  if (isRefusal(decision)) state.trial.backTo(mark)
  return decision
}

/** What is due by the clock or by a death, to be appended in front of the next decision's own events. */
export function decideOverdue(state: TeamState, about: Circumstances): readonly TeamEvent[] {
  return take(state, overdue(state, about), about)
}

function decideByType(state: TeamState, command: Command, about: Circumstances): Decision {
  switch (command.type) {
    case 'team.create':
      return taken(state, decideTeam(state, command), about)
    case 'team.delete':
      return taken(state, deleteTeam(about), about)
    case 'supervise':
      return taken(state, decideSupervisor(state, command, about), about)
    case 'member.join':
    case 'member.spawn':
    case 'member.stop':
    case 'member.lose':
      return taken(state, decideMember(state, command, about), about)
    case 'task.update': {
      const { status, detach, ...changes } = command
      const changed = taken(state, decideTask(state, changes, about), about)
      if (status === undefined || isRefusal(changed)) return changed
      const moved = taken(state, decideTask(state, { type: 'task.move', id: command.id, status, detach }, about), about)
      return isRefusal(moved)
        ? moved
        : { events: [...changed.events, ...moved.events], note: moved.note ?? changed.note }
    }
    case 'task.add':
    case 'task.claim':
    case 'task.renew':
    case 'task.release':
    case 'task.complete':
    case 'task.fail':
      return taken(state, decideTask(state, command, about), about)
    case 'request.open':
    case 'request.answer':
      return taken(state, decideRequest(state, command, about), about)
    case 'mail.take':
      return taken(state, decideTake(state, command, about), about)
    default:
      return command satisfies never
  }
}

function taken(state: TeamState, decision: Decision, about: Circumstances): Decision {
  if (!isRefusal(decision)) take(state, decision.events, about)
  return decision
}

function take(state: TeamState, events: readonly TeamEvent[], about: Circumstances): readonly TeamEvent[] {
  const place: Place = { seq: 0, id: about.id, at: about.now, by: about.by }
  for (const event of events) applyEvent(state, event, place, [])
  return events
}

function decideTeam(state: TeamState, command: Extract<Command, { type: 'team.create' }>): Decision {
  if (!isName(command.team)) return refuse('invalid', nameRule(command.team))
  const team = state.team.get()
  if (team) return { events: [], note: `Team ${team.name} already exists.` }
  return { events: [{ type: 'team.created', team: command.team, description: command.description ?? '' }] }
}

function deleteTeam({ by }: Circumstances): Decision {
  if (!isLead(by.name)) return refuse('not_allowed', `Only the lead or the user deletes a team, not ${by.name}.`)
  return { events: [{ type: 'team.deleted', reason: `by ${by.name}` }] }
}
