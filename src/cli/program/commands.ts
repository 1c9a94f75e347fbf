interface ListedCommand {
  /** As it is typed: `status`, `task add`. */
  readonly path: string
  readonly summary: string
  /** Of the help; commands of a group are in the section of the group. */
  readonly section?: string
  /** Runs where its group is typed alone. */
  readonly isDefault?: true
}

// The sections of `deskmates --help`: agents first, then their teams, then the board for scripts.
export const AGENTS = 'Agents:'
const TEAM = 'Teams:'
const PLANS = 'Plans and departments:'
const BOARD = 'Board and mail, for people and scripts:'
const MACHINE = 'This machine and its files:'

/** The groups of commands, with the section of the help that shows each. */
export const commandGroups: Readonly<Record<string, { readonly summary: string; readonly section: string }>> = {
  sessions: { summary: 'the sessions of this folder; remove old ones', section: AGENTS },
  team: { summary: 'create, show and delete teams; join and leave', section: TEAM },
  plan: { summary: 'plan files: check, show and run them', section: PLANS },
  org: { summary: 'departments with their own teams: set them up and show them', section: PLANS },
  task: { summary: 'the board: add, claim and finish tasks', section: BOARD },
  mcp: { summary: 'MCP servers, whose tools agents use; and a team as one, for outside agents', section: AGENTS },
  agents: { summary: "other vendors' agents as teammates (Agent Client Protocol)", section: AGENTS },
  config: { summary: 'the settings and where they come from', section: MACHINE },
}

/** Every command with its summary, in the order of the help. Showing help loads none of them. */
export const commands = [
  { path: 'attach', summary: 'watch and steer a session that runs in another terminal', section: AGENTS },
  { path: 'replay', summary: 'play a session again, and see who knew what when', section: AGENTS },
  { path: 'acp', summary: 'work with a lead and its team from an editor (Agent Client Protocol)', section: AGENTS },
  { path: 'resume', summary: 'resume a session with all its agents', section: AGENTS },
  { path: 'status', summary: 'who works on what, and what waits', section: AGENTS },
  { path: 'sessions list', summary: 'all of them, with date and title', isDefault: true },
  { path: 'sessions prune', summary: 'remove old sessions without unfinished work' },
  { path: 'agents list', summary: 'agent types that programs of other vendors run', isDefault: true },
  { path: 'agents approve', summary: 'let an agent type of this project run its program, as it is now' },
  { path: 'agents reject', summary: 'never run the program of an agent type of this project, as it is now' },
  { path: 'mcp list', summary: 'all servers here, and whether each works', isDefault: true },
  { path: 'mcp get', summary: 'what one server runs and may use' },
  { path: 'mcp add', summary: 'add a server' },
  { path: 'mcp add-json', summary: 'add a server by its JSON' },
  { path: 'mcp remove', summary: 'remove a server' },
  { path: 'mcp approve', summary: 'let a server of this project run, as it is now' },
  { path: 'mcp reject', summary: 'never run a server of this project, as it is now' },
  { path: 'demo', summary: 'watch a small team at work; needs no key', section: AGENTS },
  { path: 'team create', summary: 'create a team' },
  { path: 'team import', summary: 'copy a team of Claude Code' },
  { path: 'team list', summary: 'all teams here' },
  { path: 'team show', summary: 'a team and its members' },
  { path: 'team delete', summary: 'delete a team and its board' },
  { path: 'team join', summary: 'add a script or a person to the team' },
  { path: 'team leave', summary: 'leave the team; claims are released, unread mail is returned' },
  { path: 'plan check', summary: 'find everything that is wrong in plan files' },
  { path: 'plan show', summary: 'layers, critical path and file conflicts of plans' },
  { path: 'plan load', summary: 'put the tasks of plans on the board, without running them' },
  { path: 'plan run', summary: 'load plans and let developers do their tasks; run again to continue' },
  { path: 'plan status', summary: 'loaded plans: what is done, who holds what, what waits for what' },
  { path: 'plan scale', summary: 'how many developers a number of ready tasks needs' },
  { path: 'plan mode', summary: 'whether roles run as teammates or one-shot, and why' },
  { path: 'org init', summary: 'write the files of a template: departments, roles, steps, hand-offs' },
  { path: 'org show', summary: 'check the organisation, and show its departments in waves' },
  { path: 'org run', summary: 'run the departments of a phase in waves, with gates between them' },
  { path: 'org status', summary: 'departments, steps, plans and gates of a phase' },
  { path: 'org gate', summary: 'whether a gate of a phase is passed, and what is missing' },
  { path: 'org step', summary: 'whether a step of a phase may begin or end, and what is missing' },
  { path: 'org cleanup', summary: 'remove the files that only coordinated departments' },
  { path: 'task add', summary: 'put a task on the board' },
  { path: 'task list', summary: 'the board' },
  { path: 'task show', summary: 'everything about one task' },
  { path: 'task claim', summary: 'claim a task, or the next one that is ready' },
  { path: 'task renew', summary: 'renew the lease of a claim' },
  { path: 'task release', summary: 'give a task back to the board' },
  { path: 'task complete', summary: 'finish a task' },
  { path: 'task fail', summary: 'report that a task cannot be done, and why' },
  { path: 'task update', summary: 'change, assign, reopen or delete a task' },
  { path: 'send', summary: 'send a message to a member, or to all', section: BOARD },
  { path: 'inbox', summary: 'show the unread mail of a member, or take it', section: BOARD },
  { path: 'requests', summary: 'requests that wait for an answer', section: BOARD },
  { path: 'answer', summary: 'approve or reject a request', section: BOARD },
  { path: 'mcp serve', summary: 'offer the board and the mail of a team to an outside agent' },
  { path: 'log', summary: 'what happened, one event per line', section: BOARD },
  { path: 'check', summary: 'verify the journal, and repair it', section: MACHINE },
  { path: 'init', summary: 'a few questions, and a settings file from the answers', section: MACHINE },
  { path: 'config list', summary: 'every effective setting, and the file it comes from' },
  { path: 'trust', summary: "trust this folder's settings, agents, skills, hooks and journals", section: MACHINE },
  { path: 'completion', summary: 'print the completion of bash, zsh or fish', section: MACHINE },
  { path: 'doctor', summary: 'test this machine: disk, processes, git, sandbox, keys, network', section: MACHINE },
] as const satisfies readonly ListedCommand[]

