import { withoutPrefix } from '../../organisation/artefacts/match.ts'
import { type Verdict, verdictsIn, worstOf } from '../../organisation/artefacts/verdict.ts'
import type { Organisation, Step } from '../../organisation/definition/organisation.ts'
import { type ApprovalGate, type ApprovalGates, approvalsFor } from '../../organisation/guards/approvals.ts'
import { nextLevel } from '../../organisation/guards/escalation.ts'
import { afterReview } from '../../organisation/guards/review-cycles.ts'
import {
  approvalTask,
  reworkedPlans,
  reworkTask,
  type StepTask,
  type StepWork,
  stepTasks,
} from '../../organisation/phases/step-tasks.ts'
import { escalatedVerdicts, reportedVerdicts } from '../../organisation/reviews/reported-verdicts.ts'
import { disagreements, verdictsOfStep } from '../../organisation/reviews/verdicts-of-step.ts'
import { DEV_ROLE, PERSON_ROLE } from '../../plan/plan-draft.ts'
import type { RecordedHandOff } from '../../team/phases/phase.ts'
import { memberNamed, type TeamState } from '../../team/state.ts'
import type { DepartmentPhase } from './phase.ts'
import type { StepProblem } from './step-problem.ts'

export interface Review {
  readonly phase: DepartmentPhase
  readonly department: string
  readonly step: Step
  readonly approvalGates: ApprovalGates
  readonly state: TeamState
  /** With `plans`, of these alone. */
  work(cycle: number, plans?: readonly string[]): StepWork
  /** Has the tasks done that are not yet. */
  doTasks(tasks: readonly StepTask[]): Promise<StepProblem | undefined>
  /** Puts a task on the board, unless it is there already. */
  addTask(task: StepTask): Promise<StepProblem | undefined>
  /** What departments recorded for the owner: a FAIL may have gone there at once. */
  handOffs?(): Promise<readonly RecordedHandOff[]>
}

/**
 * Has the work of a step done and follows what its reviews say: work goes back as often as the step allows; a review that
 * does not pass after that fails the step and goes up one level. A step whose artefacts are no reviews passes.
 */
export async function reviewStep(review: Review): Promise<StepProblem | undefined> {
  const { phase, step, approvalGates } = review
  let plans: readonly string[] | undefined
  for (let cycle = 1; ; ) {
    const work = review.work(cycle, plans)
    const tasks = stepTasks(step, work)
    const problem = await review.doTasks(tasks)
    if (problem) return problem
    const sentBack = reworkOnBoard(review, work)
    const verdicts = await verdictsOf(review, { work, tasks, sentBack })
    // A step that sends work back is a review, also where its artefact does not say what came of it.
    const hasPassed = worstOf(verdicts) !== 'fail' && (verdicts.length > 0 || !step.cycles) && !sentBack
    const after = step.cycles ? afterReview(step.cycles, cycle, hasPassed) : undefined
    if (!hasPassed && after?.next !== 'again') return notPassed(phase.organisation, step, { verdicts, after })
    for (const gate of approvalsFor(approvalGates, verdicts)) {
      const open = await approval(review, gate, cycle)
      if (open) return open
    }
    if (after?.next !== 'again') return undefined
    plans = sentBack?.plans ?? failedPlans(step, work, verdicts)
    const found = verdicts.filter(({ outcome }) => outcome === 'fail').map(({ where }) => placeOf(work, where))
    const rework = await review.doTasks([reworkTask(step, work, { role: DEV_ROLE, plans, found })])
    if (rework) return rework
    cycle = after.cycle
    if (plans.length === 0) plans = undefined
  }
}

function placeOf({ folder }: StepWork, where: string): string {
  return where.includes(' of ') ? `the ${where}` : `${folder}/${where}`
}

/** The task by which an earlier run, or this one, sent the work of this cycle back: then its reviews did not pass. */
function reworkOnBoard({ state, step }: Review, work: StepWork): SentBack | undefined {
  for (const { id, subject } of state.tasks.values()) {
    const plans = reworkedPlans(subject, step, work)
    if (plans) return { plans, task: Number(id) }
  }
  return undefined
}

interface SentBack {
  /** Empty: all of them. */
  readonly plans: readonly string[]
  /** The number of its task. */
  readonly task: number
}

