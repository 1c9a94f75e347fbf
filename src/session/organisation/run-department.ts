import type { Stop } from '../../agent/agent-event.ts'
import type { SessionEvent } from '../../agent/session-event.ts'
import type { AlarmClock } from '../../journal/clock.ts'
import { artefactProblemIn, filesIn } from '../../organisation/artefacts/phase-folder.ts'
import { viewProblem } from '../../organisation/artefacts/view-problem.ts'
import type { Step } from '../../organisation/definition/organisation.ts'
import type { ApprovalGates } from '../../organisation/guards/approvals.ts'
import { departmentFacts } from '../../organisation/phases/phase-state.ts'
import { readsText, type StepTask, type StepWork, stepTasks } from '../../organisation/phases/step-tasks.ts'
import { partyOf } from '../../organisation/routing/roles.ts'
import { checkEntry, checkExit, nextStep, type StepFacts } from '../../organisation/steps/check-step.ts'
import type { Plan, Problem } from '../../plan/plan.ts'
import { DEV_ROLE, PERSON_ROLE } from '../../plan/plan-draft.ts'
import { refusedPlansText } from '../../prompts/refused-plans.ts'
import type { Command } from '../../team/command.ts'
import { isPresent, type Member } from '../../team/members/member.ts'
import { owedAnswers } from '../../team/members/owed-answers.ts'
import { nameKey } from '../../team/name.ts'
import type { RecordedHandOff, StepStatus } from '../../team/phases/phase.ts'
import { isRefusal } from '../../team/refusal.ts'
import { refusalText } from '../../team/refusal-text.ts'
import { roster } from '../../team/state.ts'
import type { Task } from '../../team/task.ts'
import type { Workspace } from '../../workspace.ts'
import { loadPlans } from '../plan/load-plans.ts'
import type { Session } from '../session.ts'
import { noPlan, PLAN_FILES, plansOf, problemLine } from './department-plans.ts'
import { type DepartmentPhase, knownViews } from './phase.ts'
import { reviewStep } from './review-step.ts'
import { escalationContent, failedTasks, problemOfStop, type StepEscalation, type StepProblem } from './step-problem.ts'

export interface DepartmentRun {
  readonly name: string
  readonly phase: DepartmentPhase
  readonly session: Session
  /** Of this department; read again after each step that writes plans. */
  plans: readonly Plan[]
  /** Does `work` while no other department of the phase writes plans: their numbers are those of the phase. */
  inTurn<T>(work: () => Promise<T>): Promise<T>
  readonly workspace: Workspace
  readonly clock: AlarmClock
  readonly env: Readonly<Record<string, string | undefined>>
  /** Where the planning configuration wants a person to agree. */
  readonly approvalGates: ApprovalGates
  /** Why a step is left out; undefined where it is done. */
  whySkipped(step: Step): string | undefined
  readonly signal: AbortSignal
  /** Why the department has to stop now, where that is not the user's wish. */
  whyStopped(): string | undefined
  onEvent(event: SessionEvent): Promise<void>
  /** Called after each change of a step. */
  onStep(step: Step, status: StepStatus, reason: string | null): Promise<void>
  /** A step cannot go on: the level that decides now learns of it. */
  escalate(step: Step, escalation: StepEscalation, issue: string): Promise<void>
  /** What departments recorded for each other and for the owner. */
  handOffs(): Promise<readonly RecordedHandOff[]>
}

/** Why a department stopped before its last step; undefined when it is through, or was only interrupted. */
export type DepartmentProblem =
  | { readonly text: string; readonly waitsFor: readonly string[]; readonly isLimit?: true }
  | undefined

