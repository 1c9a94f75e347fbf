import type { TeamState } from '../state.ts'
import { compareIds, planOf, type Task } from '../task.ts'
import type { PlanSummary } from './plan.ts'

/** As in ISO 8601: 2026-02-17. */
const dateIn = new Intl.DateTimeFormat('sv-SE', { timeZone: 'UTC' })

/** The summary of a plan from what its tasks say. Written in one place, from the board alone, so there is one author. */
export function summaryOf(state: TeamState, plan: string, now: number): PlanSummary {
  const ids = [...state.index.planTasks.of(plan)].sort(compareIds)
  const tasks = ids.flatMap((id) => state.tasks.get(id) ?? [])
  const completed = tasks.filter((task) => task.status === 'completed')
  const failed = tasks.flatMap((task) => (task.status === 'failed' ? [`${task.id} failed: ${task.reason}`] : []))
  const noted = state.deviations.get().filter(({ task }) => task !== null && planOf(task) === plan)
  const [p = '', n = ''] = plan.split('-')
  return {
    p,
    n,
    t: state.plans.get(plan)?.title ?? '',
    s: completed.length === tasks.length ? 'complete' : completed.length > 0 ? 'partial' : 'failed',
    dt: dateIn.format(now * 1000),
    tc: completed.length,
    tt: tasks.length,
    ch: unique(completed.flatMap(({ commit }) => commit ?? [])),
    fm: unique(completed.flatMap(({ files }: Task) => files)),
    dv: [...failed, ...noted.map(({ member, task, text }) => `${task} (${member}): ${text}`)],
    built: completed.map(({ subject }) => subject),
    tst: 'no_tests',
  }
}

function unique(values: readonly string[]): string[] {
  return [...new Set(values)]
}
