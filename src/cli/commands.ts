import { similarTo } from './similar.ts'
import type { AnySubCommand } from './sub-command.ts'

export interface Listed {
  readonly group?: { readonly name: string; readonly summary: string }
  readonly name: string
  readonly summary: string
  /** Meant where its group is named alone. */
  readonly isDefault?: true
  load(): Promise<AnySubCommand>
}

const team = { name: 'team', summary: 'make, show and end teams; join and leave' }
const task = { name: 'task', summary: 'the board: add, claim and finish tasks' }
const config = { name: 'config', summary: 'the settings and where they come from' }

const sessions = { name: 'sessions', summary: 'the sessions of this folder; remove old ones' }

/** All sub-commands. The words stand here, so that showing help loads none of them. */
export const commands: readonly Listed[] = [
  {
    group: team,
    name: 'create',
    summary: 'make a team',
    load: async () => (await import('./team-create.ts')).teamCreate,
  },
  { group: team, name: 'list', summary: 'all teams here', load: async () => (await import('./team-list.ts')).teamList },
  {
    group: team,
    name: 'show',
    summary: 'a team and its members',
    load: async () => (await import('./team-show.ts')).teamShow,
  },
  {
    group: team,
    name: 'delete',
    summary: 'put a team and its board away',
    load: async () => (await import('./team-delete.ts')).teamDelete,
  },
  {
    group: team,
    name: 'join',
    summary: 'bring a script or a person into the team',
    load: async () => (await import('./team-join.ts')).teamJoin,
  },
  {
    group: team,
    name: 'leave',
    summary: 'leave the team; claims are released, unread mail goes back',
    load: async () => (await import('./team-leave.ts')).teamLeave,
  },
  {
    group: task,
    name: 'add',
    summary: 'put a task on the board',
    load: async () => (await import('./task-add.ts')).taskAdd,
  },
  { group: task, name: 'list', summary: 'the board', load: async () => (await import('./task-list.ts')).taskList },
  {
    group: task,
    name: 'show',
    summary: 'everything about one task',
    load: async () => (await import('./task-show.ts')).taskShow,
  },
  {
    group: task,
    name: 'claim',
    summary: 'take a task, or the next one that is ready',
    load: async () => (await import('./task-claim.ts')).taskClaim,
  },
  {
    group: task,
    name: 'renew',
    summary: "make a claim's lease start anew",
    load: async () => (await import('./task-renew.ts')).taskRenew,
  },
  {
    group: task,
    name: 'release',
    summary: 'give a task back to the board',
    load: async () => (await import('./task-release.ts')).taskRelease,
  },
  {
    group: task,
    name: 'complete',
    summary: 'finish a task',
    load: async () => (await import('./task-complete.ts')).taskComplete,
  },
  {
    group: task,
    name: 'fail',
    summary: 'say that a task cannot be done, and why',
    load: async () => (await import('./task-fail.ts')).taskFail,
  },
  {
    group: task,
    name: 'update',
    summary: 'change, assign, reopen or delete a task',
    load: async () => (await import('./task-update.ts')).taskUpdate,
  },
  { name: 'send', summary: 'write to a member, or to all', load: async () => (await import('./send.ts')).send },
  {
    name: 'inbox',
    summary: "look into a mailbox, or take what's in it",
    load: async () => (await import('./inbox.ts')).inbox,
  },
  { name: 'requests', summary: 'what waits for an answer', load: async () => (await import('./requests.ts')).requests },
  { name: 'answer', summary: 'approve or reject a request', load: async () => (await import('./answer.ts')).answer },
  { name: 'log', summary: 'what happened, one event per line', load: async () => (await import('./log.ts')).log },
  {
    name: 'resume',
    summary: 'go on with a session and everybody in it',
    load: async () => (await import('./resume.ts')).resume,
  },
  {
    group: sessions,
    name: 'list',
    summary: 'all of them, with date and title',
    isDefault: true,
    load: async () => (await import('./sessions/list.ts')).sessionsList,
  },
  {
    group: sessions,
    name: 'prune',
    summary: 'remove old sessions in which nothing is left to do',
    load: async () => (await import('./sessions/prune.ts')).sessionsPrune,
  },
  {
    name: 'status',
    summary: 'who works on what, and what waits',
    load: async () => (await import('./status.ts')).status,
  },
  {
    name: 'check',
    summary: 'is the journal whole and true? repair it',
    load: async () => (await import('./check.ts')).check,
  },
  {
    group: config,
    name: 'list',
    summary: 'every setting that counts, and the file it comes from',
    load: async () => (await import('./config-list.ts')).configList,
  },
  {
    name: 'trust',
    summary: 'allow writing to journals made elsewhere',
    load: async () => (await import('./trust.ts')).trust,
  },
  {
    name: 'doctor',
    summary: 'try out this machine: disk, processes, git, sandbox, keys, network',
    load: async () => (await import('./doctor.ts')).doctor,
  },
  {
    name: 'demo',
    summary: 'watch a small team at work; needs no key',
    load: async () => (await import('./demo.ts')).demo,
  },
]

const paths = commands.map(({ group, name }) => (group ? `${group.name} ${name}` : name))
const groups = commands.flatMap(({ group }) => group?.name ?? [])

/** Every command and group as it is typed: `task add`, `task`, `status`. */
export const commandNames: ReadonlySet<string> = new Set([...paths, ...groups])

/** The command or group that a mistyped first word most probably means. */
export function similarCommand(word: string): string | undefined {
  return similarTo(
    word,
    [...commandNames, 'help'].filter((name) => !name.includes(' ')),
  )
}
