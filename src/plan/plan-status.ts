import { claims, openDependencies, overlappingClaim } from '../team/board/board.ts'
import type { LoadedPlan, PlanSummary } from '../team/plans/plan.ts'
import type { TeamState } from '../team/state.ts'
import { type ClaimedTask, compareIds, type Task } from '../team/task.ts'
import { PERSON_ROLE } from './plan-draft.ts'

/** A loaded plan as people and programs see it. */
export interface PlanStatus {
  readonly plan: string
  readonly title: string
  readonly wave: number
  /** Of its phase, relative to the workspace. */
  readonly folder: string
  readonly tasks: { readonly total: number; readonly completed: number; readonly failed: number }
  /** Tasks that are not completed, and what each waits for. */
  readonly open: readonly OpenTask[]
  /** Since the last task ended. */
  readonly summary: PlanSummary | null
}

/**
 * working     `owner` holds it
 * ready       the next free developer takes it
 * person      a person takes it: a `checkpoint:…` task
 * blocked     waits for the tasks and plans in `waits_for`
 * files       waits for another claim, in `waits_for`, that reserves one of its files
 * failed      until it is reopened or deleted
 */
export interface OpenTask {
  readonly task: string
  readonly subject: string
  readonly state: 'working' | 'ready' | 'person' | 'blocked' | 'files' | 'failed'
  readonly owner: string | null
  readonly waits_for: readonly string[]
  /** Why it failed. */
  readonly reason: string | null
}

/** The loaded plans in the order of their waves, of one folder if that is given. */
export function planStatus(state: TeamState, folder?: string): PlanStatus[] {
  const plans = [...state.plans.values()].filter((plan) => folder === undefined || plan.folder === folder)
  const live = claims(state)
  return plans
    .sort((a, b) => a.wave - b.wave || (a.id < b.id ? -1 : 1))
    .map((plan) => ({
      plan: plan.id,
      title: plan.title,
      wave: plan.wave,
      folder: plan.folder,
      tasks: state.index.plans.get(plan.id) ?? { total: 0, completed: 0, failed: 0 },
      open: openTasks(state, plan, live),
      summary: plan.summary,
    }))
}

function openTasks(state: TeamState, { id }: LoadedPlan, live: readonly ClaimedTask[]): OpenTask[] {
  const tasks = [...state.index.planTasks.of(id)].sort(compareIds).flatMap((one) => state.tasks.get(one) ?? [])
  return tasks.filter(({ status }) => status !== 'completed').map((task) => openTask(state, task, live))
}

function openTask(state: TeamState, task: Task, live: readonly ClaimedTask[]): OpenTask {
  const { id, subject, status } = task
  const owner = status === 'in_progress' ? task.owner : null
  const about = { task: id, subject, owner, waits_for: [], reason: null }
  if (status === 'in_progress') return { ...about, state: 'working' }
  if (status === 'failed') return { ...about, state: 'failed', reason: task.reason }
  const waitsFor = openDependencies(state, task)
  if (waitsFor.length > 0) return { ...about, state: 'blocked', waits_for: waitsFor }
  const overlap = overlappingClaim(live, task.files)
  if (overlap) return { ...about, state: 'files', waits_for: [overlap.task.id] }
  return { ...about, state: task.role === PERSON_ROLE ? 'person' : 'ready' }
}
