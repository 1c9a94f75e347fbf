import { join } from 'node:path'
import { forbids, isOffered, mayUseNetwork, type Policy } from '../permissions/policy.ts'
import { type OpenedBoundary, openBoundary, type SandboxMode } from '../tools/boundary/open-boundary.ts'
import type { Workspace } from '../workspace.ts'

export interface SandboxOptions {
  /** By default `auto`: where it works. */
  readonly mode?: SandboxMode | undefined
  /** Names of variables that commands may see besides the usual ones. */
  readonly env?: readonly string[] | undefined
}

export interface SandboxPlan extends SandboxOptions {
  readonly workspace: Pick<Workspace, 'root'>
  readonly root: string
  readonly folders: readonly string[]
  /** What commands would see without a sandbox. */
  readonly commandEnv: Readonly<Record<string, string>>
  /** Of this process, which says where deskmates keeps things. */
  readonly processEnv: Readonly<Record<string, string | undefined>>
  readonly policy: Policy
  warn(message: string): void
}

/** What keeps commands in, or the fact that nothing does. */
export interface Sandbox extends OpenedBoundary {
  readonly mode: SandboxMode
  /** Says once, before the first command, with the cause and what to do, that nothing keeps it in. */
  sayIfMissing(): void
}

export async function openSandbox(plan: SandboxPlan): Promise<Sandbox> {
  const { mode = 'auto', workspace, root, folders, commandEnv, processEnv, policy } = plan
  const { DESKMATES_STATE: state, XDG_STATE_HOME: xdgState, XDG_CONFIG_HOME: xdgConfig } = processEnv
  const places = [state, xdgState && join(xdgState, 'deskmates'), xdgConfig && join(xdgConfig, 'deskmates')]
  const opened = await openBoundary({
    // Who is not offered a shell runs no command.
    mode: isOffered('bash', policy) ? mode : 'off',
    root,
    folders,
    env: commandEnv,
    also: plan.env,
    hidden: [...places.flatMap((path) => path || []), ...teamsOf(workspace.root)],
    rules: {
      hasFileRules: policy.deny.some(({ pattern, tools }) => pattern !== undefined && !tools.includes('bash')),
      forbids: (kind, path) => forbids(policy, kind, path),
      mayUseNetwork: (command) => mayUseNetwork(command, policy),
    },
  })
  let isSaid = false
  return {
    ...opened,
    mode,
    sayIfMissing() {
      if (opened.why && !isSaid) plan.warn(missingWords(mode, opened.why))
      isSaid = true
    },
  }
}

function missingWords(mode: SandboxMode, { cause, remedy }: NonNullable<OpenedBoundary['why']>): string {
  if (mode === 'require')
    return `No command is run: it must be in a sandbox, and there is none here: ${cause}. ${remedy}. Or let commands run without one, with your leave: --sandbox auto.`
  return (
    `Commands run without a sandbox and can alter the team's files: ${cause}. ${remedy}. ` +
    'Every command needs your leave: a rule, an answer or a mode; --sandbox off says that you know.'
  )
}

/** They may be kept elsewhere than in the workspace. */
function teamsOf(folder: string): string[] {
  return ['.teams', '.tasks'].map((name) => join(folder, name))
}
