import { randomBytes } from 'node:crypto'
import { type CallToolResult, Server } from '@modelcontextprotocol/server'
import { openEndpoint, type ServedHttp } from '../../mcp/server/http-endpoint.ts'
import type { Author } from '../../team/event.ts'
import { refuse } from '../../team/refusal.ts'
import type { Tool, ToolResult } from '../../tools/tool.ts'

/** A teammate whose program reaches the board and the mail through our MCP server. */
export interface ServedTeammate {
  readonly name: Author['name']
  /** As they are now. */
  tools(): readonly Tool[]
  /** Carries out a call as this teammate. */
  call(name: string, input: unknown, signal: AbortSignal): Promise<ToolResult>
}

/** One address on this machine for the programs of all teammates; each has a token of its own. */
export interface TeamTools extends AsyncDisposable {
  /** The address, and the token by which the program of this teammate is known until `revoke` is called. */
  serve(teammate: ServedTeammate): Promise<{ readonly url: string; readonly token: string; revoke(): void }>
}

const TOKEN_BYTES = 32

export function createTeamTools(): TeamTools {
  const served = new Map<string, ServedTeammate>()
  let endpoint: Promise<ServedHttp> | undefined

  const open = () =>
    openEndpoint({
      port: 0,
      identify: async (token) => served.get(token) ?? refuse('wrong_token', { problem: 'unknown' }),
      createServer: (token, signal) => serverFor(served.get(token), signal),
    })

  return {
    async serve(teammate) {
      endpoint ??= open()
      const { url } = await endpoint
      const token = randomBytes(TOKEN_BYTES).toString('base64url')
      served.set(token, teammate)
      return { url, token, revoke: () => void served.delete(token) }
    },
    async [Symbol.asyncDispose]() {
      served.clear()
      await (await endpoint)?.[Symbol.asyncDispose]()
    },
  }
}

/** The tools of one teammate, as our own agents have them: with the same checks, records and texts. */
function serverFor(teammate: ServedTeammate | undefined, signal: AbortSignal): Server {
  const server = new Server({ name: 'deskmates', version: '1' }, { capabilities: { tools: {} } })
  server.setRequestHandler('tools/list', () => ({
    tools: (teammate?.tools() ?? []).map(({ name, description, schema, isReadOnly = false }) => ({
      name,
      description,
      inputSchema: { ...schema, type: 'object' as const },
      annotations: { readOnlyHint: isReadOnly, destructiveHint: false, openWorldHint: false },
    })),
  }))
  server.setRequestHandler('tools/call', async ({ params }, { mcpReq }): Promise<CallToolResult> => {
    if (!teammate) return { isError: true, content: [{ type: 'text', text: 'This teammate is not at work.' }] }
    const over = AbortSignal.any([signal, mcpReq.signal])
    const { text, isError = false } = await teammate.call(params.name, params.arguments ?? {}, over)
    return { content: [{ type: 'text', text }], ...(isError && { isError }) }
  })
  return server
}
