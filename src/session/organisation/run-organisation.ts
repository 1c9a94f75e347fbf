import type { SessionEvent } from '../../agent/session-event.ts'
import type { AlarmClock } from '../../journal/clock.ts'
import type { Step } from '../../organisation/definition/organisation.ts'
import type { Wave } from '../../organisation/departments/resolve-departments.ts'
import type { SpawnPlan } from '../../organisation/departments/spawn-plan.ts'
import type { GateDecision } from '../../organisation/gates/decide-gate.ts'
import type { ApprovalGates } from '../../organisation/guards/approvals.ts'
import type { PhaseState } from '../../organisation/phases/phase-state.ts'
import { departmentResult } from '../../organisation/views/department-result.ts'
import type { StepStatus } from '../../team/phases/phase.ts'
import { isRefusal } from '../../team/refusal.ts'
import type { Workspace } from '../../workspace.ts'
import type { Session } from '../session.ts'
import { plansOf } from './department-plans.ts'
import { codeOwner, type Owner, type OwnerActions } from './owner-actions.ts'
import { checkGate, type Phase, phaseOf, readPhase } from './phase.ts'
import { writePhaseViews } from './phase-views.ts'
import { recordHandOff } from './record-hand-off.ts'
import { type DepartmentProblem, type DepartmentRun, runDepartment, SESSION_CLOSED } from './run-department.ts'
import { escalationContent, type StepEscalation } from './step-problem.ts'

export interface OrganisationRun {
  readonly phase: Phase
  readonly workspace: Workspace
  readonly orchestration: SpawnPlan
  readonly clock: AlarmClock
  readonly env: Readonly<Record<string, string | undefined>>
  readonly signal: AbortSignal
  /** Opens the session of a department: its own lead, team, rules and share of the budget. */
  openDepartment(name: string): Promise<Session>
  readonly approvalGates: ApprovalGates
  /** Decides which department runs when; code, if it is left out. */
  readonly owner?: Owner | undefined
  whySkipped(department: string, step: Step): string | undefined
  report(event: OrganisationEvent): Promise<void>
}

export type OrganisationEvent =
  | {
      readonly type: 'step'
      readonly department: string
      readonly step: Step
      readonly status: StepStatus
      readonly reason: string | null
    }
  | { readonly type: 'department_ended'; readonly department: string; readonly problem: DepartmentProblem }
  | {
      readonly type: 'escalated'
      readonly department: string
      readonly escalation: StepEscalation
      readonly issue: string
    }
  | { readonly type: 'gate'; readonly decision: GateDecision; readonly isBlocking: boolean }
  | { readonly type: 'session'; readonly department: string; readonly event: SessionEvent }

export interface OrganisationEnd {
  /** Every department is complete and every gate passed. */
  readonly isComplete: boolean
  /** A limit stopped a department or the owner: the next run continues where it stopped. */
  readonly isLimited: boolean
  readonly state: PhaseState
}

/**
 * Runs the departments of a phase in waves. The departments of a wave work at the same time, each in a session of its
 * own; what happens to one does not touch the others. The next wave begins when the gates are passed.
 */
export async function runOrganisation(run: OrganisationRun): Promise<OrganisationEnd> {
  const { phase, workspace, clock, signal, orchestration } = run
  const views = serialised(async () => {
    const state = await readPhase(phase, workspace, clock)
    writePhaseViews(phase, state, orchestration)
    return state
  })
  const inTurn = turns()
  let isLimited = false
  const { waves } = phase.departments
  const decided = (wave: Wave, state: PhaseState) => wave.gates.map((gate) => checkGate(phase, state, gate))
  const actions: OwnerActions = {
    waves,
    look: views,
    gatesOf: (wave, state) => decided(wave, state).filter(({ rule }) => rule.blocking),
    async ready() {
      const state = await views()
      for (const wave of waves) {
        const open = state.departments.filter(
          ({ name, status }) => wave.departments.includes(name) && status.status !== 'complete',
        )
        if (open.length > 0) return open.map(({ name }) => name)
        if (actions.gatesOf(wave, state).some(({ isPassed }) => !isPassed)) return []
      }
      return []
    },
    async run(departments, own = signal) {
      const both = AbortSignal.any([signal, own])
      const ended = await Promise.all(departments.map((name) => runOne(run, { name, signal: both, views, inTurn })))
      isLimited ||= ended.some((problem) => problem?.isLimit)
      return views()
    },
    async pass(wave) {
      const decisions = decided(wave, await views())
      for (const decision of decisions) await run.report({ type: 'gate', decision, isBlocking: decision.rule.blocking })
      return decisions.every(({ isPassed, rule }) => isPassed || !rule.blocking)
    },
  }
  const end = await (run.owner ?? codeOwner)(actions, signal)
  const state = await views()
  const isComplete =
    end === 'passed' && !signal.aborted && state.departments.every(({ status }) => status.status === 'complete')
  return { isComplete, isLimited: isLimited || end === 'limit', state }
}

