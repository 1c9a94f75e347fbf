import { Option } from 'commander'
import { openServerApprovals } from '../../stores/files/identity/server-approvals.ts'
import { stateFolder } from '../../stores/files/identity/trust.ts'
import { print, printJson } from '../output/print.ts'
import { Misused } from '../program/failure.ts'
import type { SubCommand } from '../program/sub-command.ts'
import { openStore } from '../workspace/open-store.ts'
import { serverNamed, serversHere } from './find-server.ts'
import { SCOPES, type Scope, serversOfScope, writeScope } from './write-server.ts'

export const mcpRemove: SubCommand<{ readonly scope?: Scope }, [name: string]> = {
  example: '$ deskmates mcp remove github',
  instead: () => 'Only a person removes MCP servers.',
  define(command) {
    command
      .argument('<name>', 'the server')
      .addOption(new Option('-s, --scope <scope>', 'where it is; needed if several have it').choices(SCOPES))
  },
  async run(call, { scope }, name) {
    await using workspace = await openStore(call)
    const having = SCOPES.filter((one) => serversOfScope(call, workspace, one).entries.has(name))
    const found = scope === undefined ? having : having.filter((one) => one === scope)
    const [only] = found
    if (only === undefined) {
      const { path } = serverNamed(await serversHere(call, workspace), name)
      throw new Misused(`The MCP server ${name} is in ${path}. Remove it there.`)
    }
    if (found.length > 1)
      throw new Misused(`There are several servers ${name}: ${found.join(', ')}. Name one with --scope.`)
    const { file, entries } = serversOfScope(call, workspace, only)
    entries.delete(name)
    writeScope(call, workspace, only, entries)
    if (only === 'project') openServerApprovals(stateFolder(call.env)).remove(workspace.workspace, name)
    if (call.globals.json) return printJson(call, { name, scope: only, path: file ?? null, removed: true })
    await print(call, `removed  ${name}  ${file ?? 'for you, in this folder'}\n`)
  },
}
