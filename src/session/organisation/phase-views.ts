import { filesIn } from '../../organisation/artefacts/phase-folder.ts'
import type { SpawnPlan } from '../../organisation/departments/spawn-plan.ts'
import type { PhaseState } from '../../organisation/phases/phase-state.ts'
import {
  departmentStatusFile,
  EXECUTION_STATE_FILE,
  isCoordinationFile,
  ORCHESTRATION_FILE,
  sentinelFile,
} from '../../organisation/views/coordination-files.ts'
import { type ExecutionState, executionState } from '../../organisation/views/execution-state.ts'
import { handOffLines } from '../../organisation/views/hand-offs.ts'
import type { RecordedHandOff } from '../../team/phases/phase.ts'
import { putPhaseFile } from '../plan/phase-file.ts'
import { checkGate, currentWave, type Phase, phaseName } from './phase.ts'

/** What `.execution-state.json` says. */
export function executionStateOf(phase: Phase, state: PhaseState): ExecutionState {
  const { waves } = phase.departments
  return executionState({
    ...{ folder: phaseName(phase), wave: currentWave(phase, state), waves: waves.length },
    departments: state.departments,
  })
}

/** Makes the files of the phase say what the journals say. Nothing is read from them to decide. */
export function writePhaseViews(phase: Phase, state: PhaseState, orchestration?: SpawnPlan): void {
  const put = (name: string, text: string | undefined) => putPhaseFile(phase.root, phase.folder, name, text)
  const json = (value: unknown) => `${JSON.stringify(value, undefined, 2)}\n`
  for (const { name, status } of state.departments)
    put(departmentStatusFile(name), status.status === 'pending' ? undefined : json(status))
  put(EXECUTION_STATE_FILE, json(executionStateOf(phase, state)))
  if (orchestration) put(ORCHESTRATION_FILE, json(orchestration))
  for (const gate of phase.organisation.gates.keys()) {
    const sentinel = sentinelFile(gate)
    if (sentinel) put(sentinel, checkGate(phase, state, gate).isPassed ? '' : undefined)
  }
  for (const [type, { file }] of phase.organisation.handoffs) {
    // Files of departments that say their status are written above.
    if (file === undefined || isCoordinationFile(file.replaceAll('{department}', 'x'))) continue
    const recorded = state.handOffs.filter(({ kind }) => kind === type)
    const nameOf = ({ from }: RecordedHandOff) => file.replaceAll('{department}', from)
    for (const name of new Set(recorded.map(nameOf)))
      put(name, handOffLines(recorded.filter((one) => nameOf(one) === name)))
  }
}

/** Removes what only coordinated departments, as far as it can be removed, and never an artefact. */
export function removeCoordinationFiles({ root, folder, path }: Phase): { removed: string[]; kept: string[] } {
  const removed: string[] = []
  const kept: string[] = []
  for (const name of filesIn(path).filter(isCoordinationFile))
    try {
      putPhaseFile(root, folder, name, undefined)
      removed.push(name)
    } catch {
      kept.push(name)
    }
  return { removed, kept }
}
