import type { Mutation } from './mutation.ts'

const views = 'test/boundary/views.test.ts'
const broken = 'src/organisation/definition/broken-organisations.test.ts'
const refused = 'is refused with file, line and fix'

/** Names of files that an organisation defines, and which of them only the runtime writes. */
export const mutations: readonly Mutation[] = [
  {
    name: 'hand-off-file-of-any-name',
    mistake: 'a hand-off may be shown in package.json, which no agent can write then',
    file: 'src/organisation/definition/phase-file-name.ts',
    old: " && name.endsWith('.jsonl'))",
    new: ')',
    test: broken,
    fails: refused,
  },
  {
    name: 'two-hand-offs-in-one-file',
    mistake: 'two hand-offs are shown in one file, of which the second overwrites the first',
    file: 'src/organisation/definition/check-phase-files.ts',
    old: 'if (other !== undefined) report',
    new: 'if (other === file) report',
    test: broken,
    fails: refused,
  },
  {
    name: 'step-leaves-a-view',
    mistake: 'a step is to leave a file behind that only the runtime writes, and so never ends',
    file: 'src/organisation/definition/check-phase-files.ts',
    old: 'if (isView(name) && !shown.has(name))',
    new: "if (isView(name) && name === '')",
    test: broken,
    fails: refused,
  },
  {
    name: 'hand-off-protected-everywhere',
    mistake: 'a file of any folder is protected because a hand-off has its name',
    file: 'src/team/plans/plan-views.ts',
    old: 'return handOffFiles.isOfPhase(',
    new: 'return true || handOffFiles.isOfPhase(',
    test: views,
    fails: 'is written by agents like any file outside of the folders of phases, and not in one',
  },
  {
    name: 'planning-folder-unwatched',
    mistake: 'only the planning folder of the template is watched, not the one that the organisation names',
    file: 'src/session/plan/phase-places.ts',
    old: "join(root, planning, 'phases')",
    new: "join(root, '.yolo-planning', 'phases')",
    test: views,
    fails: 'is taken back below the planning folder that the organisation names',
  },
  {
    name: 'files-of-people-taken-back',
    mistake: 'a command is blamed for summaries of a folder that became known while it ran',
    file: 'src/session/plan/view-guard.ts',
    old: 'isChanged(path, content) && isMeant(path)',
    new: 'isChanged(path, content)',
    test: 'src/session/plan/view-guard.test.ts',
    fails: 'stays where it is older than the command, and goes where the command made it',
  },
  {
    name: 'hand-off-of-departments-unwritten',
    mistake: 'a hand-off with {department} in its file is recorded and never shown',
    file: 'src/session/organisation/phase-views.ts',
    old: "if (file === undefined || isCoordinationFile(file.replaceAll('{department}', 'x'))) continue",
    new: "if (file === undefined || file.includes('{') || isCoordinationFile('')) continue",
    test: 'src/cli/org/phase.test.ts',
    fails: 'are one for each department where the name of a hand-off says so',
  },
  {
    name: 'department-without-write-guard',
    mistake: 'a department that org run starts may write into folders of another one',
    file: 'src/cli/org/run.ts',
    old: 'deny: [...(base.permissions?.deny ?? []), ...writeGuard(departments, name)],',
    new: 'deny: [...(base.permissions?.deny ?? []), ...writeGuard(departments, name).slice(0, 0)],',
    test: 'src/cli/org/between-departments.test.ts',
    fails: 'settle a contract status by status, and write into no folder of another department',
  },
]
