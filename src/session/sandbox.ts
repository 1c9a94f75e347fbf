import { join } from 'node:path'
import type { HookSettings } from '../permissions/hooks/hook-settings.ts'
import type { ResourceLimits } from '../permissions/processes/resource-limits.ts'
import { forbids, isOffered, mayUseNetwork } from '../permissions/rules/policy.ts'
import type { SessionPolicy } from '../permissions/rules/session-policy.ts'
import { removeLeftFolders } from '../permissions/sandbox/left-folders.ts'
import { type OpenedSandbox, openSandbox, type SandboxMode } from '../permissions/sandbox/open-sandbox.ts'
import { makePrivateFolder, runtimeFolder } from '../stores/files/identity/control-entry.ts'
import { stateFolder } from '../stores/files/identity/trust.ts'
import { look, thisRuntime } from '../stores/identity.ts'
import type { Workspace } from '../workspace.ts'

export interface SandboxOptions {
  /** By default `auto`: where it works. */
  readonly mode?: SandboxMode | undefined
  /** Names of variables that commands may see besides the usual ones. */
  readonly env?: readonly string[] | undefined
  /** What one command may use; by default enough for builds and tests. */
  readonly limits?: Partial<ResourceLimits> | undefined
  /** The caller has already told the user what it means to run without a sandbox. */
  readonly isAnnounced?: boolean | undefined
}

export interface SessionSandboxOptions extends SandboxOptions {
  readonly workspace: Pick<Workspace, 'root'>
  readonly root: string
  readonly folders: readonly string[]
  /** What commands would see without a sandbox. */
  readonly commandEnv: Readonly<Record<string, string>>
  /** Of this process, which says where deskmates keeps things. */
  readonly processEnv: Readonly<Record<string, string | undefined>>
  readonly policy: Pick<SessionPolicy, 'current'>
  readonly hooks: HookSettings | undefined
  /** A front end runs programs too. */
  readonly runsPrograms?: boolean | undefined
  /** Files that commands may read and not change. */
  kept?(): readonly string[]
  warn(message: string): void
}

/** What keeps commands in, or the fact that nothing does. */
export interface SessionSandbox extends OpenedSandbox {
  readonly mode: SandboxMode
}

export async function openSessionSandbox(options: SessionSandboxOptions): Promise<SessionSandbox> {
  const { mode = 'auto', workspace, root, folders, commandEnv, processEnv, policy } = options
  const { DESKMATES_STATE: state, XDG_STATE_HOME: xdgState, XDG_CONFIG_HOME: xdgConfig } = processEnv
  const sockets = runtimeFolder(processEnv)
  const places = [state, xdgState && join(xdgState, 'deskmates'), xdgConfig && join(xdgConfig, 'deskmates'), sockets]
  // Without HOME no home is shown as empty, and the state folder is in that of the account.
  if (!processEnv.HOME) places.push(stateFolder(processEnv))
  const runsCommands = isOffered('bash', policy.current) || options.hooks !== undefined || options.runsPrograms === true
  if (runsCommands && mode !== 'off' && sockets !== undefined) makeSocketFolder(sockets)
  removeLeftFoldersOnce()
  const opened = await openSandbox({
    // Agents without a shell run no command, but what they write may be run by a hook.
    mode: runsCommands ? mode : 'off',
    root,
    folders,
    env: commandEnv,
    also: options.env,
    limits: options.limits,
    runtime: thisRuntime(),
    hidden: [...places.flatMap((path) => path || []), ...teamsOf(workspace.root)],
    kept: options.kept,
    rules: {
      hasFileRules: policy.current.deny.some(({ pattern, tools }) => pattern !== undefined && !tools.includes('bash')),
      forbids: (kind, path) => forbids(policy.current, kind, path),
      mayUseNetwork: (command) => mayUseNetwork(command, policy.current),
    },
  })
  if (runsCommands && !options.isAnnounced) for (const text of startWarnings(mode, opened)) options.warn(text)
  return { ...opened, mode }
}

/** What a user has to know before the first command runs: that nothing keeps commands in, and what follows. */
function startWarnings(mode: SandboxMode, { state, why }: OpenedSandbox): string[] {
  if (state === 'on') return []
  if (mode === 'require' && why)
    return [
      `No command is run: commands must run in a sandbox, and there is none here: ${why.cause}. ${why.remedy}. Or let commands run without one: --sandbox auto.`,
    ]
  if (!why) return [`Commands run without a sandbox (--sandbox off). ${UNKEPT}`]
  return [`Commands run without a sandbox: ${why.cause}. ${why.remedy}. ${UNKEPT}`]
}

/** In step with docs/security.md. */
const UNKEPT =
  "They can read what you can read, keys in /proc included, and alter the team's files or write as a member: see docs/security.md."

/** Only what exists can be hidden, and a session may begin to use it while a command of this one runs. */
function makeSocketFolder(folder: string): void {
  try {
    makePrivateFolder(folder)
  } catch {
    // A session that wants to use it says what is wrong with it.
  }
}

/** They may be kept elsewhere than in the workspace. */
function teamsOf(folder: string): string[] {
  return ['.teams', '.tasks'].map((name) => join(folder, name))
}

let hasRemovedLeftFolders = false

/** A temporary folder can hold many thousand entries: a process that opens many sessions lists it once. */
function removeLeftFoldersOnce(): void {
  if (hasRemovedLeftFolders) return
  hasRemovedLeftFolders = true
  removeLeftFolders((runtime) => look(runtime) === 'dead')
}
