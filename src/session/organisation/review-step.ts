import { type Verdict, verdictsIn, worstOf } from '../../organisation/artefacts/verdict.ts'
import type { Organisation, Step } from '../../organisation/definition/organisation.ts'
import { type ApprovalGate, type ApprovalGates, approvalsFor } from '../../organisation/guards/approvals.ts'
import { nextLevel } from '../../organisation/guards/escalation.ts'
import { afterReview } from '../../organisation/guards/review-cycles.ts'
import {
  approvalTask,
  reworkTask,
  type StepTask,
  type StepWork,
  stepTasks,
} from '../../organisation/phases/step-tasks.ts'
import { DEV_ROLE, PERSON_ROLE } from '../../plan/plan-draft.ts'
import { memberNamed, type TeamState } from '../../team/state.ts'
import type { Phase } from './phase.ts'
import type { StepProblem } from './step-problem.ts'

export interface Review {
  readonly phase: Phase
  readonly step: Step
  readonly approvalGates: ApprovalGates
  readonly state: TeamState
  work(cycle: number): StepWork
  /** Has the tasks done that are not yet. */
  doTasks(tasks: readonly StepTask[]): Promise<StepProblem | undefined>
  /** Puts a task on the board, unless it is there already. */
  addTask(task: StepTask): Promise<StepProblem | undefined>
}

/**
 * Has the work of a step done and follows what its reviews say: work goes back as often as the step allows; a review that
 * does not pass after that fails the step and goes up one level. A step whose artefacts are no reviews passes.
 */
export async function reviewStep(review: Review): Promise<StepProblem | undefined> {
  const { phase, step, approvalGates } = review
  for (let cycle = 1; ; ) {
    const problem = await review.doTasks(stepTasks(step, review.work(cycle)))
    if (problem) return problem
    const verdicts = verdictsIn(phase.path, step.exit)
    // A step that sends work back is a review, also where its artefact does not say what came of it.
    const hasPassed = worstOf(verdicts) !== 'fail' && (verdicts.length > 0 || !step.cycles)
    const after = step.cycles ? afterReview(step.cycles, cycle, hasPassed) : undefined
    if (!hasPassed && after?.next !== 'again') return notPassed(phase.organisation, step, { verdicts, after })
    for (const gate of approvalsFor(approvalGates, verdicts)) {
      const open = await approval(review, gate, cycle)
      if (open) return open
    }
    if (after?.next !== 'again') return undefined
    const rework = await review.doTasks([reworkTask(step, review.work(cycle), DEV_ROLE)])
    if (rework) return rework
    cycle = after.cycle
  }
}

function notPassed(
  organisation: Organisation,
  { roles: [role = ''] }: Step,
  { verdicts, after }: { verdicts: readonly Verdict[]; after: ReturnType<typeof afterReview> | undefined },
): StepProblem {
  const failed = verdicts.filter(({ outcome }) => outcome === 'fail')
  const evidence = failed.map(({ artefact, result }) => `${artefact}: ${result}`)
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