interface OneRun {
  readonly name: string
  /** Ends this department, whatever ended it: the run, or the owner that started it. */
  readonly signal: AbortSignal
  views(): Promise<PhaseState>
  readonly inTurn: DepartmentRun['inTurn']
}

async function runOne(run: OrganisationRun, { name, signal, views, inTurn }: OneRun): Promise<DepartmentProblem> {
  const { phase, clock } = run
  const { timeoutMinutes } = phase.organisation.departments.get(name)!
  const limit = new AbortController()
  const stopLimit = clock.in(timeoutMinutes * 60, () => limit.abort())
  const problem = await (async (): Promise<DepartmentProblem> => {
    await using session = await run.openDepartment(name)
    const ended = await runDepartment({
      ...{
        name,
        phase: phaseOf(phase, name),
        session,
        clock,
        workspace: run.workspace,
        env: run.env,
        plans: plansOf(phase, name).plans,
        inTurn,
      },
      signal: AbortSignal.any([signal, limit.signal, session.closing]),
      whyStopped: () => (limit.signal.aborted ? `time-out after ${timeoutMinutes} minutes` : undefined),
      approvalGates: run.approvalGates,
      whySkipped: (step) => run.whySkipped(name, step),
      escalate: (step, escalation, issue) => escalate(run, name, { step, escalation, issue }),
      handOffs: async () => (await readPhase(phase, run.workspace, clock)).handOffs,
      onEvent: (event) => run.report({ type: 'session', department: name, event }),
      async onStep(step, status, reason) {
        await run.report({ type: 'step', department: name, step, status, reason })
        await views()
      },
    }).catch((error) => {
      if (session.closing.aborted) return SESSION_CLOSED
      throw error
    })
    const isToContinue = ended !== undefined && (ended.waitsFor.length > 0 || ended.isLimit)
    if (!signal.aborted && !isToContinue) await recordResult(run, name, session, ended)
    return ended
  })()
    .catch((error: Error) => ({ text: error.message, waitsFor: [] }))
    .finally(stopLimit)
  await run.report({ type: 'department_ended', department: name, problem })
  return problem
}

/** In the owner's journal, where it stays visible whatever becomes of the department's team. */
async function escalate(
  run: OrganisationRun,
  department: string,
  { step, escalation, issue }: { step: Step; escalation: StepEscalation; issue: string },
): Promise<void> {
  const { to } = escalation
  const answer = await recordHandOff(run, {
    ...{ folder: run.phase.folder, kind: 'escalation', from: department, to },
    ...{ subjects: [step.name], status: 'open', after: [null, 'open'] },
    content: escalationContent(escalation, issue),
  })
  if (isRefusal(answer)) throw new Error(`The escalation of ${department} could not be recorded: ${answer.code}`)
  await run.report({ type: 'escalated', department, escalation, issue })
}

/** Tells the owner how the department ended, in the owner's journal. */
async function recordResult(
  run: OrganisationRun,
  name: string,
  { team }: Session,
  problem: DepartmentProblem,
): Promise<void> {
  const { phase } = run
  const ended = { name, folder: phase.folder, problem: problem?.text }
  const content = departmentResult(phase.organisation, team.state, ended)
  const answer = await recordHandOff(run, {
    ...{ folder: phase.folder, kind: 'department_result', from: name, to: phase.organisation.owner },
    ...{ subjects: [], status: content.result, after: [], content: { ...content } },
  })
  if (isRefusal(answer)) throw new Error(`The result of ${name} could not be recorded: ${answer.code}`)
}

/** Each piece of work begins when those that were given before it have ended. */
function turns(): DepartmentRun['inTurn'] {
  let last: Promise<unknown> = Promise.resolve()
  return (work) => {
    const next = last.then(work)
    last = next.catch(() => {})
    return next
  }
}

/** One at a time: a later caller gets a result that was begun after it asked. */
function serialised<T>(work: () => Promise<T>): () => Promise<T> {
  let last: Promise<unknown> = Promise.resolve()
  return () => {
    const next = last.then(work, work)
    last = next
    return next
  }
}
