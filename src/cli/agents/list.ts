import { table } from '../output/format.ts'
import { print, printJsonArray, printMessage } from '../output/print.ts'
import type { SubCommand } from '../program/sub-command.ts'
import { openStore } from '../workspace/open-store.ts'
import { typeRow, vendorTypes } from './find-types.ts'

export const agentsList: SubCommand<object> = {
  example: '$ deskmates agents list',
  define() {},
  async run(call) {
    await using workspace = await openStore(call)
    const rows = (await vendorTypes(call, workspace)).map((type) => typeRow(call, workspace, type))
    if (call.globals.json) return printJsonArray(call, rows)
    if (rows.length === 0)
      return printMessage(
        call,
        "No agent types of other vendors. Add one with 'agents' in your settings: see docs/acp.md",
      )
    const cells = rows.map(({ name, source, state, runs, variables, folders, credentials }) => [
      ...[name, source, state.replace('_', ' '), runs],
      ...[variables, folders, credentials].map((some) => some.join(' ') || '-'),
    ])
    await print(call, table(call, ['name', 'from', 'state', 'runs', 'variables', 'folders', 'credentials'], cells))
  },
}
