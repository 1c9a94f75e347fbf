import { readPhase } from '../../session/organisation/phase.ts'
import { print, printJson } from '../output/print.ts'
import { type PhaseOptions, phaseNamed } from '../plan/phase.ts'
import { phasePicture, phaseStatus } from '../plan/phase-picture.ts'
import type { SubCommand } from '../program/sub-command.ts'
import { openStore } from '../workspace/open-store.ts'

export const orgStatus: SubCommand<PhaseOptions> = {
  example: '$ deskmates org status --phase-dir .yolo-planning/phases/03-api',
  define(command) {
    command
      .option('--phase-dir <dir>', 'the folder of the phase; may be left out where there is one')
      .option('--config <file>', 'the planning configuration')
  },
  async run(call, options) {
    await using workspace = await openStore(call)
    const phase = await phaseNamed(call, workspace, options)
    const state = await readPhase(phase, workspace, call.clock)
    if (!call.globals.json) return print(call, phasePicture(call, phase, state))
    return printJson(call, phaseStatus(phase, state))
  },
}
