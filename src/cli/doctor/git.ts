import { realpathSync } from 'node:fs'
import { homedir } from 'node:os'
import { findRoot } from '../../stores/files/workspace-root.ts'
import { TeamError } from '../../team/errors.ts'
import { isNotInstalled } from './children.ts'
import { type Examination, fail, notAvailable, pass } from './examination.ts'
import { createTestTeam, type TestEnvironment } from './test-environment.ts'

/** A team inside a repository: git must not see it, and both of us must mean the same folder by its top. */
export const git: Examination = {
  name: 'git',
  onDisk: true,
  remedy: 'Try it by hand: git init somewhere && cd somewhere && git status. Install git anew if that fails',
  async examine(environment) {
    const { folder, open } = environment
    const dir = realpathSync(folder('git'))
    const version = await ask(environment, dir, '--version')
    if (version === undefined)
      return notAvailable('git is not installed', 'Install it (apt install git, dnf install git, brew install git)')
    await ask(environment, dir, 'init', '--quiet', '--template=')
    await using workspace = await open(dir)
    await using _team = await createTestTeam(workspace.store, 'git')
    const top = await ask(environment, dir, 'rev-parse', '--show-toplevel')
    const { root } = findRoot(dir, {}, homedir())
    if (top !== root) return fail(`git calls ${top} the top of a repository, deskmates calls it ${root}`)
    const seen = await ask(environment, dir, 'status', '--porcelain')
    if (seen) return fail(`git sees the files of a team, which are to stay out of it: ${seen}`)
    return pass(`${version} leaves .teams and .tasks alone`)
  },
}

/** What git prints; undefined if there is no git. A setting of the user must not leave a monitor running. */
async function ask({ run }: TestEnvironment, dir: string, ...args: string[]): Promise<string | undefined> {
  try {
    const { code, stdout, stderr } = await run('git', ['-c', 'core.fsmonitor=false', ...args], dir)
    if (code !== 0) throw new GitFailed(args.join(' '), stderr || `it ended with ${code}`)
    return stdout.trim()
  } catch (error) {
    if (isNotInstalled(error)) return undefined
    throw error
  }
}

class GitFailed extends TeamError {
  readonly code = 'git_failed'
  constructor(what: string, reason: string) {
    super(`git ${what} failed: ${reason}`)
  }
}
