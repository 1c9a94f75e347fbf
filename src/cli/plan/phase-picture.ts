import { teamOf } from '../../organisation/departments/spawn-plan.ts'
import { askedOfUser, type PhaseState, signOffIn } from '../../organisation/phases/phase-state.ts'
import { checkGate, type Phase } from '../../session/organisation/phase.ts'
import { executionStateOf } from '../../session/organisation/phase-views.ts'
import { oneLine, table } from '../output/format.ts'
import type { Call } from '../program/context.ts'

/** Departments, their steps, gates and what waits, as the journals say it now. */
export function phaseStatus(phase: Phase, state: PhaseState) {
  const gates = gatesOf(phase, state).map(({ gate, isPassed, missing }) => ({ gate, passed: isPassed, missing }))
  return {
    ...executionStateOf(phase, state),
    departments: state.departments.map(({ status }) => status),
    gates,
    waiting: waitingIn(phase, state),
    escalations: escalationsIn(state),
    signoff: signOffIn(state) ?? null,
  }
}

/** Departments, gates and what they wait for, for a terminal. */
export function phasePicture(call: Call, phase: Phase, state: PhaseState): string {
  const { phase: number, phase_name, status, wave, total_waves } = executionStateOf(phase, state)
  const departments = state.departments.map(({ status: one }) => [
    one.dept,
    one.status,
    one.step,
    `${one.plans_complete} of ${one.plans_total}`,
    oneLine(one.error ?? ''),
  ])
  const gates = gatesOf(phase, state).map(({ gate, isPassed, missing }) => [
    gate,
    isPassed ? 'passed' : 'waits',
    oneLine(missing.join('; ')),
  ])
  const waiting = waitingIn(phase, state).map(({ team, task, subject }) => [team, task, oneLine(subject)])
  const escalations = escalationsIn(state).map(({ department, from, to, issue }) => [
    department,
    from,
    to,
    oneLine(issue),
  ])
  const signOff = signOffIn(state)
  return [
    `Phase ${number} ${phase_name}: ${status}, wave ${wave} of ${total_waves}\n`,
    table(call, ['department', 'status', 'step', 'plans', 'problem'], departments),
    table(call, ['gate', 'state', 'waits for'], gates),
    ...(signOff ? [`Sign-off of the ${phase.organisation.owner}: ${oneLine(signOff.decision)} (${signOff.at})\n`] : []),
    ...(waiting.length > 0 ? [table(call, ['team', 'task', 'waits for a person'], waiting)] : []),
    ...(escalations.length > 0 ? [table(call, ['department', 'from', 'to', 'escalation'], escalations)] : []),
  ].join('\n')
}

/** The steps that departments have begun or left out, for a terminal. */
export function stepsPicture(call: Call, phase: Phase, state: PhaseState): string {
  const { steps } = executionStateOf(phase, state)
  const rows = Object.entries(steps).flatMap(([department, ofDepartment]) =>
    Object.entries(ofDepartment).flatMap(([step, { status, reason = '' }]) =>
      status === 'pending' ? [] : [[department, step, status, oneLine(reason)]],
    ),
  )
  return table(call, ['department', 'step', 'state', 'reason'], rows)
}

/** Tasks that only a person does. */
function waitingIn({ organisation }: Phase, { departments }: PhaseState) {
  return departments.flatMap(({ name, facts }) =>
    (facts.waiting ?? []).map(({ id, subject }) => ({
      ...{ department: name, team: teamOf(organisation, name), task: id, subject },
    })),
  )
}

/** The last escalation of each department that has not come further since, and what the owner asked the user. */
function escalationsIn({ departments, handOffs }: PhaseState) {
  const ofDepartments = departments
    .flatMap(({ name, facts, status: { status } }) => {
      const last = handOffs.findLast(({ kind, from }) => kind === 'escalation' && from === name)
      const isOfThisStep = status === 'running' && facts.steps.every(({ startedAt }) => startedAt <= (last?.at ?? 0))
      return last && (status === 'failed' || isOfThisStep) ? [last] : []
    })
    .map(({ from: department, content: { from, to, issue, evidence, recommendation } }) => ({
      ...{ department, from: String(from), to: String(to), issue: String(issue), evidence, recommendation },
    }))
  return [...ofDepartments, ...askedOfUser({ handOffs })]
}

function gatesOf(phase: Phase, state: PhaseState) {
  return [...new Set(phase.departments.waves.flatMap(({ gates }) => gates))].map((gate) =>
    checkGate(phase, state, gate),
  )
}
