import type { Applied } from '../apply.ts'
import { blockedTasks } from '../board/board.ts'
import type { Command } from '../command.ts'
import type { TeamEvent } from '../event.ts'
import type { Effect } from '../message.ts'
import { heldBy, mailboxOf, memberNamed, type TeamState } from '../state.ts'
import { type EarlierAttempt, planOf } from '../task.ts'
import {
  type MemberView,
  type MessageView,
  memberView,
  messageView,
  type RequestView,
  type TaskView,
  type TeamView,
  taskView,
  teamView,
} from './view.ts'

/** What a carried-out command gives back. `note`: it was already so, or there was nothing to do. */
export interface Answer {
  readonly note?: string
  readonly team?: TeamView
  readonly member?: MemberView
  readonly tasks?: readonly TaskView[]
  /** Of a command that claims a task: what other members had done for it before. */
  readonly earlierAttempts?: readonly EarlierAttempt[]
  /** Of a command that ends a task, with `next`: the task that its owner claimed in the same record; null: none. */
  readonly next?: TaskView | null
  /** Subjects of tasks that became ready by this. */
  readonly unblocked?: readonly string[]
  readonly request?: RequestView
  /** `take` is what the reader names when it acknowledges. */
  readonly mail?: { readonly take: string; readonly messages: readonly MessageView[] }
  /** What the log made of messages in this record. */
  readonly effects?: readonly Effect[]
}

/** Reads the answer off the record that carried the command out and the state right behind it. */
export function answer(
  state: TeamState,
  command: Command,
  record: string,
  { events, effects }: Pick<Applied, 'events' | 'effects'>,
): Answer {
  switch (command.type) {
    case 'team.create':
    case 'team.delete':
    case 'team.lead':
    case 'supervise':
    case 'supervise.end':
      return { team: teamView(state) }
    case 'member.join':
    case 'member.spawn':
    case 'member.stop':
    case 'member.lose':
    case 'member.park':
      return { ...memberAnswer(state, command.name), effects }
    case 'plan.load':
    case 'task.add':
    case 'task.claim':
    case 'task.update':
    case 'task.renew':
    case 'task.release':
      return { tasks: tasksOf(state, command, events), ...unblocked(state, events), effects }
    case 'task.complete':
    case 'task.fail': {
      const next = command.next ? { next: claimedIn(state, events) } : {}
      return { tasks: tasksOf(state, command, events), ...next, ...unblocked(state, events), effects }
    }
    case 'request.open':
    case 'request.answer':
    case 'request.withdraw':
      return { ...requestAnswer(state, command, events), effects }
    case 'token.issue':
    case 'transcript.repair':
      return { ...memberAnswer(state, command.member), effects }
    case 'mail.take':
      return { mail: { take: record, messages: takenBy(state, record, events) } }
    case 'step.change':
    case 'handoff.record':
      return {}
    default:
      return command satisfies never
  }
}

/** The answer to a command that changes nothing, because all is already so or there is nothing to take. */
export function answerUnchanged(state: TeamState, command: Command, by: string, note: string | undefined): Answer {
  const held = command.type === 'task.claim' ? heldBy(state, by) : undefined
  const task =
    held ?? ('id' in command && command.type !== 'task.claim' ? state.tasks.get(command.id ?? '') : undefined)
  const base = answer(state, command, '', { events: [], effects: [] })
  return {
    ...base,
    ...(base.tasks && { tasks: task ? [taskView(state, task)] : [] }),
    ...(note !== undefined && { note }),
  }
}

function memberAnswer(state: TeamState, name: string): Pick<Answer, 'member'> {
  const member = memberNamed(state, name)
  return member ? { member: memberView(member) } : {}
}

function tasksOf(state: TeamState, command: Command, events: readonly TeamEvent[]): TaskView[] {
  const wanted = 'id' in command ? command.id : undefined
  const kinds = ['task.add', 'plan.load'].includes(command.type)
    ? ['task.created']
    : command.type === 'task.claim'
      ? ['task.claimed']
      : undefined
  const ids = new Set<string>()
  for (const event of events) {
    if (!event.type.startsWith('task.') || !('id' in event)) continue
    if (wanted === undefined ? kinds?.includes(event.type) : event.id === wanted) ids.add(event.id)
  }
  return [...ids].flatMap((id) => {
    const task = state.tasks.get(id)
    return task ? [taskView(state, task)] : []
  })
}

function claimedIn(state: TeamState, events: readonly TeamEvent[]): TaskView | null {
  const claim = events.findLast((event) => event.type === 'task.claimed')
  const task = claim && 'id' in claim ? state.tasks.get(String(claim.id)) : undefined
  return task ? taskView(state, task) : null
}

function unblocked(state: TeamState, events: readonly TeamEvent[]): Pick<Answer, 'unblocked'> {
  const done = events.flatMap((event) => (event.type === 'task.completed' ? [event.id] : []))
  if (done.length === 0) return {}
  const waiting = done.flatMap((id) => taskViewsBehind(state, id))
  return { unblocked: waiting.filter((task) => task.waitsFor.length === 0).map((task) => task.subject) }
}

/** What waits for a task or for the whole plan it belongs to. */
function taskViewsBehind(state: TeamState, id: string): TaskView[] {
  const plan = planOf(id)
  return [...blockedTasks(state, id), ...(plan ? blockedTasks(state, plan) : [])].flatMap((other) => {
    const waiting = state.tasks.get(other)
    return waiting?.status === 'pending' ? [taskView(state, waiting)] : []
  })
}

function requestAnswer(state: TeamState, command: Command, events: readonly TeamEvent[]): Answer {
  const opened = events.findLast((event) => event.type === 'request.opened')
  const id = 'id' in command ? command.id : opened?.type === 'request.opened' ? opened.id : undefined
  const request = id === undefined ? undefined : state.requests.get(id)
  return request ? { request } : {}
}

function takenBy(state: TeamState, record: string, events: readonly TeamEvent[]): MessageView[] {
  return events.flatMap((event) => {
    if (event.type !== 'mail.taken') return []
    const mailbox = mailboxOf(state, event.member)
    return event.ids.flatMap((id) => {
      const unread = mailbox.get(id)
      return unread?.taken?.take === record ? [messageView(unread)] : []
    })
  })
}
