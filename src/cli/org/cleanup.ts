import { Option } from 'commander'
import { removeCoordinationFiles } from '../../session/organisation/phase-views.ts'
import { counted } from '../../team/wording.ts'
import { printJson, printMessage } from '../output/print.ts'
import { type PhaseOptions, phaseNamed } from '../plan/phase.ts'
import type { SubCommand } from '../program/sub-command.ts'
import { openStore } from '../workspace/open-store.ts'

interface Options extends PhaseOptions {
  reason: string
}

export const orgCleanup: SubCommand<Options> = {
  example: '$ deskmates org cleanup --reason complete --phase-dir .yolo-planning/phases/03-api',
  instead: () => 'The owner removes these files at the end of a phase.',
  define(command) {
    command
      .addOption(
        new Option('--reason <reason>', 'why they are not needed any more')
          .choices(['complete', 'failure', 'timeout'])
          .makeOptionMandatory(),
      )
      .option('--phase-dir <dir>', 'the folder of the phase; may be left out where there is one')
      .option('--config <file>', 'the planning configuration')
  },
  async run(call, options) {
    await using workspace = await openStore(call)
    const { removed, kept } = removeCoordinationFiles(await phaseNamed(call, workspace, options))
    if (call.globals.json) return printJson(call, { reason: options.reason, removed, kept })
    const rest = kept.length === 0 ? '' : ` Could not be removed: ${kept.join(', ')}.`
    await printMessage(call, `${counted(removed.length, 'coordination file')} removed (${options.reason}).${rest}`)
  },
}