export type CommandPath = (typeof commands)[number]['path']

/** Every command and group as it is typed: `task add`, `task`, `status`. */
export const commandNames: ReadonlySet<string> = new Set([
  ...commands.map(({ path }) => path),
  ...Object.keys(commandGroups),
])

/** The command or group that a mistyped first word most probably means. */
export function similarCommand(word: string): string | undefined {
  return similarTo(
    word,
    [...commandNames, 'help'].filter((name) => !name.includes(' ')),
  )
}

/** The one of `names` that a mistyped word most probably means; undefined where none is near. */
function similarTo(word: string, names: Iterable<string>): string | undefined {
  const wanted = word.toLowerCase()
  let best: { name: string; distance: number } | undefined
  for (const name of names) {
    // A third of the characters may be wrong, and two swapped neighbours count as one mistake.
    const most = Math.max(1, Math.floor(Math.max(name.length, wanted.length) / 3))
    if (Math.abs(name.length - wanted.length) > most) continue
    const distance = distanceBetween(wanted, name)
    if (distance <= most && (best === undefined || distance < best.distance)) best = { name, distance }
  }
  return best?.name
}

/** Characters to insert, delete, replace or swap with their neighbour. */
function distanceBetween(a: string, b: string): number {
  let before: number[] = []
  let last = Array.from({ length: b.length + 1 }, (_, j) => j)
  for (let i = 1; i <= a.length; i++) {
    const row = [i]
    for (let j = 1; j <= b.length; j++) {
      const replaced = last[j - 1]! + (a[i - 1] === b[j - 1] ? 0 : 1)
      row[j] = Math.min(last[j]! + 1, row[j - 1]! + 1, replaced)
      if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1])
        row[j] = Math.min(row[j]!, before[j - 2]! + 1)
    }
    before = last
    last = row
  }
  return last[b.length]!
}