/** Does the steps of a department one after the other, from the first one that is not over. */
export async function runDepartment(run: DepartmentRun): Promise<DepartmentProblem> {
  const { phase, session, signal } = run
  const { steps } = phase.organisation
  const known = (wanted: number) =>
    departmentFacts(session.team.state, phase.folder).steps.find(({ step }) => step === wanted)
  const facts: StepFacts = {
    statusOf: (wanted) => known(wanted)?.status,
    problemOf: (artefact) => problemIn(run, handOffs)(artefact),
  }
  let handOffs: readonly RecordedHandOff[] = []

  /** Carried along until the step is over. */
  const attemptOf = ({ step }: Step) => known(step)?.attempt ?? 1

  async function change(
    step: Step,
    status: StepStatus,
    reason: string | null = null,
    { attempt = attemptOf(step), escalation }: { attempt?: number; escalation?: MailedEscalation | undefined } = {},
  ): Promise<void> {
    const artefacts = status === 'completed' ? step.exit.map((artefact) => `${phase.folder}/${artefact}`) : []
    const about = {
      ...{ folder: phase.folder, step: step.step, name: step.name, status, artefacts, reason },
      ...(attempt > 1 && { attempt }),
    }
    const answer = await session.team.run({ type: 'step.change', change: about, ...(escalation && { escalation }) })
    if (isRefusal(answer)) throw new Error(refusalText(answer))
    await run.onStep(step, status, reason)
  }

  async function fail(step: Step, problem: StepProblem): Promise<DepartmentProblem> {
    const { reason, escalation, waitsFor = [] } = problem
    const text = `step ${step.step} (${step.name}): ${reason}`
    if (session.closing.aborted) return SESSION_CLOSED
    if (problem.isLimit) return { text, waitsFor, isLimit: true }
    if (waitsFor.length > 0) return { text, waitsFor }
    if (facts.statusOf(step.step) !== 'started') await change(step, 'started')
    // Recorded first: a run that ends here escalates again, rather than not at all.
    if (escalation) await run.escalate(step, escalation, text)
    const attempt = attemptOf(step) + (problem.isReviewed ? 1 : 0)
    await change(step, 'failed', reason, { attempt, escalation: escalation && mailOf(run, escalation, text) })
    return { text, waitsFor }
  }

  for (let step = nextStep(steps, facts.statusOf); step; step = nextStep(steps, facts.statusOf)) {
    if (session.closing.aborted) return SESSION_CLOSED
    if (signal.aborted) return undefined
    const skipped = run.whySkipped(step)
    if (skipped !== undefined && step.skippable) {
      await change(step, 'skipped', skipped)
      continue
    }
    handOffs = await run.handOffs()
    const entry = checkEntry(steps, step, facts)
    if (entry.gate === 'fail') return fail(step, { reason: entry.missing.join('; ') })
    const isResumed = facts.statusOf(step.step) !== undefined
    if (facts.statusOf(step.step) !== 'started') await change(step, 'started')
    const problem = await perform(run, step, { attempt: attemptOf(step), isResumed })
    // Interrupted: the step stays started, and the next run continues it.
    if (session.closing.aborted) return SESSION_CLOSED
    if (signal.aborted) {
      const reason = run.whyStopped()
      return reason === undefined ? undefined : fail(step, { reason })
    }
    if (problem) return fail(step, problem)
    handOffs = await run.handOffs()
    const exit = checkExit(step, facts)
    if (exit.gate === 'fail') return fail(step, { reason: exit.missing.join('; ') })
    await change(step, 'completed')
  }
  await session.endMembers()
  return undefined
}

/** The step stays as it is: nothing can be written to a team whose session is closed. */
export const SESSION_CLOSED: DepartmentProblem = {
  text: 'its session was closed. Run the phase again to continue it at its step',
  waitsFor: [],
}

type MailedEscalation = NonNullable<Extract<Command, { type: 'step.change' }>['escalation']>

/** For the member of the team that decides now, where there is one: the same as is recorded for the owner. */
function mailOf({ name, phase, session }: DepartmentRun, escalation: StepEscalation, issue: string) {
  const { state } = session.team
  const isMeant = (member: Member) =>
    nameKey(member.name) !== 'lead' && partyOf(phase.organisation, name, state, member.name)?.role === escalation.to
  const recipient = roster(state).find((member) => isPresent(member) && member.status !== 'lost' && isMeant(member))
  return recipient && { to: recipient.name, content: JSON.stringify(escalationContent(escalation, issue)) }
}

/** What agents are told of: a file that only looks like one of the runtime is not. */
function shownFiles(run: DepartmentRun, handOffs: readonly RecordedHandOff[]): string[] {
  const { plans } = departmentFacts(run.session.team.state, run.phase.folder)
  const known = knownViews(run.phase, plans, handOffs)
  const isShown = (name: string) => viewProblem(name, known)?.problem === undefined
  return filesIn(run.phase.path).filter(isShown)
}

const SUMMARIES = '*.summary.jsonl'

