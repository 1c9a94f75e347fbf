import type { Mutation } from './mutation.ts'

const board = 'src/cli/plan/board.test.ts'
const summaries = 'src/cli/plan/summaries.test.ts'
const run = 'src/cli/plan/run.test.ts'

/** Plan files, their tasks on the board, their runs and summaries. */
export const mutations: readonly Mutation[] = [
  {
    name: 'claimed-files-as-one-set',
    mistake: 'the files of the newest claim replace those of the others, as in a set that counts no claims',
    file: 'src/team/board/board.ts',
    old: '  for (const task of live) {\n    const pair',
    new: '  for (const task of live.slice(-1)) {\n    const pair',
    test: board,
    fails: 'keep a file reserved until every claim that names it has ended, across plans and processes',
  },
  {
    name: 'unknown-td-satisfied',
    mistake: 'a dependency on a task that does not exist counts as met',
    file: 'src/plan/parse-plan.ts',
    old: 'if (other !== id && !lines.has(other))',
    new: 'if (other === id && !lines.has(other))',
    test: 'src/cli/plan/plan.test.ts',
    fails: 'exits 1 and lists every problem with file, line and fix',
  },
  {
    name: 'summary-with-a-second-writer',
    mistake: 'agents write summaries with their file tools',
    file: 'src/tools/paths/file-access.ts',
    old: "if (isPlanView(steps.at(-1) ?? ''))",
    new: "if (isPlanView(steps.at(-2) ?? ''))",
    test: 'src/tools/files/files.test.ts',
    fails: 'write what decides what agents may do, under whatever name',
  },
  {
    name: 'summary-of-others-kept',
    mistake: 'a summary that another program wrote stays as it is',
    file: 'src/session/plan/phase-file.ts',
    old: 'else if (readPlainFile(path)?.toString() !== text)',
    new: 'else if (readPlainFile(path) === undefined)',
    test: summaries,
    fails: 'has the journal as its only source: a removed or altered file is rebuilt by the next change',
  },
  {
    name: 'summary-through-a-link',
    mistake: 'a summary is written where a link leads out of the workspace',
    file: 'src/session/plan/phase-file.ts',
    old: 'if (!isInside(realpathSync(workspace), spot.real))',
    new: 'if (!isInside(workspace, `${workspace}/${folder}`))',
    test: summaries,
    fails: 'is not written through a link out of the workspace, and the command says so',
  },
  {
    name: 'forged-summary-believed',
    mistake: 'a summary file counts although the board says that the plan is open',
    file: 'src/plan/cross-phase.ts',
    old: "if (loaded && loaded.summary?.s !== 'complete')",
    new: "if (loaded && loaded.summary?.s === 'failed')",
    test: summaries,
    fails: 'does not count where the board knows better',
  },
  {
    name: 'developers-for-tasks-that-wait-for-files',
    mistake: 'a developer is started for a task whose files an earlier ready task will reserve',
    file: 'src/team/progress/claimable-tasks.ts',
    old: '    reserved.push(task.files)\n',
    new: '',
    test: 'src/team/progress/claimable-tasks.test.ts',
    fails: 'the tasks that a role can claim side by side share no file with a claim or with each other',
  },
  {
    name: 'developers-without-a-cap',
    mistake: 'more developers are started than the cap allows',
    file: 'src/supervisor/scaling/scale-roles.ts',
    old: 'if (startable <= 0) return undefined',
    new: 'if (startable < -50) return undefined',
    test: run,
    fails: 'starts no more developers than it may, and works on the board that has loaded the plans',
  },
  {
    name: 'run-continues-after-the-last-fallback',
    mistake: 'further tasks are started after one failed with every agent that could do it',
    file: 'src/supervisor/scaling/scale-roles.ts',
    old: 'if (context.scaling.length === 0 || isHalted || supervised.isRecovering) return false',
    new: 'if (context.scaling.length === 0 || supervised.isRecovering) return false',
    test: run,
    fails: 'halts in task mode when a task fails without a teammate too',
  },
]
