import { type ConfiguredServer, entryHash, type ServerGrants } from '../../mcp/client/server-entry.ts'
import { openServerApprovals } from '../../stores/files/identity/server-approvals.ts'
import { stateFolder } from '../../stores/files/identity/trust.ts'
import type { Workspace } from '../../workspace.ts'
import type { Call } from '../program/context.ts'

/** Keeps what a person decided about a server, bound to its entry as it is now. */
export function decide(
  call: Call,
  workspace: Workspace,
  { name, entry }: Pick<ConfiguredServer, 'name' | 'entry'>,
  decision: 'approved' | 'rejected',
  { network, folders, sandbox }: ServerGrants,
): void {
  openServerApprovals(stateFolder(call.env)).set(workspace.workspace, name, {
    ...{ decision, network, sandbox, folders: [...folders] },
    hash: entryHash(name, entry),
  })
}
