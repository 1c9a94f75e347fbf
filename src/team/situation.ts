import { allTasks, openDependencies } from './board.ts'
import { nameKey } from './name.ts'
import type { Request } from './request.ts'
import { heldBy, memberNamed, roster, type TeamState } from './state.ts'
import type { Task } from './task.ts'

/** How many tasks, members or requests are named; of the rest only the number is said. */
const MOST = 40

/**
 * Who a member is and how things stand, in words for its model: identity, role, team, its task, open requests, and for
 * the lead the roster with states and the open tasks. Nothing in it differs from run to run: no times, no long ids.
 */
export function situationOf(state: TeamState, name: string, team: string): string {
  const member = memberNamed(state, name)
  const isLead = nameKey(name) === 'lead'
  const role = member?.role ?? name
  const identity = isLead
    ? `You are lead, the lead of ${team}.`
    : `You are ${name}, a teammate in ${team}. Your role: ${role}. You report to lead.`
  const task = heldBy(state, name)
  const own = task
    ? [`Your current task: ${inWords(state, task)}`, ...(task.description ? [oneLine(task.description, 2000)] : [])]
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
  return `${task.id} (${about.join('; ')}): ${oneLine(task.subject)}`
}

function someOf(ids: readonly string[]): string {
  return ids.length > MOST ? `${ids.slice(0, MOST).join(', ')} and ${ids.length - MOST} more` : ids.join(', ')
}

function openRequests(state: TeamState, name: string): Request[] {
  const key = nameKey(name)
  return [...state.requests.values()].filter(
    ({ state, from, to }) => state === 'pending' && (nameKey(from) === key || nameKey(to) === key),
  )
}

function requestInWords({ id, kind, from, to, content }: Request, name: string): string {
  const who = nameKey(to) === nameKey(name) ? `${from} waits for your answer` : `you wait for the answer of ${to}`
  return `${id} (${kind}): ${who}: ${oneLine(content)}`
}

function list<T>(title: string, all: readonly T[], words: (one: T) => string): string[] {
  if (all.length === 0) return []
  const more = all.length > MOST ? [`- and ${all.length - MOST} more`] : []
  return [`${title}:`, ...all.slice(0, MOST).map((one) => `- ${words(one)}`), ...more]
}

/** Others wrote it: it stays on its line and begins no element of ours. */
function oneLine(text: string, most = 200): string {
  const line = text.replace(/\s+/g, ' ').replaceAll('<', '&lt;').trim()
  return line.length > most ? `${line.slice(0, most - 1)}…` : line
}
