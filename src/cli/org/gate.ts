import { checkGate, readPhase } from '../../session/organisation/phase.ts'
import { print, printJson, printStderr } from '../output/print.ts'
import { type PhaseOptions, phaseNamed } from '../plan/phase.ts'
import { EXIT, Misused } from '../program/failure.ts'
import type { SubCommand } from '../program/sub-command.ts'
import { openStore } from '../workspace/open-store.ts'

interface Options extends PhaseOptions {
  wait?: boolean
  timeout?: number
}

const POLL_SECONDS = 0.5

export const orgGate: SubCommand<Options, [gate: string]> = {
  example: `$ deskmates org gate all-depts --phase-dir .yolo-planning/phases/03-api
$ deskmates org gate ux-complete --wait --timeout 600`,
  define(command) {
    command
      .argument('<gate>', 'a gate of the organisation, by its name or another name it has')
      .option('--phase-dir <dir>', 'the folder of the phase; may be left out where there is one')
      .option('--config <file>', 'the planning configuration')
      .option('--wait', 'wait until the gate is passed or cannot be any more')
      .option('--timeout <seconds>', 'the longest to wait; as the organisation has it if not given', seconds)
  },
  async run(call, options, wanted) {
    await using workspace = await openStore(call)
    const phase = await phaseNamed(call, workspace, options)
    const check = async () => checkGate(phase, await readPhase(phase, workspace, call.clock), wanted)
    const began = call.clock.now()
    let decision = await check()
    const longest = options.timeout ?? decision.rule.timeoutMinutes * 60
    const mayStillPass = () => !decision.isPassed && decision.failed.length === 0 && !call.signal.aborted
    while (options.wait && mayStillPass() && call.clock.now() - began < longest) {
      await new Promise<void>((resume) => void call.clock.in(POLL_SECONDS, resume))
      decision = await check()
    }
    const { gate, isPassed, missing, failed } = decision
    const isTimedOut = options.wait === true && mayStillPass()
    if (call.globals.json) await printJson(call, { gate, passed: isPassed, missing, failed, timed_out: isTimedOut })
    else if (isPassed) await print(call, `Gate ${gate} is passed.\n`)
    else {
      if (isTimedOut) await printStderr(call, `TIMEOUT: gate ${gate} was not passed within ${longest} s.\n`)
      await print(call, `Gate ${gate} is not passed:\n${missing.map((one) => `  ${one}\n`).join('')}`)
    }
    return isPassed ? EXIT.done : EXIT.failed
  },
}

function seconds(text: string): number {
  if (!/^\d{1,7}$/.test(text))
    throw new Misused(`--timeout: ${JSON.stringify(text)} is not a number of seconds, like 600.`)
  return Number(text)
}
