import type { StepStatus } from '../../team/phases/phase.ts'

/** What the organisation says about one step of its workflow. */
export interface StepRule {
  readonly step: number
  readonly name: string
  /** Artefacts that must be there before it begins, and when it ends. */
  readonly entry: readonly string[]
  readonly exit: readonly string[]
  readonly skippable: boolean
}

/** What a check of a step looks at. */
export interface StepFacts {
  statusOf(step: number): StepStatus | undefined
  /** Why an artefact of the phase does not count: it is missing, empty or broken. */
  problemOf(artefact: string): string | undefined
}

/** In the keys of the source documents. */
export interface StepGate {
  readonly gate: 'pass' | 'fail'
  readonly step: string
  readonly missing: readonly string[]
}

/**
 * Whether a step may begin: every earlier step is completed or skipped, and its entry artefacts are there. An artefact of
 * a skipped step is not waited for.
 */
export function checkEntry(steps: readonly StepRule[], wanted: StepRule, facts: StepFacts): StepGate {
  const before = steps.filter(({ step }) => step < wanted.step)
  const open = before.filter(({ step }) => !isOver(facts.statusOf(step)))
  const wronglySkipped = before.filter((one) => !one.skippable && facts.statusOf(one.step) === 'skipped')
  const skipped = new Set(before.filter(({ step }) => facts.statusOf(step) === 'skipped').flatMap(({ exit }) => exit))
  return gateOf(wanted, [
    ...open.map(({ step, name }) => `step ${step} (${name}) is ${facts.statusOf(step) ?? 'not started'}`),
    ...wronglySkipped.map(({ step, name }) => `step ${step} (${name}) was skipped and must not be`),
    ...problems(
      wanted.entry.filter((artefact) => !skipped.has(artefact)),
      facts,
    ),
  ])
}

/** Whether a step that has begun may end as completed. */
export function checkExit(wanted: StepRule, facts: StepFacts): StepGate {
  const status = facts.statusOf(wanted.step)
  const notStarted = status === undefined ? [`step ${wanted.step} (${wanted.name}) is not started`] : []
  return gateOf(wanted, [...notStarted, ...problems(wanted.exit, facts)])
}

/** The step with which a phase continues; undefined when all are over. */
export function nextStep<Rule extends StepRule>(
  steps: readonly Rule[],
  statusOf: StepFacts['statusOf'],
): Rule | undefined {
  return steps.find(({ step }) => !isOver(statusOf(step)))
}

function isOver(status: StepStatus | undefined): boolean {
  return status === 'completed' || status === 'skipped'
}

function problems(artefacts: readonly string[], { problemOf }: StepFacts): string[] {
  return artefacts.flatMap((artefact) => {
    const problem = problemOf(artefact)
    return problem === undefined ? [] : [`${artefact}: ${problem}`]
  })
}

function gateOf({ name }: StepRule, missing: readonly string[]): StepGate {
  return { gate: missing.length === 0 ? 'pass' : 'fail', step: name, missing }
}
