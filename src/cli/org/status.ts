import type { PhaseState } from '../../organisation/phases/phase-state.ts'
import { checkGate, type Phase, readPhase } from '../../session/organisation/phase.ts'
import { executionStateOf } from '../../session/organisation/phase-views.ts'
import { oneLine, table } from '../output/format.ts'
import { print, printJson } from '../output/print.ts'
import type { Call } from '../program/context.ts'
import type { SubCommand } from '../program/sub-command.ts'
import { openStore } from '../workspace/open-store.ts'
import { type PhaseOptions, phaseNamed } from './phase.ts'

export const orgStatus: SubCommand<PhaseOptions> = {
  example: '$ deskmates org status --phase-dir .yolo-planning/phases/03-api',
  define(command) {
    command
      .option('--phase-dir <dir>', 'the folder of the phase; may be left out where there is one')
      .option('--config <file>', 'the planning configuration')
  },
  async run(call, options) {
    await using workspace = await openStore(call)
    const phase = phaseNamed(call, workspace, options)
    const state = await readPhase(phase, workspace, call.clock)
    if (!call.globals.json) return print(call, phasePicture(call, phase, state))
    const gates = gatesOf(phase, state).map(({ gate, isPassed, missing }) => ({ gate, passed: isPassed, missing }))
    return printJson(call, {
      ...executionStateOf(phase, state),
      departments: state.departments.map(({ status }) => status),
      gates,
    })
  },
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
  return [
    `Phase ${number} ${phase_name}: ${status}, wave ${wave} of ${total_waves}\n`,
    table(call, ['department', 'status', 'step', 'plans', 'problem'], departments),
    table(call, ['gate', 'state', 'waits for'], gates),
  ].join('\n')
}

function gatesOf(phase: Phase, state: PhaseState) {
  return [...new Set(phase.departments.waves.flatMap(({ gates }) => gates))].map((gate) =>
    checkGate(phase, state, gate),
  )
}
