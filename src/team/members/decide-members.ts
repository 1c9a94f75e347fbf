import type { Circumstances, Command, Decision } from '../command.ts'
import type { TeamEvent } from '../event.ts'
import { isTooLong } from '../message.ts'
import { nameKey } from '../name.ts'
import { refuse } from '../refusal.ts'
import { checkName, isLead, leadOnly, unknownMember } from '../rights.ts'
import { heldBy, memberNamed, type TeamState, withOneShots } from '../state.ts'
import type { Member } from './member.ts'
import { isRole, normalRole, roleKey } from './role.ts'

type MemberCommand = Extract<Command, { type: `member.${string}` | 'token.issue' }>
type Of<T extends Command['type']> = Extract<Command, { type: T }>

export function decideMember(state: TeamState, command: MemberCommand, about: Circumstances): Decision {
  switch (command.type) {
    case 'member.join':
      return join(state, command, about)
    case 'token.issue':
      return issueToken(state, command, about)
    case 'member.spawn':
      return spawn(state, command, about)
    case 'member.stop':
      return stop(state, command, about)
    case 'member.lose':
    case 'member.park':
      return loseOrPark(state, command, about)
    default:
      return command satisfies never
  }
}

/** Several runtimes may run members of a team; exactly one supervises it, under a growing epoch. */
export function decideSupervisor(
  state: TeamState,
  { runtime, force, folder }: Of<'supervise'>,
  about: Circumstances,
): Decision {
  if (!isLead(about.by.name)) return leadOnly('supervise', about.by)
  const { runtime: current, epoch } = state.supervisor.get()
  if (current === runtime) return { events: [], note: 'This process already supervises the team.' }
  if (current !== null && !about.dead.has(current) && !force) {
    const team = state.team.get()?.name ?? ''
    return refuse('supervised', { team, runtime: current, isUnknown: about.unknown.has(current) })
  }
  return {
    events: [
      {
        type: 'supervisor.took',
        runtime,
        epoch: epoch + 1,
        forced: force === true && current !== null,
        ...(folder && { folder }),
      },
    ],
  }
}

/**
 * The supervisor releases the team. An idle member keeps its state and waits for the next supervisor; a busy one is
 * parked, so that its task does not stay claimed for ever.
 */
export function endSupervision(state: TeamState, command: Of<'supervise.end'>, { by }: Circumstances): Decision {
  const { runtime, reason = 'its session was closed' } = command
  if (!isLead(by.name)) return leadOnly('supervise', by)
  const { runtime: current, epoch } = state.supervisor.get()
  if (current !== runtime) return { events: [], note: 'This process does not supervise the team.' }
  const cutOff = withOneShots(state).filter((member) => member.runtime === runtime && whyBusy(state, member))
  return {
    events: [...cutOff.flatMap((member) => parking(state, member, reason)), { type: 'supervisor.gone', epoch, reason }],
  }
}

function join(state: TeamState, command: Of<'member.join'>, { by }: Circumstances): Decision {
  const { name, role, kind = 'external', tokenHash } = command
  const invalid = checkNewcomer(name, role)
  if (invalid) return invalid
  const known = memberNamed(state, name)
  if (known?.kind === 'agent') return refuse('not_allowed', { problem: 'is_agent', member: known.name })
  if (!isLead(by.name) && nameKey(by.name) !== nameKey(name))
    return refuse('not_allowed', { problem: 'join_for_other', member: name, by: by.name })
  if (known && known.status !== 'stopped') {
    if (roleKey(known.role) === roleKey(role) && known.kind === kind)
      return { events: [], note: `${known.name} is already in the team.` }
    const busy = whyBusy(state, known)
    if (busy) return busy
  }
  return {
    events: [
      joined(known, {
        name: known?.name ?? name,
        role: normalRole(role),
        kind,
        status: 'idle',
        runtime: null,
        epoch: 0,
        prompt: null,
      }),
      ...(tokenHash === undefined ? [] : [tokenIssued(known?.name ?? name, tokenHash)]),
    ],
  }
}

