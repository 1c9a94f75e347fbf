import { applyEvent } from './apply.ts'
import { decideTask } from './board/decide-tasks.ts'
import type { Circumstances, Command, Decision } from './command.ts'
import type { TeamEvent } from './event.ts'
import { decideRepair, decideTake } from './mail/decide-mail.ts'
import { decideMember, decideSupervisor, endSupervision } from './members/decide-members.ts'
import { isName, nameKey } from './name.ts'
import { decideHandOff, decideStep } from './phases/decide-phases.ts'
import { decideLoad, endedPlans } from './plans/decide-plans.ts'
import { isRefusal, refuse } from './refusal.ts'
import { decideRequest } from './requests/decide-requests.ts'
import { checkName, isLead, leadOnly, mayAct } from './rights.ts'
import type { TeamState } from './state.ts'
import { taskStatus } from './task.ts'

/** A line has at most 16 MB; what the record says about itself needs little. */
const RECORD_BYTES = 15 * 1024 * 1024

/** What follows from a command in this state: events or a refusal, never both. The state is left as it was. */
export function decide(state: TeamState, command: Command, about: Circumstances): Decision {
  // A process may have died between deleting a team and archiving it: the repeated command finishes that.
  if (command.type === 'team.delete' && state.team.get()?.deleted && isLead(about.by.name))
    return { events: [], note: `Team ${state.team.get()?.name} is already deleted.` }
  const absent = command.type === 'team.create' ? undefined : mayAct(state, about.by)
  const decision = absent ?? decideByType(state, command, about)
  if (isRefusal(decision)) return decision
  if (!fitsRecord(decision.events)) return refuse('too_large', { text: 'command' })
  const ended = endedPlans(state, decision.events, about.now, (ask) =>
    state.trial.given(() => assume(state, decision.events, about), ask),
  )
  return ended.length === 0 ? decision : { ...decision, events: [...decision.events, ...ended] }
}

/** Records are written together: one that no line can hold would fail its neighbours too. */
function fitsRecord(events: readonly TeamEvent[]): boolean {
  const text = JSON.stringify(events)
  return text.length < RECORD_BYTES / MAX_BYTES_OF_CHARACTER || Buffer.byteLength(text) < RECORD_BYTES
}

/** Of one UTF-16 unit in UTF-8. */
const MAX_BYTES_OF_CHARACTER = 3

/** Inside a trial: takes events as if they had been accepted, so that the next decision of a batch stands on them. */
export function assume(state: TeamState, events: readonly TeamEvent[], { id, by, now }: Circumstances): void {
  for (const event of events) applyEvent(state, event, { seq: 0, id, at: now, by }, [])
}

function decideByType(state: TeamState, command: Command, about: Circumstances): Decision {
  switch (command.type) {
    case 'team.create':
      return decideTeam(state, command)
    case 'team.delete':
      return deleteTeam(about)
    case 'team.lead':
      return decideLeads(state, command, about)
    case 'supervise':
      return decideSupervisor(state, command, about)
    case 'supervise.end':
      return endSupervision(state, command, about)
    case 'member.spawn':
      return decideSpawn(state, command, about)
    case 'member.join':
    case 'token.issue':
    case 'member.stop':
    case 'member.lose':
    case 'member.park':
      return decideMember(state, command, about)
    case 'task.update':
      return decideUpdate(state, command, about)
    case 'task.add':
    case 'task.claim':
    case 'task.renew':
    case 'task.release':
      return decideTask(state, command, about)
    case 'task.complete':
    case 'task.fail':
      return decideEnd(state, command, about)
    case 'plan.load':
      return decideLoad(state, command.plan, about)
    case 'step.change':
      return decideStep(state, command, about)
    case 'handoff.record':
      return decideHandOff(state, command.handOff, about)
    case 'request.open':
    case 'request.answer':
    case 'request.withdraw':
      return decideRequest(state, command, about)
    case 'transcript.repair':
      return decideRepair(state, command, about)
    case 'mail.take':
      return decideTake(state, command, about)
    default:
      return command satisfies never
  }
}

