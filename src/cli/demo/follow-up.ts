import { existsSync, realpathSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'

/** Commands that work as they stand, in the folder the demo was started from, on the team it left behind. */
export function followUps(options: {
  readonly cli: string
  readonly cwd: string
  readonly env: NodeJS.ProcessEnv
  readonly dir: string
  readonly team: string
}): string[] {
  const { env, dir, team } = options
  // This variable overrides --cwd, so the commands would use another folder.
  const elsewhere = env.DESKMATES_DIR ? 'env -u DESKMATES_DIR ' : ''
  const base = `${elsewhere}${commandFor(options)} --cwd ${quote(dir)} --team ${team}`
  return ['task list', 'task show 3', 'team show', 'log --all', 'check'].map((words) => `${base} ${words}`)
}

/** The command for a project of the user, from whatever folder it is started in. */
export function ownCommand(cli: string): string {
  return `${commandFor({ cli })} 'what to do'`
}

/** In a checkout its own command, as short as it can be written; else the installed one. */
function commandFor({ cli, cwd }: { cli: string; cwd?: string }): string {
  const own = join(dirname(dirname(realpathSync(cli))), 'bin', 'deskmates')
  if (!existsSync(own)) return 'deskmates'
  const near = cwd === undefined ? own : relative(realpathSync(cwd), own)
  return quote(near.startsWith('..') ? own : near)
}

function quote(text: string): string {
  return /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`
}
