import { findProgram, SYSTEM_PATH } from '../processes/find-program.ts'
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

/** git for ourselves, with what the repository wants it to run switched off. */
export interface Git {
  run(args: readonly string[], options?: GitRunOptions): Promise<ProgramEnd>
  /** Several commands of git as one script of a shell, because a sandbox costs more than git; `$1` … are the arguments. */
  script(text: string, args: readonly string[], options?: GitRunOptions): Promise<ProgramEnd>
  /** Names of the filters that the repository configures; none of them runs. */
  readonly filters: ReadonlySet<string>
}

export interface GitRunOptions {
  /** Variables of git besides those that are always set. */
  readonly env?: Readonly<Record<string, string>>
  readonly input?: string
}

/**
 * A git that no agent can have put there, inside of the sandbox, where no key is in reach. Without `canWrite` it can write
 * nothing; with it, what a command of an agent could write. Undefined if there is no git.
 */
export async function openGit(place: GitPlace, { canWrite = false } = {}): Promise<Git | undefined> {
  const git = findProgram('git', place.env.PATH, [place.root, ...place.folders])
  if (git === undefined) return undefined
  const shell = findProgram('sh', SYSTEM_PATH, [place.root, ...place.folders])?.file ?? '/bin/sh'
  const list = await inside(place, [git.file, 'config', '--null', '--name-only', '--list'], { settings: QUIET })
  // A filter has a name of the repository's choice, so each has to be switched off by its own.
  const keys = new Set(
    list.stdout.split('\0').filter((key) => /^filter\..*\.(clean|smudge|process|required)$/is.test(key)),
  )
  const off = [...keys].map((key) => [key, key.endsWith('required') ? 'false' : ''] as const)
  const settings = [...QUIET, ...off]
  return {
    run: (args, options) => inside(place, [git.file, ...args], { ...options, settings, canWrite }),
    script: (text, args, options) =>
      inside(place, [shell, '-euc', `git() { ${quoted(git.file)} "$@"; }\n${text}`, 'sh', ...args], {
        ...{ ...options, settings, canWrite },
      }),
    filters: new Set([...keys].map((key) => key.slice('filter.'.length, key.lastIndexOf('.')))),
  }
}

/** Asks git once, without writing anything. Undefined if there is no git. */
export async function runGit(place: GitPlace, args: readonly string[]): Promise<ProgramEnd | undefined> {
  return (await openGit(place))?.run(args)
}

function quoted(path: string): string {
  return `'${path.replaceAll("'", "'\\''")}'`
}

const TIMEOUT_MS = 10_000
/** A commit that is given up half-way helps no one, however busy the machine is. */
const WRITE_TIMEOUT_MS = 120_000
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

interface InsideOptions extends GitRunOptions {
  readonly settings: readonly (readonly [string, string])[]
  readonly canWrite?: boolean
}

async function inside(
  { root, sandbox }: GitPlace,
  command: readonly string[],
  { settings, canWrite = false, env: more, input }: InsideOptions,
): Promise<ProgramEnd> {
  const sandboxed = sandbox.forOwnProgram({ canWrite, isGit: true })
  const [file = '', ...rest] = [...sandboxed.prefix, ...command]
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
    ...more,
  }
  return runProgram({
    file,
    args: rest,
    cwd: root,
    env,
    input,
    timeout: canWrite ? WRITE_TIMEOUT_MS : TIMEOUT_MS,
    maxOutput: MAX_OUTPUT,
  })
}
