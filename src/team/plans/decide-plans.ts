import { decideTask } from '../board/decide-tasks.ts'
import type { Circumstances, Decision } from '../command.ts'
import type { EventOf, TeamEvent } from '../event.ts'
import { isRefusal, refuse } from '../refusal.ts'
import { isLead, leadOnly } from '../rights.ts'
import type { TeamState } from '../state.ts'
import { planOf } from '../task.ts'
import type { PlanDraft } from './plan.ts'
import { summaryOf } from './summary.ts'

/** Puts all tasks of a plan on the board, or none. Loading the same plan again changes nothing. */
export function decideLoad(state: TeamState, plan: PlanDraft, about: Circumstances): Decision {
  if (!isLead(about.by.name)) return leadOnly('load_plan', about.by)
  const { tasks, ...facts } = plan
  const loaded = state.plans.get(plan.id)
  if (loaded && loaded.hash !== plan.hash) return refuse('wrong_state', { problem: 'plan_changed', plan: plan.id })
  if (loaded) return { events: [], note: `Plan ${plan.id} is already loaded.` }
  const { id, ...rest } = facts
  const event: EventOf<'plan.loaded'> = { type: 'plan.loaded', plan: id, ...rest, tasks: tasks.length }
  if (tasks.length === 0) return { events: [event] }
  const added = decideTask(state, { type: 'task.add', tasks }, about)
  return isRefusal(added) ? added : { events: [event, ...added.events] }
}

const CHANGES_PLAN: ReadonlySet<string> = new Set(['plan.loaded', 'task.completed', 'task.failed', 'task.deleted'])

/**
 * The summaries that belong into the same record as these events: of every plan whose last open task ends with them.
 * `given` runs a question on the state with the events applied.
 */
export function endedPlans(
  state: TeamState,
  events: readonly TeamEvent[],
  now: number,
  given: <Answer>(ask: () => Answer) => Answer,
): EventOf<'plan.ended'>[] {
  const touched = new Set<string>()
  for (const event of events) {
    if (!CHANGES_PLAN.has(event.type)) continue
    // Its tasks stand in the same record, all of them open.
    if (event.type === 'plan.loaded' && event.tasks > 0) continue
    const plan = event.type === 'plan.loaded' ? event.plan : planOf((event as EventOf<'task.completed'>).id)
    if (plan !== undefined && (event.type === 'plan.loaded' || state.plans.has(plan))) touched.add(plan)
  }
  if (touched.size === 0) return []
  return given(() =>
    [...touched].flatMap((plan) => {
      const { total = 0, completed = 0, failed = 0 } = state.index.plans.get(plan) ?? {}
      return completed + failed < total
        ? []
        : [{ type: 'plan.ended' as const, plan, summary: summaryOf(state, plan, now) }]
    }),
  )
}