/** Only for members that have a token: agents are known to their runtime, and the user needs none. */
function issueToken(state: TeamState, { member: name, hash }: Of<'token.issue'>, { by }: Circumstances): Decision {
  if (!isLead(by.name)) return leadOnly('issue_token', by)
  const member = memberNamed(state, name)
  if (!member) return unknownMember(state, name)
  if (member.kind === 'agent') return refuse('not_allowed', { problem: 'agent_token', member: member.name })
  if (member.status === 'stopped')
    return refuse('member_stopped', { problem: 'caller', member: member.name, role: member.role })
  return { events: [tokenIssued(member.name, hash)] }
}

function tokenIssued(member: string, hash: string): TeamEvent {
  return { type: 'token.issued', member, hash }
}

function spawn(state: TeamState, command: Of<'member.spawn'>, { id, by, now }: Circumstances): Decision {
  const { name, role, runtime, prompt = null, profile = null } = command
  const asLead = nameKey(name) === 'lead'
  const invalid = asLead ? undefined : checkNewcomer(name, role)
  if (invalid) return invalid
  if (!isLead(by.name)) return leadOnly('spawn', by)
  const known = memberNamed(state, name)
  if (known && known.kind !== 'agent' && known.status !== 'stopped')
    return refuse('member_busy', { problem: 'name_taken', member: known.name, kind: known.kind })
  const busy = known && whyBusy(state, known)
  if (busy) return busy
  const { epoch } = state.supervisor.get()
  const status = asLead ? 'idle' : 'starting'
  const to = known?.name ?? name
  const events = [
    joined(known, { name: to, role: normalRole(role), kind: 'agent', status, runtime, epoch, prompt, profile }),
  ]
  if (prompt === null || asLead) return { events }
  if (isTooLong(prompt)) return refuse('too_large', { text: 'prompt' })
  const message = { id: `${id}.prompt`, type: 'message', from: by.name, to, content: prompt, timestamp: now } as const
  return { events: [...events, { type: 'message.sent', message }] }
}

/** Releases its claim and returns its unread mail to the senders, all in this one record. */
function stop(state: TeamState, { name, generation, reason }: Of<'member.stop'>, about: Circumstances): Decision {
  const { by } = about
  const member = memberNamed(state, name)
  if (!member) return unknownMember(state, name)
  if (nameKey(member.name) === 'lead') return refuse('not_allowed', { problem: 'lead_stays' })
  const itself = nameKey(by.name) === nameKey(member.name)
  if (!itself && !isLead(by.name))
    return refuse('not_allowed', { problem: 'stop_other', member: member.name, by: by.name })
  if (member.status === 'stopped') return { events: [], note: `${member.name} has already left.` }
  if (generation !== undefined && member.generation !== generation)
    return { events: [], note: `${member.name} has a newer generation since; that one was not meant.` }
  const end = member.kind === 'agent' ? 'owner stopped' : 'owner left'
  const why = reason ?? (itself ? 'left' : `stopped by ${by.name}`)
  const isByUser = member.kind === 'agent' && nameKey(by.name) === 'user'
  return {
    events: [
      ...(isByUser ? [tellLead(state, member, why, about)] : []),
      ...release(state, member, end, why),
      { type: 'member.stopped', name: member.name, generation: member.generation, reason: why },
      ...unanswerable(state, member, `${member.name} stopped`),
    ],
  }
}

/** The lead counts on its teammates: it gets a message when the user stops one of them. */
function tellLead(state: TeamState, { name }: Member, why: string, { id, now }: Circumstances): TeamEvent {
  const task = heldBy(state, name)
  const freed = task ? ` Task ${task.id} (${task.subject}), which it held, is free again.` : ''
  const content = `[The user stopped ${name}: ${why}.${freed}]`
  const message = { id: `${id}.stopped`, type: 'message', from: 'user', to: 'lead', content, timestamp: now } as const
  return { type: 'message.sent', message }
}

