import { openUnsyncedWorkspace } from '../agent/killed-agent.ts'
import { runPhase } from '../team/killed-organisation.ts'

/** Runs the phase of test/team/killed-organisation.ts and kills itself at one moment. */
const [dir = '', moment = ''] = process.argv.slice(2)

function die(): never {
  process.kill(process.pid, 'SIGKILL')
  // The signal is there before anything else can happen; this only tells the reader so.
  for (;;);
}

await using workspace = await openUnsyncedWorkspace(dir)
await runPhase(workspace, moment, die)
