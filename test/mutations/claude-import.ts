import type { Mutation } from './mutation.ts'

const test = 'src/cli/team/claude/claude.test.ts'

export const mutations: readonly Mutation[] = [
  {
    name: 'claude-unread-dropped',
    mistake: 'an import of a team of Claude Code brings in what was read, and drops unread mail',
    file: 'src/cli/team/claude/import-claude-team.ts',
    old: 'const unread = own.filter(({ read }) => !read)',
    new: 'const unread = own.filter(({ read }) => read)',
    test,
    fails: 'brings in members, unread mail and open tasks, and names everything else with the reason',
  },
  {
    name: 'claude-role-lost',
    mistake: 'roles with a space are lost in an import of a team of Claude Code',
    file: 'src/cli/team/claude/import-claude-team.ts',
    old: 'const isKept = role === null || isRole(role)',
    new: 'const isKept = role === null || /^\\w+$/.test(role)',
    test,
    fails: 'brings in members, unread mail and open tasks, and names everything else with the reason',
  },
  {
    name: 'claude-left-silent',
    mistake: 'mail to members that are not in the team is dropped silently',
    file: 'src/cli/team/claude/import-claude-team.ts',
    old: 'if (rest.length > 0 && (!member || inboxFolder === undefined))',
    new: 'if (rest.length > 0 && member && inboxFolder === undefined)',
    test,
    fails: 'brings in members, unread mail and open tasks, and names everything else with the reason',
  },
  {
    name: 'claude-cycle',
    mistake: 'tasks that wait for each other make the import lose all tasks',
    file: 'src/cli/team/claude/import-claude-team.ts',
    old: 'if (reaches(other, id)) left',
    new: 'if (reaches(other, id) && other === id) left',
    test,
    fails: 'breaks a circle of tasks at one step, which it names, and keeps all tasks',
  },
  {
    name: 'claude-follows-link',
    mistake: 'a mailbox that is a link is read through it',
    file: 'src/cli/team/claude/claude-files.ts',
    old: 'const bytes = readPlainFile(path, MAX_FILE_BYTES)',
    new: 'const bytes = readPlainFile(realpathSync(path), MAX_FILE_BYTES)',
    also: [
      {
        file: 'src/cli/team/claude/claude-files.ts',
        old: "import { homedir } from 'node:os'",
        new: "import { realpathSync } from 'node:fs'\nimport { homedir } from 'node:os'",
      },
    ],
    test,
    fails: 'names each file that is hostile, and imports the others',
  },
  {
    name: 'claude-path-as-name',
    mistake: 'a path is taken as the name of a team of Claude Code',
    file: 'src/cli/team/claude/claude-files.ts',
    old: '[^/\\\\\\p{Cc}]{1,255}',
    new: '[^\\p{Cc}]{1,255}',
    test,
    fails: 'takes no name that is a path, and no member whose name is one',
  },
  {
    name: 'claude-imported-twice',
    mistake: 'a second import fills the same team again',
    file: 'src/cli/team/import.ts',
    old: '      if (before) {',
    new: '      if (before?.deleted) {',
    test,
    fails: 'says so when it was imported before, and refuses a team that is another one',
  },
]