function loseOrPark(
  state: TeamState,
  { type, name, reason }: Of<'member.lose'> | Of<'member.park'>,
  { self }: Circumstances,
): Decision {
  const member = memberNamed(state, name)
  if (!member) return unknownMember(state, name)
  if (state.supervisor.get().runtime !== self) return refuse('not_allowed', { problem: 'not_supervisor' })
  if (member.kind !== 'agent') return refuse('not_allowed', { problem: 'not_agent', member: member.name })
  if (member.status === 'stopped' || member.status === 'lost')
    return { events: [], note: `${member.name} is already ${member.status}.` }
  if (type === 'member.lose') return { events: loss(state, member, reason) }
  if (!whyBusy(state, member)) return { events: [], note: `${member.name} is idle and has nothing to park.` }
  return { events: parking(state, member, reason) }
}

function parking(state: TeamState, member: Member, reason: string): TeamEvent[] {
  return [
    ...release(state, member, 'owner parked', reason),
    { type: 'member.parked', name: member.name, generation: member.generation, reason },
    ...unanswerable(state, member, `${member.name} was parked`),
  ]
}

/**
 * Raises the generation of a member whose newer generations a damaged journal has lost: what the older one held is free
 * again, and whatever resumes the team brings the member back.
 */
export function raiseGeneration(state: TeamState, member: Member, newest: number, reason: string): TeamEvent[] {
  const isGone = member.status === 'stopped' || member.status === 'lost'
  const { joinedAt: _, place: _1, parked: _2, ...facts } = member
  return [
    ...(isGone ? [] : loss(state, member, reason)),
    {
      type: 'member.joined',
      ...facts,
      generation: newest,
      status: isGone ? member.status : 'lost',
      runtime: null,
    },
  ]
}

function loss(state: TeamState, member: Member, reason: string): TeamEvent[] {
  return [
    ...release(state, member, 'owner lost', reason),
    { type: 'member.lost', name: member.name, generation: member.generation, reason },
    ...unanswerable(state, member, `${member.name} was lost`),
  ]
}

/** Its requests about its task or for permission cannot be answered any more; they are closed at once. */
function unanswerable(state: TeamState, member: Member, reason: string): TeamEvent[] {
  const task = heldBy(state, member.name)
  return [...state.requests.values()]
    .filter(
      ({ state: answer, kind, from, assignment }) =>
        answer === 'pending' &&
        ((task && assignment?.task === task.id) || (kind === 'permission' && nameKey(from) === nameKey(member.name))),
    )
    .map(({ id }) => ({ type: 'request.closed', id, state: 'void', reason }))
}

function release(
  state: TeamState,
  member: Member,
  end: 'owner left' | 'owner stopped' | 'owner lost' | 'owner parked',
  reason: string,
): TeamEvent[] {
  const task = heldBy(state, member.name)
  return task ? [{ type: 'task.released', id: task.id, end, reason }] : []
}

function joined(
  known: Member | undefined,
  facts: Omit<Extract<TeamEvent, { type: 'member.joined' }>, 'type' | 'generation'>,
): TeamEvent {
  return { type: 'member.joined', ...facts, generation: (known?.generation ?? 0) + 1 }
}

function checkNewcomer(name: string, role: string): Decision | undefined {
  return checkName(name) ?? (isRole(role) ? undefined : refuse('invalid', { problem: 'role', role }))
}

function whyBusy(state: TeamState, member: Member): Decision | undefined {
  const task = heldBy(state, member.name)
  if (task) return refuse('member_busy', { problem: 'holds_task', member: member.name, task: task.id })
  // A lead that no process runs does nothing, whatever it was last seen doing: the record of its rest may be lost.
  const isRun = member.runtime !== null || nameKey(member.name) !== 'lead'
  if (isRun && ['starting', 'working', 'waiting_approval', 'stopping'].includes(member.status)) {
    return refuse('member_busy', { problem: 'active', member: member.name, status: member.status })
  }
  return undefined
}
