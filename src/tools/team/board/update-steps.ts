import { noResultText } from '../../../prompts/reports.ts'
import type { Command, TaskChanges } from '../../../team/command.ts'
import { nameKey } from '../../../team/name.ts'
import { isLead } from '../../../team/rights.ts'
import type { Task, TaskStatus } from '../../../team/task.ts'
import { NotDone } from '../not-done.ts'
import type { UpdateInput } from './task-update-input.ts'

/** The status that an update asks for, if any, and the commands that reach it, in order. */
export interface UpdateSteps {
  readonly status: TaskStatus | undefined
  readonly commands: readonly Command[]
}

/** What follows when a teammate ends its own task. */
export interface OwnEnd {
  /** What the model wrote beside the call: the result of a task that is completed without one. */
  readonly text: string
  /** The next task is claimed in the same record. */
  readonly next: boolean
  /** The next task is claimed when the other calls of the answer have ended. */
  readonly isDueLater: boolean
  /** A result as the lead gets it. */
  reportOf(result: string): string
}

type Input = Omit<UpdateInput, 'team_name'>

/**
 * One command where that is enough, since a command takes effect as a whole or not at all. The status comes last: it
 * changes only if everything before it was accepted.
 */
export function updateSteps(input: Input, task: Task, me: string, own?: OwnEnd): UpdateSteps {
  const {
    taskId: id,
    addBlocks = [],
    result,
    commit,
    reason,
    detach,
    status: _s,
    owner: _o,
    assignee: _a,
    ...rest
  } = input
  const { status, assignee } = requestedChange(input, task, me)
  const changes: TaskChanges = { ...rest, ...(assignee !== undefined && { assignee }) }
  const update = (more: TaskChanges = {}): Command => ({ type: 'task.update', id, ...changes, ...more })
  const asked = Object.values(changes).some((value) => value !== undefined)
  const first = asked ? [update()] : []
  const edges = [...new Set(addBlocks)].map(
    (other): Command => ({ type: 'task.update', id: other, addBlockedBy: [id] }),
  )

  switch (status) {
    case undefined:
      if (!asked && edges.length === 0)
        throw new NotDone(`There is nothing to change: give a status, an owner or more.`)
      return { status, commands: [...edges, ...first] }
    case 'completed':
      if (own) {
        const { next } = own
        const words = result ?? (own.text.trim() === '' ? undefined : own.text)
        const report = words === undefined ? noResultText(task) : own.reportOf(words)
        return {
          status,
          commands: [...edges, ...first, { type: 'task.complete', id, result: words, commit, report, next }],
        }
      }
      if (result === undefined && commit === undefined) return { status, commands: [...edges, update({ status })] }
      return { status, commands: [...edges, ...first, { type: 'task.complete', id, result, commit }] }
    case 'failed':
      return {
        status,
        commands: [...edges, ...first, { type: 'task.fail', id, reason: reason ?? '', next: own?.next }],
      }
    case 'pending': {
      if (task.status !== 'in_progress') return { status, commands: [update({ status }), ...edges] }
      // Only a lead takes a claim from another member; the journal records which lead.
      const force = isLead(me) && !isSame(task.owner, me)
      return { status, commands: [{ type: 'task.release', id, force, reason }, ...first, ...edges] }
    }
    case 'in_progress':
    case 'deleted':
      return { status, commands: [...edges, update({ status, detach })] }
    default:
      return status satisfies never
  }
}

/** Translates `owner` into a status and an assignee. */
function requestedChange(input: Input, task: Task, me: string): Pick<Input, 'status' | 'assignee'> {
  const { status, assignee } = input
  const owner = input.owner === '' ? null : input.owner
  const held = task.status === 'pending' ? null : task.owner
  // An owner that holds the task already changes nothing.
  if (owner === undefined || (owner !== null && held !== null && isSame(owner, held) && status !== 'pending'))
    return status === 'in_progress' && assignee && isSame(assignee, me) ? { status } : { status, assignee }
  if (owner === null) {
    if (status !== undefined && status !== 'pending')
      throw new NotDone(`An empty owner does not go with status ${status}. Leave one of them out.`)
    return task.status === 'in_progress' ? { status: 'pending', assignee } : { status, assignee: null }
  }
  if (isSame(owner, me)) {
    if (status === undefined || status === 'in_progress') return { status: 'in_progress' }
    if (status === 'pending')
      throw new NotDone(
        `Your name as owner takes task ${task.id}, status pending gives it back. Leave one of them out.`,
      )
    return { status, assignee }
  }
  // Members claim for themselves: for another member the task is only assigned.
  return { status: status === 'in_progress' ? undefined : status, assignee: owner }
}

function isSame(one: string, other: string): boolean {
  return nameKey(one) === nameKey(other)
}
