import { delimiter, join } from 'node:path'
import { isInsideAny } from '../paths/places.ts'
import { realPath } from '../paths/safe-reads.ts'
import { findProgram, safePath } from '../processes/find-program.ts'
import { type ResourceLimits, resourceLimits } from '../processes/resource-limits.ts'
import { buildProfile, deniedFiles, type FileLookup } from './build-profile.ts'
import { gitEnv } from './git/git-env.ts'
import { joinedGit, protectedGit } from './git/git-folders.ts'
import { guardGit } from './git/git-guard.ts'
import { findOuterRepository } from './git/outer-repository.ts'
import { createPlaceholders } from './git/placeholders.ts'
import { type CommandReach, watchRepositories } from './git/repositories.ts'
import { makeSandboxFolder } from './left-folders.ts'
import { makeMountPoints } from './mount-points.ts'
import { PROGRAM, type Probe, prefixFor, probe } from './probe.ts'
import { rulesInside, type SandboxProfile } from './profile.ts'
import type { Sandbox, SandboxedStart, ServerReach } from './sandbox.ts'
import type { SANDBOX_MODES } from './sandbox-modes.ts'

/**
 * auto      keeps commands in where that works; where it does not, says so
 * require   runs no command where it does not work
 * off       runs them like any other program; the user said so
 */
export type SandboxMode = (typeof SANDBOX_MODES)[number]

export interface OpenSandboxOptions {
  readonly mode: SandboxMode
  readonly root: string
  readonly folders: readonly string[]
  readonly env: Readonly<Record<string, string>>
  /** Variables to be seen inside besides the usual ones. */
  readonly also?: readonly string[] | undefined
  readonly limits?: Partial<ResourceLimits> | undefined
  /** This process: when it is killed, another one can tell by it whose folders are left. */
  readonly runtime?: string | undefined
  /** Places of deskmates itself: state, settings, teams kept elsewhere. */
  readonly hidden: readonly string[]
  /** Files that commands may read and not change, as they are now. */
  readonly kept?: (() => readonly string[]) | undefined
  /** As the rules of the user have it. */
  readonly rules: {
    readonly hasFileRules: boolean
    forbids(kind: 'read' | 'write', path: string): boolean
    mayUseNetwork(command: string): boolean
  }
}

/** A sandbox, or why there is none. */
export interface OpenedSandbox extends Disposable {
  readonly state: 'on' | 'off' | 'missing'
  /** Only where it is missing. */
  readonly why?: { readonly cause: string; readonly remedy: string }
  readonly sandbox: Sandbox | undefined
}

export async function openSandbox(options: OpenSandboxOptions): Promise<OpenedSandbox> {
  if (options.mode === 'off') return { state: 'off', sandbox: undefined, [Symbol.dispose]() {} }
  const open = [options.root, ...options.folders]
  const folder = makeSandboxFolder(options.runtime)
  const real = realHome(options.env.HOME)
  const fileLookup: Omit<FileLookup, 'git'> = {
    root: options.root,
    folders: options.folders,
    tmp: folder.tmp,
    home: real === undefined ? undefined : { real, inside: folder.home },
    hidden: options.hidden,
    kept: [],
    scripts: [],
    path: (options.env.PATH ?? '').split(delimiter).filter(Boolean),
    canWrite: true,
    hasNetwork: false,
    limits: resourceLimits(options.limits),
  }
  const env = sandboxEnv(options.env, { also: options.also ?? [] })
  const program = findProgram(PROGRAM, options.env.PATH, open)?.file
  const repositories = watchRepositories(open)
  // As the user has it now: no command of the session can put another one in its place.
  const outer = findOuterRepository(options.root, open)
  const describe = (changes: Partial<FileLookup>) => {
    const profile = buildProfile({ ...fileLookup, git: protectedGit([], open), ...changes })
    if (process.platform === 'linux') makeMountPoints(profile)
    return profile
  }
  const found = await onceFor(`${options.root} ${env.PATH}`, () => probe(program, describe({}), env))
  if (!found.works || program === undefined) {
    folder[Symbol.dispose]()
    const { cause, remedy } = found as Extract<Probe, { works: false }>
    return { state: 'missing', why: { cause, remedy }, sandbox: undefined, [Symbol.dispose]() {} }
  }
  const placeholders = createPlaceholders(folder.record)
  const denied = () =>
    options.rules.hasFileRules ? deniedFiles(open, options.rules.forbids) : { hidden: [], kept: [] }
  const sandboxed = (
    profile: SandboxProfile,
    own: Readonly<Record<string, string>>,
  ): Omit<SandboxedStart, 'release'> => ({
    prefix: prefixFor(program, profile, found),
    env: process.platform === 'darwin' ? { ...own, TMPDIR: folder.tmp } : own,
    hasNetwork: profile.hasNetwork,
    hasOwnProcesses: process.platform === 'linux',
    limits: profile.limits,
  })

  /** Until it is released, what the program may not change is held in place. */
  function guarded(reach: ServerReach): SandboxedStart {
    const { hasNetwork, writable, readable, home, hidden: own = [], hasGrantedVariables = true } = reach
    const reached = [...open, ...writable]
    const before = repositories.now()
    const git = protectedGit(before, reached)
    const claude = reached.map((path) => ({ path: join(path, '.claude'), isFolder: true }))
    const releasePlaceholders = placeholders.acquire([
      ...[...git.placeholders, ...claude],
      ...own.filter(({ path, isFolder }) => isFolder && isInsideAny(reached, path)),
    ])
    const denials = denied()
    const hidden = [...options.hidden, ...denials.hidden, ...own.map(({ path }) => path)]
    const kept = [...denials.kept, ...(options.kept?.() ?? [])]
    const folders = [...options.folders, ...writable]
    const ownHome = home !== undefined && fileLookup.home ? { home: { ...fileLookup.home, inside: home } } : {}
    const profile = describe({ git, folders, hasNetwork, hidden, kept, scripts: readable, ...ownHome })
    const guard = guardGit(git)
    let undone: readonly string[] | undefined
    return {
      ...sandboxed(profile, sandboxEnv(options.env, { also: hasGrantedVariables ? options.also : [], hasNetwork })),
      violated: guard.violated,
      release() {
        if (undone) return undone
        undone = [...guard.end(options.root), ...repositories.refuseUnsafe(before, reachOf(profile))]
        releasePlaceholders()
        return undone
      },
    }
  }

  return {
    state: 'on',
    sandbox: {
      forCommand: (command, { scripts = [] } = {}) =>
        guarded({ hasNetwork: options.rules.mayUseNetwork(command), writable: [], readable: scripts }),
      forServer: guarded,
      forOwnProgram({ canWrite = false, isGit = false } = {}) {
        const denials = denied()
        const hidden = [...options.hidden, ...denials.hidden]
        const around = isGit ? outer : undefined
        const git = joinedGit([protectedGit(canWrite ? repositories.now() : [], open), ...(around ? [around.git] : [])])
        const scripts = around?.shown ?? []
        const profile = describe({ git, hidden, scripts, canWrite, ...(canWrite && { kept: denials.kept }) })
        const own = { PATH: safePath(options.env.PATH, open), HOME: '/', LC_ALL: 'C', ...around?.env }
        return { ...sandboxed(profile, own), release: () => [] }
      },
    },
    [Symbol.dispose]: () => folder[Symbol.dispose](),
  }
}

