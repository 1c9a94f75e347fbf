import { print, printJson } from '../output/print.ts'
import type { SubCommand } from '../program/sub-command.ts'
import { openStore } from '../workspace/open-store.ts'
import { serverNamed, serversHere } from './find-server.ts'
import { serverJson, serverLines } from './print-server.ts'

export const mcpGet: SubCommand<object, [name: string]> = {
  example: '$ deskmates mcp get github',
  define(command) {
    command.argument('<name>', 'the server')
  },
  async run(call, _, name) {
    await using workspace = await openStore(call)
    const server = serverNamed(await serversHere(call, workspace), name)
    if (call.globals.json) return printJson(call, serverJson(server))
    await print(call, `${serverLines(server).join('\n')}\n`)
  },
}
