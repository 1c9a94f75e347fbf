import { openUnsyncedWorkspace } from '../agent/killed-agent.ts'
import { type Mode, runPlans } from '../team/killed-plan.ts'

/** Runs the plans of test/team/killed-plan.ts and kills itself at one moment. */
const [dir = '', mode = 'teammate', moment = ''] = process.argv.slice(2)

function die(): never {
  process.kill(process.pid, 'SIGKILL')
  // The signal is there before anything else can happen; this only tells the reader so.
  for (;;);
}

await using workspace = await openUnsyncedWorkspace(dir)
await runPlans(workspace, mode as Mode, moment, die)