function reachOf(profile: SandboxProfile): CommandReach {
  const readOnly = rulesInside(profile).flatMap(({ kind, path }) => (kind === 'read-only' ? [path] : []))
  return { ...profile, readOnly }
}

function realHome(home: string | undefined): string | undefined {
  return home === undefined || home === '' || home === '/' ? undefined : realPath(home)
}

const probes = new Map<string, Promise<Probe>>()

/** A machine does not learn it while a process lives. */
function onceFor(key: string, ask: () => Promise<Probe>): Promise<Probe> {
  const asked = probes.get(key) ?? ask()
  probes.set(key, asked)
  return asked
}

/** Variables that programs need and that hold no secrets. Everything else stays outside. */
const PASSED =
  /^(PATH|HOME|USER|LOGNAME|SHELL|PWD|LANG|LANGUAGE|LC_\w+|TZ|TERM|COLORTERM|NO_COLOR|FORCE_COLOR|COLUMNS|LINES|CI|EDITOR|PAGER|NODE_ENV|NODE_OPTIONS|NVM_DIR|NVM_BIN|VOLTA_HOME|FNM_DIR|PNPM_HOME|COREPACK_HOME|GOPATH|GOROOT|GOFLAGS|CARGO_HOME|RUSTUP_HOME|RUSTFLAGS|JAVA_HOME|MAVEN_OPTS|GRADLE_USER_HOME|PYENV_ROOT|VIRTUAL_ENV|PYTHONPATH|PYTHONDONTWRITEBYTECODE|RBENV_ROOT|GEM_HOME|BUN_INSTALL|DENO_DIR|DEBIAN_FRONTEND|SOURCE_DATE_EPOCH|DESKMATES_AGENT|DESKMATES_TEAM|DESKMATES_PROJECT_DIR|CLAUDE_PROJECT_DIR|GIT_(AUTHOR|COMMITTER)_(NAME|EMAIL|DATE))$/

/** With a network: where it is reached, and whom to believe. */
const FOR_NETWORK = /^((HTTPS?|NO|ALL)_PROXY|(https?|no|all)_proxy|SSL_CERT_(FILE|DIR)|NODE_EXTRA_CA_CERTS)$/

/** The environment inside of the sandbox: an allow-list, and what the user adds to it by name. */
function sandboxEnv(
  env: Readonly<Record<string, string>>,
  { also = [], hasNetwork = false }: { also?: readonly string[]; hasNetwork?: boolean } = {},
): Record<string, string> {
  const isPassed = (name: string) => PASSED.test(name) || also.includes(name) || (hasNetwork && FOR_NETWORK.test(name))
  return {
    ...Object.fromEntries(Object.entries(env).filter(([name]) => isPassed(name))),
    ...gitEnv({ runsHooks: true }),
  }
}
