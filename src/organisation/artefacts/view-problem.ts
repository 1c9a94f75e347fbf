import type { LoadedPlan } from '../../team/plans/plan.ts'
import { isPlanView } from '../../team/plans/plan-views.ts'
import { matchesArtefact } from './match.ts'

/** What the journals say about the files that the runtime writes from them. */
export interface KnownViews {
  /** Of the phase. */
  readonly plans: readonly Pick<LoadedPlan, 'id' | 'summary'>[]
  /** Of the organisation; see `isPlanView`. */
  readonly handOffFiles: readonly string[]
  /** Whether a hand-off is recorded that is shown in this file. */
  isRecorded(file: string): boolean
}

/**
 * Why an artefact that the runtime writes from the journal is not there yet: the journal is asked, never the file, which a
 * command could have made. Undefined for every other artefact.
 */
export function viewProblem(
  artefact: string,
  { plans, handOffFiles, isRecorded }: KnownViews,
): { readonly problem: string | undefined } | undefined {
  if (/(?:^|[.*])summary\.jsonl$/.test(artefact)) {
    const meant = plans.filter(({ id }) => matchesArtefact(artefact, `${id}.summary.jsonl`))
    const open = meant.filter(({ summary }) => summary === null).map(({ id }) => id)
    if (meant.length === 0) return { problem: 'is missing' }
    return { problem: open.length > 0 ? `is missing of plan ${open.join(', ')}` : undefined }
  }
  if (!isPlanView(artefact, handOffFiles)) return undefined
  return { problem: isRecorded(artefact) ? undefined : 'is not recorded in the journal' }
}
