import { z } from 'zod'
import { PlanId, type TaskDraft, Timestamp } from '../task.ts'

const texts = z.array(z.string())

/** One line of `PP-NN.summary.jsonl`, with the short keys of the source documents. */
export const PlanSummary = z.object({
  p: z.string(),
  n: z.string(),
  /** Title. */
  t: z.string(),
  s: z.enum(['complete', 'partial', 'failed']),
  /** Date. */
  dt: z.string(),
  /** Tasks completed, and tasks in total. */
  tc: z.number().int(),
  tt: z.number().int(),
  /** Commits. */
  ch: texts,
  /** Files that its tasks changed. */
  fm: texts,
  /** Deviations: what was left undone or uncommitted. */
  dv: texts,
  built: texts,
  /** Tests: failing before the implementation and passing after it, passing only, or none. */
  tst: z.enum(['red_green', 'green_only', 'no_tests']),
})
export type PlanSummary = z.infer<typeof PlanSummary>

/** A plan whose tasks are on the board. `summary` since its last task ended; a reopened task takes it away. */
export const LoadedPlan = z.object({
  id: PlanId,
  title: z.string(),
  objective: z.string(),
  wave: z.number().int(),
  /** Of the phase, relative to the workspace: its summary is written there. */
  folder: z.string(),
  /** Of the plan file. */
  hash: z.string(),
  tasks: z.number().int(),
  loadedAt: Timestamp,
  summary: PlanSummary.nullable(),
})
export type LoadedPlan = z.infer<typeof LoadedPlan>

/** What a plan is loaded from. */
export interface PlanDraft extends Omit<LoadedPlan, 'tasks' | 'loadedAt' | 'summary'> {
  readonly tasks: readonly TaskDraft[]
}
