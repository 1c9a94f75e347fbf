import { Client, InMemoryTransport, type Transport } from '@modelcontextprotocol/client'
import type { Store } from '../../journal/log/store.ts'
import { hashOfToken, newMemberToken } from '../../journal/member-token.ts'
import { openTeam, type TeamHandle } from '../../journal/team-handle.ts'
import type { ServedHttp } from '../../mcp/server/http-endpoint.ts'
import { identifyByName, identifyByToken } from '../../mcp/server/identify.ts'
import { serveHttp } from '../../mcp/server/serve-http.ts'
import { createTeamServer } from '../../mcp/server/team-server.ts'
import { createRedactor } from '../../redaction/redactor.ts'
import { openMemoryStore } from '../../stores/memory/store.ts'
import { isRefusal } from '../../team/refusal.ts'
import { type ManualClock, manualClock } from '../manual-clock.ts'

/** The result of a tool: `data` is its structured content, or code and details of a refusal; `error` is that code. */
export interface Called {
  // biome-ignore lint/suspicious/noExplicitAny: each test knows the shape it asked for
  readonly data: any
  readonly text: string
  readonly error: string | undefined
}

/** An MCP client that is connected to the server of a team. */
export interface ConnectedCaller extends AsyncDisposable {
  readonly client: Client
  call(name: string, input?: object, signal?: AbortSignal): Promise<Called>
}

export interface McpHarness extends AsyncDisposable {
  readonly store: Store
  readonly team: TeamHandle
  readonly clock: ManualClock
  /** A member of the team, with its token. */
  join(name: string, role?: string): Promise<string>
  /** A caller that is connected in this process. */
  connect(name: string, token?: string): Promise<ConnectedCaller>
  /** The same over HTTP. */
  serve(only?: string): Promise<ServedHttp>
}

export async function mcpHarness(): Promise<McpHarness> {
  const store = await openMemoryStore()
  const clock = manualClock()
  const team = await openTeam(store, 'web', { clock })
  await team.run({ type: 'team.create', team: 'web' })
  const opened: AsyncDisposable[] = []
  const tokens = new Map<string, string>()
  const base = {
    ...{ team, clock, runtime: store.presence.self, version: '1.2.3' },
    ...{ redactor: createRedactor({}), signal: new AbortController().signal },
  }
  return {
    ...{ store, team, clock },
    async join(name, role = 'dev') {
      const token = newMemberToken()
      const answer = await team.run({ type: 'member.join', name, role, tokenHash: hashOfToken(token) })
      if (isRefusal(answer)) throw new Error(answer.code)
      tokens.set(name, token)
      return token
    },
    async connect(name, token = tokens.get(name)) {
      const [near, far] = InMemoryTransport.createLinkedPair()
      const server = createTeamServer({ ...base, identify: async () => identifyByName(team.state, name, token) })
      await server.connect(far as never)
      const caller = await connectCaller(near)
      opened.push(caller, { [Symbol.asyncDispose]: () => server.close() })
      return caller
    },
    async serve(only) {
      const identify = async (token: string) => {
        await team.refresh()
        return identifyByToken(team.state, token, only)
      }
      const served = await serveHttp({ ...base, port: 0, identify })
      opened.push(served)
      return served
    },
    async [Symbol.asyncDispose]() {
      for (const one of opened.splice(0).reverse()) await one[Symbol.asyncDispose]()
      await team.close()
    },
  }
}

export async function connectCaller(transport: Transport): Promise<ConnectedCaller> {
  const client = new Client({ name: 'test', version: '1.0.0' })
  await client.connect(transport)
  // Clients check results against the schemas that were listed.
  await client.listTools()
  return {
    client,
    async call(name, input = {}, signal) {
      const result = await client.callTool({ name, arguments: { ...input } }, { ...(signal && { signal }) })
      const { structuredContent, isError } = result
      const [text = '', details = ''] = result.content.map((part) => (part.type === 'text' ? part.text : ''))
      const data = structuredContent ?? JSON.parse(details)
      return { data, text, error: isError ? (data.code ?? 'failed') : undefined }
    },
    [Symbol.asyncDispose]: () => client.close(),
  }
}
