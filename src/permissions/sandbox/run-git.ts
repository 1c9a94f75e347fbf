import { findProgram } from '../processes/find-program.ts'
import { type ProgramEnd, runProgram } from '../processes/run-program.ts'
import { asVariables } from './git/git-env.ts'
import type { Sandbox } from './sandbox.ts'

/** Where git is asked about a folder that agents can write to. */
export interface GitPlace {
  readonly root: string
  readonly folders: readonly string[]
  readonly env: Readonly<Record<string, string>>
  readonly sandbox: Sandbox
}

/**
 * Runs git for ourselves: a git that no agent can have put there, inside of the sandbox, where nothing can be written
 * and no key is in reach, without what the repository wants it to run. Undefined if there is no git.
 */
export async function runGit(place: GitPlace, args: readonly string[]): Promise<ProgramEnd | undefined> {
  const git = findProgram('git', place.env.PATH, [place.root, ...place.folders])
  if (git === undefined) return undefined
  const list = await inside(place, git.file, ['config', '--null', '--name-only', '--list'], QUIET)
  // A filter has a name of the repository's choice, so each has to be switched off by its own.
  const filters = new Set(
    list.stdout.split('\0').filter((key) => /^filter\..*\.(clean|smudge|process|required)$/is.test(key)),
  )
  const off = [...filters].map((key) => [key, key.endsWith('required') ? 'false' : ''] as const)
  return inside(place, git.file, args, [...QUIET, ...off])
}

const TIMEOUT_MS = 10_000
const MAX_OUTPUT = 64 * 1024 * 1024

const QUIET: readonly (readonly [string, string])[] = [
  ['safe.bareRepository', 'explicit'],
  // The folder may belong to another user than the one inside.
  ['safe.directory', '*'],
  ['core.fsmonitor', 'false'],
  ['core.hooksPath', '/dev/null'],
  ['core.pager', 'cat'],
  ['core.untrackedCache', 'false'],
  ['core.sshCommand', 'false'],
  ['diff.external', ''],
  ['diff.ignoreSubmodules', 'all'],
  ['submodule.recurse', 'false'],
  ['credential.helper', ''],
]

function inside(
  { root, sandbox }: GitPlace,
  git: string,
  args: readonly string[],
  settings: readonly (readonly [string, string])[],
): Promise<ProgramEnd> {
  const sandboxed = sandbox.forOwnProgram()
  const [file = '', ...rest] = [...sandboxed.prefix, git, ...args]
  const env = {
    ...sandboxed.env,
    ...asVariables(settings),
    GIT_CONFIG_NOSYSTEM: '1',
    GIT_CONFIG_GLOBAL: '/dev/null',
    GIT_ATTR_NOSYSTEM: '1',
    GIT_OPTIONAL_LOCKS: '0',
    GIT_TERMINAL_PROMPT: '0',
    // No transport at all: not even to fetch what a partial clone lacks.
    GIT_ALLOW_PROTOCOL: '',
  }
  return runProgram({ file, args: rest, cwd: root, env, timeout: TIMEOUT_MS, maxOutput: MAX_OUTPUT })
}
