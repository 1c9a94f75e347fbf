import { allTasks, openDependencies } from '../team/board/board.ts'
import { nameKey } from '../team/name.ts'
import type { Request } from '../team/request.ts'
import { heldBy, memberNamed, roster, type TeamState } from '../team/state.ts'
import type { Task } from '../team/task.ts'
import { oneLine } from '../team/wording.ts'

/** So many tasks, members or requests are listed; of the rest only the number. */
const MAX_LISTED = 40
const MAX_LINE_LENGTH = 200
const MAX_DESCRIPTION_LENGTH = 2000

/**
 * What a model reads about its own member and the team after a compaction: identity, role, team, its task, open
 * requests, and for the lead the roster and the open tasks. Nothing differs from run to run: no times, no long ids.
 */
export function situationText(state: TeamState, name: string, team: string): string {
  const member = memberNamed(state, name)
  const isLead = nameKey(name) === 'lead'
  const role = member?.role ?? name
  const identity = isLead
    ? `You are lead, the lead of ${team}.`
    : `You are ${name}, a teammate in ${team}. Your role: ${role}. You report to lead.`
  const task = heldBy(state, name)
  const own = task
    ? [
        `Your current task: ${inWords(state, task)}`,
        ...(task.description ? [oneLine(task.description, MAX_DESCRIPTION_LENGTH)] : []),
      ]
    : ['You hold no task right now.']
  return [
    identity,
    ...own,
    ...list('Open requests', openRequests(state, name), (request) => requestInWords(request, name)),
    ...rosterOf(state, name),
    ...(isLead ? boardOf(state) : []),
  ].join('\n')
}

function rosterOf(state: TeamState, name: string): string[] {
  const others = roster(state).filter((member) => nameKey(member.name) !== nameKey(name))
  const lines = list('The others in the team', others, (member) => {
    const task = heldBy(state, member.name)
    return `${member.name}: ${member.role}, ${member.kind}, ${member.status}${task ? `, works on task ${task.id}` : ''}`
  })
  return lines.length > 0 ? lines : ['You are alone in the team.']
}

function boardOf(state: TeamState): string[] {
  const open = allTasks(state).filter(({ status }) => status !== 'completed')
  const lines = list('Open tasks on the board', open, (task) => inWords(state, task))
  const done = state.tasks.size - open.length
  return [
    ...(lines.length > 0 ? lines : ['No task on the board is open.']),
    ...(done > 0 ? [`Completed: ${done}.`] : []),
  ]
}

function inWords(state: TeamState, task: Task): string {
  const waits = openDependencies(state, task)
  const about = [
    task.status === 'in_progress' ? `in progress, ${task.owner}` : task.status,
    ...(task.assignee !== null && task.status === 'pending' ? [`for ${task.assignee}`] : []),
    ...(waits.length > 0 ? [`waits for ${someOf(waits)}`] : []),
  ]
  return `${task.id} (${about.join('; ')}): ${oneLine(task.subject, MAX_LINE_LENGTH)}`
}

function someOf(ids: readonly string[]): string {
  return ids.length > MAX_LISTED
    ? `${ids.slice(0, MAX_LISTED).join(', ')} and ${ids.length - MAX_LISTED} more`
    : ids.join(', ')
}

function openRequests(state: TeamState, name: string): Request[] {
  const key = nameKey(name)
  return [...state.requests.values()].filter(
    ({ state, from, to }) => state === 'pending' && (nameKey(from) === key || nameKey(to) === key),
  )
}

function requestInWords({ id, kind, from, to, content }: Request, name: string): string {
  const who = nameKey(to) === nameKey(name) ? `${from} waits for your answer` : `you wait for the answer of ${to}`
  return `${id} (${kind}): ${who}: ${oneLine(content, MAX_LINE_LENGTH)}`
}

function list<T>(title: string, all: readonly T[], words: (one: T) => string): string[] {
  if (all.length === 0) return []
  const more = all.length > MAX_LISTED ? [`- and ${all.length - MAX_LISTED} more`] : []
  return [`${title}:`, ...all.slice(0, MAX_LISTED).map((one) => `- ${words(one)}`), ...more]
}
