import type { ConfiguredServer } from '../../mcp/client/server-entry.ts'
import { shellWord } from '../../team/wording.ts'
import type { Workspace } from '../../workspace.ts'
import { oneLine } from '../output/format.ts'
import type { Call } from '../program/context.ts'
import { Misused } from '../program/failure.ts'
import { readServers } from '../workspace/read-servers.ts'
import { readSettings } from '../workspace/read-settings.ts'

/** All servers here, without starting any. */
export async function serversHere(call: Call, workspace: Workspace): Promise<readonly ConfiguredServer[]> {
  return readServers(call, workspace, await readSettings(call, workspace))
}

export function serverNamed(servers: readonly ConfiguredServer[], name: string): ConfiguredServer {
  const found = servers.find((server) => server.name === name) ?? servers.find((server) => server.key === name)
  if (found) return found
  const known = servers.map((server) => oneLine(server.name)).join(', ')
  throw new Misused(
    `There is no MCP server ${JSON.stringify(name)}. ${known === '' ? 'None is configured: deskmates mcp add' : `There are: ${known}.`}`,
  )
}

/** One that a project brings along: only about those a person decides. */
export function projectServer(servers: readonly ConfiguredServer[], name: string): ConfiguredServer {
  const found = serverNamed(servers, name)
  if (found.isProject) return found
  throw new Misused(
    `The MCP server ${found.name} is your own, so it needs no approval. To change it: deskmates mcp remove ${shellWord(found.name)}, then deskmates mcp add.`,
  )
}
