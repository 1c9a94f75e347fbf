import { artefactProblemIn } from '../../organisation/artefacts/phase-folder.ts'
import { viewProblem } from '../../organisation/artefacts/view-problem.ts'
import type { Organisation, Step } from '../../organisation/definition/organisation.ts'
import { organisationOf } from '../../organisation/departments/department-organisation.ts'
import type { PhaseState } from '../../organisation/phases/phase-state.ts'
import { checkEntry, checkExit, type StepGate } from '../../organisation/steps/check-step.ts'
import { InvalidPhase, knownViews, type Phase } from './phase.ts'

export interface DepartmentGate extends StepGate {
  readonly department: string
}

/** A step by its number or its name, or the one at which a role joins. */
export function stepNamed({ steps, roles }: Organisation, wanted: string): Step {
  const role = [...roles].find(([name]) => name === wanted)?.[1]
  const joins = role && 'step' in role ? role.step : undefined
  const found =
    steps.find(({ step, name }) => name === wanted || String(step) === wanted) ??
    steps.find(({ step, roles: own }) => (joins === undefined ? own.includes(wanted) : step === joins))
  if (found) return found
  const all = steps.map(({ step, name }) => `${step} (${name})`).join(', ')
  throw new InvalidPhase(`There is no step '${wanted}', and no role that joins at one. Steps: ${all}.`)
}

/**
 * Whether the step may begin in each of these departments, or may end there: by their journals and by the artefacts in the
 * folder of the phase, with the checks that `org run` makes.
 */
export function checkStep(
  phase: Phase,
  { departments, handOffs }: PhaseState,
  step: Step,
  { isEnd, department: wanted }: { readonly isEnd: boolean; readonly department?: string | undefined },
): DepartmentGate[] {
  const meant = departments.filter(({ name }) => wanted === undefined || name === wanted)
  if (meant.length === 0) {
    const names = departments.map(({ name }) => name).join(', ')
    throw new InvalidPhase(`'${wanted}' is not a department of this phase. Departments: ${names}.`)
  }
  return meant.map(({ name, facts: { steps, plans } }) => {
    const organisation = organisationOf(phase.organisation, name)
    const own = organisation.steps.find((one) => one.step === step.step) ?? step
    const known = knownViews(phase, plans, handOffs)
    const place = { prefix: organisation.artefactPrefix, handOffFiles: known.handOffFiles }
    const facts = {
      statusOf: (number: number) => steps.find((one) => one.step === number)?.status,
      problemOf(artefact: string) {
        const view = viewProblem(artefact, known)
        return view ? view.problem : artefactProblemIn(phase.path, artefact, place)
      },
    }
    const gate = isEnd ? checkExit(own, facts) : checkEntry(organisation.steps, own, facts)
    return { department: name, ...gate }
  })
}