/** Plans whose review did not pass, where each has its own; the others are not reviewed again. */
function failedPlans(
  { perPlan, cycles }: Step,
  { plans, isPartOfPlans }: StepWork,
  verdicts: readonly Verdict[],
): string[] {
  if (!perPlan || !cycles) return []
  const failed = verdicts.filter(({ outcome }) => outcome === 'fail')
  if (failed.some(({ plan }) => plan === null)) return isPartOfPlans ? [...plans] : []
  const names = plans.filter((id) => failed.some(({ plan }) => plan === id))
  return names.length === plans.length && !isPartOfPlans ? [] : names
}

/** What the artefacts say, and what was handed over since the tasks of this cycle were made: both count. */
async function verdictsOf(
  { phase, step, state, department, handOffs }: Review,
  { work, tasks, sentBack }: { work: StepWork; tasks: readonly StepTask[]; sentBack: SentBack | undefined },
): Promise<Verdict[]> {
  const { organisation } = phase
  const { artefactPrefix } = organisation
  /** Hand-offs are about artefacts of any department. */
  const plain = { ...step, exit: step.exit.map((name) => withoutPrefix(name, artefactPrefix)) }
  const subjects = new Set(tasks.map(({ subject }) => subject))
  const made = [...state.tasks.values()].filter(({ subject }) => subjects.has(subject))
  const after = Math.min(...made.map(({ id }) => Number(id)))
  const first = made.map(({ createdAt }) => createdAt).sort((a, b) => a - b)[0] ?? 0
  const before = sentBack?.task ?? Number.POSITIVE_INFINITY
  const said = reportedVerdicts({
    ...{ organisation, department, step: plain, state, before, after: made.length === 0 ? 0 : after },
  })
  const escalated = sentBack
    ? []
    : escalatedVerdicts({ department, step: plain, since: first }, (await handOffs?.()) ?? [])
  const found = { written: verdictsIn(phase.path, step.exit, artefactPrefix), reported: [...said, ...escalated] }
  return verdictsOfStep(step, work.plans, found)
}

function notPassed(
  organisation: Organisation,
  { roles: [role = ''] }: Step,
  { verdicts, after }: { verdicts: readonly Verdict[]; after: ReturnType<typeof afterReview> | undefined },
): StepProblem {
  const failed = verdicts.filter(({ outcome }) => outcome === 'fail')
  const said = failed.map(({ where, result }) => `${where}: ${result}`)
  const evidence = [...new Set([...said, ...disagreements(verdicts)])]
  const isAudit = organisation.escalation.bypass.includes(role) && failed.length > 0
  const to = isAudit
    ? organisation.owner
    : after?.next === 'escalate'
      ? after.to
      : (nextLevel(organisation.escalation, role) ?? organisation.owner)
  const cycles = after?.next === 'escalate' ? `${after.reason}; ` : ''
  const [first] = failed
  return {
    reason: `${evidence.join(', ') || 'no review says what came of it'}: ${cycles}${to} has to decide`,
    isReviewed: true,
    escalation: {
      ...{ from: role, to, evidence: evidence.length > 0 ? evidence : ['the artefacts of the step hold no result'] },
      recommendation: 'Change what the review names, then run the phase again: it is reviewed anew.',
      ...(first && { result: first.result }),
    },
  }
}

/** Only a person agrees: what an agent did with the task does not count. */
async function approval(review: Review, gate: ApprovalGate, cycle: number): Promise<StepProblem | undefined> {
  const wanted = approvalTask(review.step, review.work(cycle), gate, PERSON_ROLE)
  const problem = await review.addTask(wanted)
  const task = [...review.state.tasks.values()].findLast(({ subject }) => subject === wanted.subject)
  if (!task) return problem ?? { reason: `approval ${gate} was not asked for` }
  const byPerson = 'owner' in task && memberNamed(review.state, task.owner)?.kind === 'human'
  if (task.status === 'completed' && byPerson) return undefined
  if (task.status === 'completed')
    return {
      reason: `approval ${gate}: task ${task.id} was completed by ${task.owner}, which is not a person`,
      isReviewed: true,
    }
  if (task.status === 'failed') return { reason: `approval ${gate} was refused: ${task.reason}`, isReviewed: true }
  return { reason: `approval ${gate} waits for a person: task ${task.id}`, waitsFor: [task.id] }
}
