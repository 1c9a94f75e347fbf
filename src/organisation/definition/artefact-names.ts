import { isPlanView } from '../../team/plans/plan-views.ts'
import type { Department, Organisation } from './organisation.ts'

/** What stands before the names of a department's artefacts, so that no other department overwrites them. */
export function artefactPrefix({ artefacts, short }: Pick<Department, 'artefacts' | 'short'>): string {
  return artefacts ?? `${short}-`
}

/**
 * Artefacts of which each department has its own: what steps leave behind, except patterns, whose files are named by their plans, what is
 * there before the first step, and what the runtime writes.
 */
export function ownArtefacts(organisation: Pick<Organisation, 'steps' | 'inputs' | 'handoffs'>): ReadonlySet<string> {
  const { steps, inputs } = organisation
  const files = handOffFiles(organisation)
  const left = steps.flatMap(({ exit }) => exit)
  return new Set(left.filter((name) => !name.includes('*') && !inputs.includes(name) && !isPlanView(name, files)))
}

/** The files in which hand-offs are shown, with `{department}` for the name of the sender's department. */
export function handOffFiles({ handoffs }: Pick<Organisation, 'handoffs'>): string[] {
  return [...handoffs.values()].flatMap(({ file }) => file ?? [])
}
