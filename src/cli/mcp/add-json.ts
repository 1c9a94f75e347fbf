import { Option } from 'commander'
import { Misused } from '../program/failure.ts'
import type { SubCommand } from '../program/sub-command.ts'
import { openStore } from '../workspace/open-store.ts'
import { report } from './add.ts'
import { addServer, SCOPES, type Scope } from './write-server.ts'

export const mcpAddJson: SubCommand<{ readonly scope: Scope }, [name: string, json: string]> = {
  example: `$ deskmates mcp add-json notes '{"command": "notes-mcp", "args": ["--stdio"], "folders": ["~/notes"]}'`,
  instead: () => 'Only a person adds MCP servers.',
  define(command) {
    command
      .argument('<name>', 'how its tools are called: mcp__NAME__tool')
      .argument('<json>', 'the entry, as in .mcp.json')
      .addOption(new Option('-s, --scope <scope>', 'who has it').choices(SCOPES).default('local'))
  },
  async run(call, { scope }, name, json) {
    await using workspace = await openStore(call)
    await report(call, name, scope, addServer(call, workspace, scope, name, parsed(json)))
  },
}

function parsed(json: string): unknown {
  try {
    return JSON.parse(json)
  } catch (error) {
    // The text is not repeated: it may hold a secret.
    throw new Misused(`The entry is not JSON (${(error as Error).name}). Put it in single quotes.`)
  }
}
