import { createHash } from 'node:crypto'
import type { PlanDraft } from '../team/plans/plan.ts'
import type { TaskDraft } from '../team/task.ts'
import { type Plan, type PlanTask, taskIdOf } from './plan.ts'

/** The role that works on plan tasks, and the one that only a person has: `checkpoint:…` tasks wait for it. */
export const DEV_ROLE = 'dev'
export const PERSON_ROLE = 'person'

/** A subject has one line and at most 500 characters; the whole action stands in the description. */
const MAX_SUBJECT_LENGTH = 200

export interface Drafting {
  readonly folder: string
  /** Plans of `d` that are not complete. */
  readonly waitsFor: readonly string[]
  /** What developers are told with every task. */
  readonly briefing?: string | undefined
}

/** What is loaded onto the board: `td` as tasks, `d` as one dependency on the whole plan. */
export function draftOf(plan: Plan, drafting: Drafting): PlanDraft {
  const { id, header, tasks } = plan
  return {
    id,
    title: header.t,
    objective: header.obj,
    wave: header.w,
    folder: drafting.folder,
    hash: contentHash(plan),
    tasks: tasks.map((task) => taskDraft(plan, task, drafting)),
  }
}

/** Of what a plan says, not of its bytes: another order of keys or a final newline is the same plan. */
function contentHash({ header, tasks }: Plan): string {
  const content = JSON.stringify([header, tasks.map(({ line: _, ...task }) => task)])
  return createHash('sha256').update(content).digest('hex')
}

function taskDraft(plan: Plan, task: PlanTask, { waitsFor, briefing }: Drafting): TaskDraft {
  const { a, f, td, tp } = task
  const [first = ''] = a.trim().split(/[\r\n]/)
  return {
    id: taskIdOf(plan, task),
    subject: first.length > MAX_SUBJECT_LENGTH ? `${first.slice(0, MAX_SUBJECT_LENGTH - 1)}…` : first,
    description:
      tp === 'auto' && briefing !== undefined ? `${describe(plan, task)}\n\n${briefing}` : describe(plan, task),
    role: tp === 'auto' ? DEV_ROLE : PERSON_ROLE,
    blockedBy: [...td.map((id) => taskIdOf(plan, { id })), ...waitsFor],
    files: [...f],
  }
}

/** Owner and reviewer see how the task is verified and when it is done. */
function describe({ header }: Plan, { a, spec, ts, v, done, tp }: PlanTask): string {
  const parts = [
    a,
    `Objective of the plan: ${header.obj}`,
    ...(spec === undefined ? [] : [`Specification: ${spec}`]),
    ...(ts === undefined ? [] : [`Tests: ${ts}`]),
    `Verify: ${v}`,
    `Done when: ${done}`,
    ...(tp === 'auto' ? [] : [`This is a ${tp} task: only a person completes it.`]),
  ]
  return parts.join('\n')
}
