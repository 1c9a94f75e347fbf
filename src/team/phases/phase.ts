import { z } from 'zod'
import { Timestamp } from '../task.ts'

/**
 * started     its work is under way
 * completed   its exit artefacts are there
 * skipped     left out on purpose, with a reason; not every step may be
 * failed      ended without its exit artefacts; it can be started again
 */
export const StepStatus = z.enum(['started', 'completed', 'skipped', 'failed'])
export type StepStatus = z.infer<typeof StepStatus>

const StepNumber = z.number().int().min(1).max(99)

/** What changed about one step of a team's workflow in a phase. */
export const StepChange = z.object({
  /** Of the phase, relative to the workspace. */
  folder: z.string(),
  step: StepNumber,
  name: z.string(),
  status: StepStatus,
  /** Files that the step left, relative to the workspace. */
  artefacts: z.array(z.string()),
  reason: z.string().nullable(),
  /** How often the step was begun anew because its reviews did not pass, from 2 on; a failure says which one is next. */
  attempt: z.number().int().min(2).optional(),
})
export type StepChange = z.infer<typeof StepChange>

export const PhaseStep = StepChange.extend({ startedAt: Timestamp, changedAt: Timestamp })
export type PhaseStep = z.infer<typeof PhaseStep>

/** What one department gave to another one, or to the owner, in a phase. */
export const HandOff = z.object({
  folder: z.string(),
  /** `api_contract`, `design_handoff`, `department_result` … */
  kind: z.string(),
  from: z.string(),
  to: z.string(),
  /** What it is about, each with a status of its own: endpoints of a contract. */
  subjects: z.array(z.string()),
  status: z.string(),
  content: z.record(z.string(), z.json()),
})
export type HandOff = z.infer<typeof HandOff>

export const RecordedHandOff = HandOff.extend({ id: z.string(), at: Timestamp })
export type RecordedHandOff = z.infer<typeof RecordedHandOff>

/** A hand-off to be recorded: refused unless each of its subjects has one of these statuses now; null: none yet. */
export interface HandOffDraft extends HandOff {
  readonly after: readonly (string | null)[]
}

export function stepKey({ folder, step }: Pick<StepChange, 'folder' | 'step'>): string {
  return `${folder}\n${step}`
}
