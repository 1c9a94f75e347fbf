import { readPhase } from '../../session/organisation/phase.ts'
import { checkStep, stepNamed } from '../../session/organisation/step-gate.ts'
import { print, printJson } from '../output/print.ts'
import { type PhaseOptions, phaseNamed } from '../plan/phase.ts'
import { EXIT } from '../program/failure.ts'
import type { SubCommand } from '../program/sub-command.ts'
import { openStore } from '../workspace/open-store.ts'

interface Options extends PhaseOptions {
  department?: string
  end?: boolean
}

/** `validate-gates` of the source documents. */
export const orgStep: SubCommand<Options, [step: string]> = {
  example: `$ deskmates org step 6 --phase-dir .yolo-planning/phases/03-api
$ deskmates org step code_review --department backend --end`,
  define(command) {
    command
      .argument('<step>', 'a step by its number or name, or the role that joins at it')
      .option('--phase-dir <dir>', 'the folder of the phase; may be left out where there is one')
      .option('--department <name>', 'only this one; without it every department of the phase')
      .option('--end', 'whether the step may end, by what it has to leave behind')
      .option('--config <file>', 'the planning configuration')
  },
  async run(call, { department, end: isEnd = false, ...options }, wanted) {
    await using workspace = await openStore(call)
    const phase = await phaseNamed(call, workspace, options)
    const step = stepNamed(phase.organisation, wanted)
    const departments = checkStep(phase, await readPhase(phase, workspace, call.clock), step, { department, isEnd })
    const isPassed = departments.every(({ gate }) => gate === 'pass')
    const missing = departments.flatMap((one) => one.missing.map((text) => `${one.department}: ${text}`))
    const can = `Step ${step.step} (${step.name}) may ${isPassed ? '' : 'not '}${isEnd ? 'end' : 'begin'}`
    if (call.globals.json)
      await printJson(call, { gate: isPassed ? 'pass' : 'fail', step: step.name, missing, departments })
    else await print(call, isPassed ? `${can}.\n` : `${can}:\n${missing.map((one) => `  ${one}\n`).join('')}`)
    return isPassed ? EXIT.done : EXIT.failed
  },
}
