import { join } from 'node:path'
import type { VendorAgents, VendorType } from '../agent/vendor-agents.ts'
import type { AlarmClock } from '../journal/clock.ts'
import { entryHash, type ServerGrants } from '../mcp/client/server-entry.ts'
import { deniesNetwork } from '../permissions/rules/policy.ts'
import type { SessionPolicy } from '../permissions/rules/session-policy.ts'
import { isTrusted } from '../permissions/trust/folder-trust.ts'
import { openServerApprovals, type ServerApproval } from '../stores/files/identity/server-approvals.ts'
import { stateFolder } from '../stores/files/identity/trust.ts'
import type { Workspace } from '../workspace.ts'
import { commandEnv } from './command-env.ts'
import type { SessionSandbox } from './sandbox.ts'
import type { SessionOptions } from './session-options.ts'

type Env = Readonly<Record<string, string | undefined>>

interface Parts {
  readonly root: string
  readonly folders: readonly string[]
  readonly policy: SessionPolicy
  readonly sandbox: SessionSandbox
  readonly env: Env
  readonly clock: AlarmClock
}

/** The agents of other vendors of a session. Their protocol is loaded only where an agent type needs it. */
export async function openVendorAgents(options: SessionOptions, parts: Parts): Promise<VendorAgents> {
  const { workspace, keyVariables = [] } = options
  const { root, folders, policy, sandbox, env, clock } = parts
  const { createVendorAgents } = await import('../acp/client/vendor-agents.ts')
  return createVendorAgents({
    ...{ clock, env, keys: keyVariables },
    place: {
      ...{ root, folders, env: commandEnv(env), sandbox: sandbox.sandbox },
      // Only a person who said that nothing is to run in a sandbox has it run outside.
      requiresSandbox: sandbox.mode !== 'off',
    },
    homeOf: (team, name) => join(workspace.root, '.teams', team, 'homes', name),
    approval: (type) => approvalOf(type, workspace, env),
    deniesNetwork: () => deniesNetwork(policy.current),
    isRecorded: options.model.order !== undefined,
  })
}

/** The name under which the decision about a type is kept. */
export function approvalName({ name }: Pick<VendorType, 'name'>): string {
  return `acp/${name}`
}

/** What a person decided about a type of the project, if that was about its entry as it is now. */
export function decisionAbout(
  type: VendorType,
  workspace: Pick<Workspace, 'workspace'>,
  env: Env,
): ServerApproval | undefined {
  const name = approvalName(type)
  const approval = openServerApprovals(stateFolder(env)).get(workspace.workspace, name)
  return approval?.hash === entryHash(name, type.acp) ? approval : undefined
}

function approvalOf(type: VendorType, workspace: Workspace, env: Env): ServerGrants | { readonly why: string } {
  const wanted = typeof type.acp === 'string' ? [] : (type.acp.folders ?? [])
  if (workspace.trust.everything) return { network: true, folders: wanted, sandbox: true }
  if (!isTrusted(workspace))
    return {
      why: 'a file of this folder describes it, and the folder is not trusted. If you know where it comes from: deskmates trust',
    }
  const decided = decisionAbout(type, workspace, env)
  if (decided?.decision === 'approved') return { network: true, folders: decided.folders, sandbox: true }
  return {
    why: decided
      ? `you rejected it. To change that: deskmates agents approve ${type.name}`
      : `a file of this project describes it, and you have not approved it as it is now. See what it runs: deskmates agents; then: deskmates agents approve ${type.name}`,
  }
}
