import { requestedBy } from '../../session/mcp/configured-servers.ts'
import { print, printJson, printMessage } from '../output/print.ts'
import { Misused } from '../program/failure.ts'
import type { SubCommand } from '../program/sub-command.ts'
import { openStore } from '../workspace/open-store.ts'
import { another } from './add.ts'
import { decide } from './decide.ts'
import { projectServer, serversHere } from './find-server.ts'
import { serverJson, serverLines } from './print-server.ts'

interface Options {
  readonly network?: true
  readonly folder?: string[]
  readonly sandbox: boolean
}

export const mcpApprove: SubCommand<Options, [name: string]> = {
  example: `$ deskmates mcp approve github --network
$ deskmates mcp approve notes --folder ~/notes`,
  instead: () => 'Only a person approves MCP servers.',
  define(command) {
    command
      .argument('<name>', 'the server')
      .option('--network', 'it may use the network; without it, it has none')
      .option('--folder <dir>', 'a folder it may use besides the workspace; DIR:ro for reading only', another)
      .option('--no-sandbox', 'it runs with your rights, outside of the sandbox')
  },
  async run(call, { network = false, folder = [], sandbox }, name) {
    await using workspace = await openStore(call)
    const server = projectServer(await serversHere(call, workspace), name)
    if (server.state.kind === 'needs_trust')
      throw new Misused(
        `${server.path} counts only in a folder that you trust. If you know where it comes from: deskmates trust`,
      )
    const grants = { network: network as boolean, folders: folder, sandbox }
    decide(call, workspace, server, 'approved', grants)
    const approved = { ...server, state: { kind: 'ready', grants } as const }
    if (call.globals.json) return printJson(call, serverJson(approved))
    await print(call, `${serverLines(approved).join('\n')}\n`)
    const wanted = requestedBy(server.entry)
    const missing = [
      ...(wanted.network && !network ? ['--network'] : []),
      ...wanted.folders.filter((one) => !folder.includes(one)).map((one) => `--folder ${one}`),
      ...(!wanted.sandbox && sandbox ? ['--no-sandbox'] : []),
    ]
    if (missing.length > 0)
      await printMessage(call, `It asks for more than you granted. To grant that too: ${missing.join(' ')}`)
  },
}
