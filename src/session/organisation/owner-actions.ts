import type { Wave } from '../../organisation/departments/resolve-departments.ts'
import type { GateDecision } from '../../organisation/gates/decide-gate.ts'
import type { PhaseState } from '../../organisation/phases/phase-state.ts'

/** What an owner does, as code or as a model: the rules are in these functions. */
export interface OwnerActions {
  readonly waves: readonly Wave[]
  /** What the journals say now; the files of the phase say the same afterwards. */
  look(): Promise<PhaseState>
  /** Departments that are not complete, of the first wave that has one; none while a gate before it holds. */
  ready(): Promise<readonly string[]>
  /** Runs them at the same time, until `signal` is aborted; what happens to one does not touch the others. */
  run(departments: readonly string[], signal?: AbortSignal): Promise<PhaseState>
  /** Decides the gates of a wave, and reports each. True if none holds the next wave. */
  pass(wave: Wave): Promise<boolean>
  /** The same without a report. */
  gatesOf(wave: Wave, state: PhaseState): readonly GateDecision[]
}

/** Decides until the phase is complete or cannot go on: nothing holds it, something does, or a limit stopped the owner. */
export type Owner = (actions: OwnerActions, signal: AbortSignal) => Promise<'passed' | 'held' | 'limit'>

/** The owner as code: one wave after the other. */
export const codeOwner: Owner = async ({ waves, run, pass, look }, signal) => {
  for (const wave of waves) {
    const { departments } = await look()
    const isOpen = (name: string) => departments.find((one) => one.name === name)?.status.status !== 'complete'
    await run(wave.departments.filter(isOpen))
    if (signal.aborted || !(await pass(wave))) return 'held'
  }
  return 'passed'
}