/**
 * Changed fields and a changed status depend on each other: both are written in one record, or neither. A task is reopened before it is
 * changed, since only a pending one can be assigned; it is changed before it is claimed, completed or deleted.
 */
function decideUpdate(
  state: TeamState,
  command: Extract<Command, { type: 'task.update' }>,
  about: Circumstances,
): Decision {
  const { status, detach, ...changes } = command
  if (status === undefined) return decideTask(state, changes, about)
  const move = { type: 'task.move', id: command.id, status, detach } as const
  const [first, second] = taskStatus(status) === 'pending' ? [move, changes] : [changes, move]
  const before = decideTask(state, first, about)
  if (isRefusal(before)) return before
  const after = state.trial.given(
    () => assume(state, before.events, about),
    () => decideTask(state, second, about),
  )
  if (isRefusal(after)) return after
  const events = [...before.events, ...after.events]
  return events.length > 0 ? { events } : { events, note: (first === move ? before : after).note }
}

function decideTeam(state: TeamState, command: Extract<Command, { type: 'team.create' }>): Decision {
  const invalid = checkName(command.team)
  if (invalid) return invalid
  const team = state.team.get()
  if (team?.deleted) return refuse('team_deleted', { team: team.name })
  if (team) return { events: [], note: `Team ${team.name} already exists.` }
  const { team: name, description = '', session } = command
  return { events: [{ type: 'team.created', team: name, description, ...(session !== undefined && { session }) }] }
}

function decideLeads(
  state: TeamState,
  command: Extract<Command, { type: 'team.lead' }>,
  { by }: Circumstances,
): Decision {
  if (!isLead(by.name)) return leadOnly('create_team', by)
  if (!isName(command.team)) return refuse('invalid', { problem: 'name', name: command.team })
  if (state.leads.get().includes(command.team) === command.leads) return { events: [], note: 'It is already so.' }
  return { events: [{ type: command.leads ? 'team.led' : 'team.ceded', team: command.team }] }
}

/** With a task: the teammate is spawned and claims it, or neither happens. */
function decideSpawn(
  state: TeamState,
  command: Extract<Command, { type: 'member.spawn' }>,
  about: Circumstances,
): Decision {
  const spawned = decideMember(state, command, about)
  if (isRefusal(spawned) || command.task === undefined) return spawned
  const { task: id, inPlaceOf } = command
  const claimed = state.trial.given(
    () => assume(state, spawned.events, about),
    () => decideTask(state, { type: 'task.claim', id, inPlaceOf }, { ...about, by: { name: command.name } }),
  )
  if (isRefusal(claimed)) return { ...claimed, spawn: { member: command.name, task: command.task } }
  return { events: [...spawned.events, ...claimed.events] }
}

/** With `next`: the owner that ends its task gets the next one in the same record, where there is one for it. */
function decideEnd(
  state: TeamState,
  command: Extract<Command, { type: 'task.complete' | 'task.fail' }>,
  about: Circumstances,
): Decision {
  const ended = decideTask(state, command, about)
  if (isRefusal(ended) || ended.events.length === 0 || !command.next) return ended
  const task = state.tasks.get(command.id)
  // A task that the lead or the user ended leaves its owner without one.
  if (task?.status !== 'in_progress' || nameKey(task.owner) !== nameKey(about.by.name)) return ended
  const lease = task.lease ?? undefined
  const claimed = state.trial.given(
    () => assume(state, ended.events, about),
    () => decideTask(state, { type: 'task.claim', lease, isHandOver: true }, about),
  )
  return isRefusal(claimed) ? ended : { events: [...ended.events, ...claimed.events] }
}

function deleteTeam({ by }: Circumstances): Decision {
  if (!isLead(by.name)) return leadOnly('delete_team', by)
  return { events: [{ type: 'team.deleted', reason: `by ${by.name}` }] }
}
