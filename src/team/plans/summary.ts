import type { TeamState } from '../state.ts'
import { compareIds, planOf, type Task } from '../task.ts'
import type { PlanSummary } from './plan.ts'
import { lastResult } from './reported-result.ts'

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
    ch: unique(tasks.flatMap((task) => ('commit' in task ? (task.commit ?? []) : []))),
    fm: unique(completed.flatMap(({ files }: Task) => files)),
    dv: [...failed, ...noted.map(({ member, task, text }) => `${task} (${member}): ${text}`)],
    built: completed.map(({ subject }) => subject),
    tst: testsOf(state, plan, completed),
  }
}

/**
 * red_green    a tester reported tests that failed before the implementation, and every task is completed
 * green_only   tests were reported, or completed tasks changed files of tests
 */
function testsOf(state: TeamState, plan: string, completed: readonly Task[]): PlanSummary['tst'] {
  const reported = lastResult(state.results.values(), { kind: 'test_plan_result', plan })
  const hasTests = (reported?.tests ?? 0) > 0
  const isComplete = completed.length === state.index.plans.get(plan)?.total
  if (hasTests && reported?.isRed && isComplete) return 'red_green'
  const changed = completed.some(({ files }) => files.some((file) => TEST_FILE.test(file)))
  return completed.length > 0 && (hasTests || changed) ? 'green_only' : 'no_tests'
}

/** `users.test.ts`, `test_users.py`, `users_test.go`, `UsersTest.java`, or anything in a folder of tests. */
const TEST_FILE = /(?:^|\/)(?:tests?|__tests__|spec)\/|[._-](?:test|spec)\.\w+$|(?:^|\/)test_[^/]*$|Test\.\w+$/

function unique(values: readonly string[]): string[] {
  return [...new Set(values)]
}
