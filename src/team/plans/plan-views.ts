/**
 * `03-01.summary.jsonl` and the files that departments are coordinated by, also where a file system ignores case, and the
 * marks of processes that load plans.
 */
const PLAN_VIEW =
  /^(?:\d\d-\d\d\.summary\.jsonl|\.dept-status-[\w-]+\.json|\.handoff-[\w-]+-complete|\.execution-state\.json|\.phase-orchestration\.json|\.plan-load-[\w-]+\.lock|api-contracts\.jsonl|design-handoff\.jsonl|owner-(?:review|signoff)\.jsonl)$/i

/** A file in the folder of a phase that the runtime writes from the journal: agents read it and never write it. */
export function isPlanView(path: string): boolean {
  return PLAN_VIEW.test(path.slice(path.lastIndexOf('/') + 1))
}
