import { print, printJson } from '../output/print.ts'
import type { SubCommand } from '../program/sub-command.ts'
import { openStore } from '../workspace/open-store.ts'
import { decide } from './decide.ts'
import { projectServer, serversHere } from './find-server.ts'
import { serverJson } from './print-server.ts'

export const mcpReject: SubCommand<object, [name: string]> = {
  example: '$ deskmates mcp reject github',
  instead: () => 'Only a person decides about MCP servers.',
  define(command) {
    command.argument('<name>', 'the server')
  },
  async run(call, _, name) {
    await using workspace = await openStore(call)
    const server = projectServer(await serversHere(call, workspace), name)
    decide(call, workspace, server, 'rejected', { network: false, folders: [], sandbox: true })
    const rejected = { ...server, state: { kind: 'rejected' } as const }
    if (call.globals.json) return printJson(call, serverJson(rejected))
    await print(call, `rejected  ${server.name}  it is not started as it is now\n`)
  },
}
