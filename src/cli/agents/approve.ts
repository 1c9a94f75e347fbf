import { entryHash } from '../../mcp/client/server-entry.ts'
import { isTrusted } from '../../permissions/trust/folder-trust.ts'
import { approvalName } from '../../session/vendor-agents.ts'
import { openServerApprovals } from '../../stores/files/identity/server-approvals.ts'
import { stateFolder } from '../../stores/files/identity/trust.ts'
import { another } from '../mcp/add.ts'
import { table } from '../output/format.ts'
import { print, printJson } from '../output/print.ts'
import type { Call } from '../program/context.ts'
import { Misused } from '../program/failure.ts'
import type { SubCommand } from '../program/sub-command.ts'
import { openStore } from '../workspace/open-store.ts'
import { projectType, typeRow } from './find-types.ts'

interface Options {
  readonly folder?: string[]
}

export const agentsApprove: SubCommand<Options, [name: string]> = {
  example: '$ deskmates agents approve claude',
  instead: () => 'Only a person approves agents of other vendors.',
  define(command) {
    command
      .argument('<name>', 'the agent type')
      .option('--folder <dir>', 'a folder it may use besides the workspace; DIR:ro for reading only', another)
  },
  run: (call, { folder = [] }, name) => decide(call, name, 'approved', folder),
}

export const agentsReject: SubCommand<object, [name: string]> = {
  example: '$ deskmates agents reject claude',
  instead: () => 'Only a person decides about agents of other vendors.',
  define(command) {
    command.argument('<name>', 'the agent type')
  },
  run: (call, _, name) => decide(call, name, 'rejected', []),
}

/** Keeps what a person decided about a type, bound to its entry as it is now. */
async function decide(call: Call, name: string, decision: 'approved' | 'rejected', folders: string[]): Promise<void> {
  await using workspace = await openStore(call)
  const type = await projectType(call, workspace, name)
  if (!isTrusted(workspace))
    throw new Misused(`This folder is not trusted. If you know where it comes from: deskmates trust`)
  const kept = approvalName(type)
  openServerApprovals(stateFolder(call.env)).set(workspace.workspace, kept, {
    ...{ decision, network: true, sandbox: true, folders },
    hash: entryHash(kept, type.acp),
  })
  const row = typeRow(call, workspace, type)
  if (call.globals.json) return printJson(call, row)
  const lists = [row.variables, row.folders, row.credentials].map((some) => some.join(' ') || '-')
  const cells = [decision, row.name, row.runs, ...lists]
  await print(call, table(call, ['', 'name', 'runs', 'variables', 'folders', 'credentials'], [cells]))
}