/** Does the work of a step; returns why that did not succeed. */
async function perform(
  run: DepartmentRun,
  step: Step,
  { attempt, isResumed }: { readonly attempt: number; readonly isResumed: boolean },
): Promise<StepProblem | undefined> {
  const { phase, session } = run
  const { organisation } = phase
  const isOfLead = step.roles.every((role) => organisation.roles.get(role)?.kind === 'lead')
  if (step.exit.includes(SUMMARIES)) return implement(run)
  // Plans that people wrote are not written again, and the sign-off is what the checks of all steps say.
  const writesPlans = step.exit.includes(PLAN_FILES)
  const isThere = checkExit(step, { statusOf: () => 'started', problemOf: problemIn(run, []) }).gate === 'pass'
  const isPlanned = !writesPlans || (run.plans.length > 0 && plansOf(phase, run.name).problems.length === 0)
  if (isOfLead && isThere && isPlanned) return undefined
  const handOffs = await run.handOffs()
  const work = (cycle: number, some?: readonly string[]): StepWork => ({
    ...{ department: run.name, folder: phase.folder, files: shownFiles(run, handOffs), cycle, attempt },
    ...{ plans: some ?? run.plans.map(({ id }) => id), isPartOfPlans: some !== undefined },
    roleOf: (role) => organisation.roles.get(role),
  })
  const ask = async (text: string | undefined) => problemOfStop(await lastOf(run, session.run(text, run.signal)))
  if (isOfLead && !writesPlans) return ask(stepTasks(step, work(1))[0]?.description)
  // What was wrong before, and not by this department, is not its mistake.
  const known = isResumed ? [] : plansOf(phase, run.name).problems.map((one) => problemLine(phase, one))
  if (isOfLead)
    return run.inTurn(async () => {
      const first = await ask(stepTasks(step, work(1))[0]?.description)
      return first ?? acceptPlans(run, known, ask)
    })
  const role = step.roles[0] ?? ''
  const correct = (text: string, i: number) => {
    const subject = `Correction ${i} after step ${step.step} ${step.name} of ${phase.folder}${attempt > 1 ? `, attempt ${attempt}` : ''}`
    return doTasks(run, [{ subject, role, description: text }])
  }
  const problem = await reviewStep({
    ...{ phase, department: run.name, step, work, state: session.team.state, approvalGates: run.approvalGates },
    doTasks: (tasks) => doTasks(run, tasks),
    addTask: (task) => addMissing(run, [task]),
    handOffs: run.handOffs,
  })
  return problem ?? (writesPlans ? acceptPlans(run, known, correct) : undefined)
}

/** How often plans that are not valid go back to their author. */
const MAX_CORRECTIONS = 2

/** Reads the plans that a step wrote, for the steps after it. Those that are not valid go back, with file, line and fix. */
async function acceptPlans(
  run: DepartmentRun,
  known: readonly string[],
  giveBack: (text: string, i: number) => Promise<StepProblem | undefined>,
): Promise<StepProblem | undefined> {
  const { phase, name } = run
  for (let i = 1; ; i++) {
    if (run.signal.aborted || run.session.closing.aborted) return undefined
    const { plans, problems } = plansOf(phase, name)
    const found = plans.length === 0 && problems.length === 0 ? [noPlan(phase, name)] : problems
    const lines = found.map((one) => problemLine(phase, one)).filter((line) => !known.includes(line))
    run.plans = plans
    if (lines.length === 0) return undefined
    if (i > MAX_CORRECTIONS)
      return { reason: `the plans were refused ${MAX_CORRECTIONS + 1} times: ${lines.join('; ')}` }
    const problem = await giveBack(refusedPlansText(lines), i)
    if (problem) return problem
  }
}

function problemIn(
  { phase, plans, session }: DepartmentRun,
  handOffs: readonly RecordedHandOff[],
): StepFacts['problemOf'] {
  const own = plans.map(({ id }) => id)
  return (artefact) => {
    const loaded = departmentFacts(session.team.state, phase.folder).plans
    const known = knownViews(phase, loaded, handOffs)
    const view = viewProblem(artefact, known)
    const { handOffFiles } = known
    const place = { plans: own, prefix: phase.organisation.artefactPrefix, handOffFiles }
    return view ? view.problem : artefactProblemIn(phase.path, artefact, place)
  }
}

