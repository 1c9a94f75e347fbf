import type { McpServer } from '@agentclientprotocol/sdk'
import type { EditorServer } from '../../session/mcp/configured-servers.ts'

/** The MCP servers that an editor passes in, in the shape in which files describe them. */
export function editorServers(servers: readonly McpServer[] = []): EditorServer[] {
  return servers.map((server) => {
    const { name } = server
    if ('command' in server) {
      const { command, args, env } = server
      return { name, entry: { command, args, env: byName(env) } }
    }
    return { name, entry: { type: server.type, url: server.url, headers: byName(server.headers) } }
  })
}

function byName(pairs: readonly { readonly name: string; readonly value: string }[]): Record<string, string> {
  return Object.fromEntries(pairs.map(({ name, value }) => [name, value]))
}
