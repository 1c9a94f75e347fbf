import { openUnsyncedWorkspace } from '../agent/killed-agent.ts'
import { COMMIT_MOMENTS, type Mode, runPlans, watchBranch } from '../team/killed-plan.ts'

/** Runs the plans of test/team/killed-plan.ts and kills itself at one moment. */
const [dir = '', mode = 'teammate', moment = '', what = ''] = process.argv.slice(2)
const commits = what === 'commits'

function die(): never {
  process.kill(process.pid, 'SIGKILL')
  // The signal is there before anything else can happen; this only tells the reader so.
  for (;;);
}

const at = COMMIT_MOMENTS[moment]
if (commits && at && 'program' in at) watchBranch(at.program, die)
await using workspace = await openUnsyncedWorkspace(dir)
await runPlans(workspace, { mode: mode as Mode, moment, commits, answers: what === 'answers', die })