/** Loads the plans and lets developers, which the supervisor starts, do their tasks. */
async function implement(run: DepartmentRun): Promise<StepProblem | undefined> {
  const { phase, session } = run
  const { plans, problems } = plansOf(phase, run.name)
  run.plans = plans
  const isOwn = ({ file }: Problem) => plans.some(({ path }) => path === file)
  const wrong = problems.filter(isOwn).map((one) => problemLine(phase, one))
  if (wrong.length > 0) return { reason: wrong.join('; ') }
  if (plans.length === 0) return { reason: 'the department has no plan' }
  const place = { folder: phase.folder, files: shownFiles(run, await run.handOffs()) }
  const briefing = readsText(place, phase.organisation.roles.get(DEV_ROLE))
  const loaded = await loadPlans(plans, { ...run, team: session.team, briefing })
  if (isRefusal(loaded)) return { reason: refusalText(loaded) }
  if ('problems' in loaded)
    return { reason: loaded.problems.map(({ problem, fix }) => `${problem}. ${fix.replace(/\.$/, '')}`).join('; ') }
  await reopen(run, (task) => task.id.includes('/'))
  const stopped = problemOfStop(await lastOf(run, session.run(undefined, run.signal)))
  if (stopped !== undefined) return stopped
  const open = plans.filter(({ id }) => session.team.state.plans.get(id)?.summary?.s !== 'complete')
  if (open.length === 0) return undefined
  const reason = `plan ${open.map(({ id }) => id).join(', ')} is not complete`
  const tasks = [...session.team.state.tasks.values()].filter(({ id }) =>
    open.some((plan) => id.startsWith(`${plan.id}/`)),
  )
  const failed = tasks.filter(({ status }) => status === 'failed')
  if (failed.length > 0) {
    const problem = failedTasks(phase.organisation, failed)
    return { ...problem, reason: `${reason}: ${problem.reason}` }
  }
  const waitsFor = tasks
    .filter(({ status, role }) => status !== 'completed' && role === PERSON_ROLE)
    .map(({ id }) => id)
  return waitsFor.length > 0
    ? { reason: `${reason}: it waits for a person: task ${waitsFor.join(', ')}`, waitsFor }
    : { reason }
}

/** Puts tasks on the board that are not there yet, and runs until they are done. */
async function doTasks(run: DepartmentRun, wanted: readonly StepTask[]): Promise<StepProblem | undefined> {
  if (run.signal.aborted) return { reason: 'it was interrupted' }
  const { team } = run.session
  const subjects = new Set(wanted.map(({ subject }) => subject))
  const tasks = () => [...team.state.tasks.values()].filter(({ subject }) => subjects.has(subject))
  const refused = await addMissing(run, wanted)
  if (refused) return refused
  await reopen(run, ({ subject }) => subjects.has(subject))
  const owed = owedAnswers(team.state).some(({ task }) => subjects.has(task.subject))
  if (owed || tasks().some(({ status }) => status !== 'completed')) {
    const stopped = problemOfStop(await lastOf(run, run.session.run(undefined, run.signal)))
    if (stopped !== undefined) return stopped
  }
  const open = tasks().filter(({ status }) => status !== 'completed')
  return open.length === 0 ? undefined : failedTasks(run.phase.organisation, open)
}

/** Puts the tasks on the board that are not there yet. */
async function addMissing(run: DepartmentRun, wanted: readonly StepTask[]): Promise<StepProblem | undefined> {
  const { team } = run.session
  const known = new Set([...team.state.tasks.values()].map(({ subject }) => subject))
  const missing = wanted.filter(({ subject }) => !known.has(subject))
  if (missing.length === 0) return undefined
  const answer = await team.run({ type: 'task.add', tasks: missing })
  return isRefusal(answer) ? { reason: refusalText(answer) } : undefined
}

/** What failed in an earlier run is tried once more in this one. */
async function reopen({ session: { team } }: DepartmentRun, isMeant: (task: Task) => boolean): Promise<void> {
  for (const { id, status } of [...team.state.tasks.values()].filter(isMeant))
    if (status === 'failed') await team.run({ type: 'task.update', id, status: 'pending' })
}

async function lastOf({ onEvent }: DepartmentRun, events: AsyncGenerator<SessionEvent, Stop>): Promise<Stop> {
  let next = await events.next()
  for (; !next.done; next = await events.next()) await onEvent(next.value)
  return next.value
}
