import { once } from 'node:events'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import {
  createMcpHandler,
  type McpHttpHandler,
  type McpServer,
  type Server as ProtocolServer,
} from '@modelcontextprotocol/server'
import type { Author } from '../../team/event.ts'
import { isRefusal, type Refusal } from '../../team/refusal.ts'
import { toWebRequest, writeWebResponse } from './node-http.ts'
import { refusalForCaller } from './refusal-text.ts'

export interface EndpointOptions {
  /** 0: a free one. */
  readonly port: number
  /** The member whose token this is. Asked for every request. */
  identify(token: string): Promise<Pick<Author, 'name'> | Refusal>
  /** The server for one request with this token; `signal` aborts when the client is gone, or the endpoint is closed. */
  createServer(token: string, signal: AbortSignal): McpServer | ProtocolServer
}

export interface ServedHttp extends AsyncDisposable {
  readonly url: string
}

const HOST = '127.0.0.1'
const PATH = '/mcp'
const MAX_CONNECTIONS = 128
const MAX_BODY_BYTES = 4 * 1024 * 1024
const HEADERS_TIMEOUT_MS = 10_000
const REQUEST_TIMEOUT_MS = 30_000

/**
 * Listens for MCP clients of this machine, several at once. Each request carries a token and is served by a server of its own:
 * nothing is kept between requests, so a client that goes away leaves nothing behind.
 */
export async function openEndpoint(options: EndpointOptions): Promise<ServedHttp> {
  const ending = new AbortController()
  const handler = createMcpHandler(
    ({ authInfo, requestInfo }) => {
      const signals = [ending.signal, ...(requestInfo ? [requestInfo.signal] : [])]
      return options.createServer(authInfo?.token ?? '', AbortSignal.any(signals))
    },
    { maxRequestBodySize: MAX_BODY_BYTES },
  )
  const limits = { headersTimeout: HEADERS_TIMEOUT_MS, requestTimeout: REQUEST_TIMEOUT_MS, maxHeaderSize: 16_384 }
  const server = createServer(limits, (request, response) => {
    respond(handler, options, portOf(server), request, response).catch(() => response.destroy())
  })
  server.maxConnections = MAX_CONNECTIONS
  await listening(server, options.port)
  return {
    url: `http://${HOST}:${portOf(server)}${PATH}`,
    async [Symbol.asyncDispose]() {
      const closed = once(server, 'close')
      server.close()
      // Calls that wait end with what they have; what a client does not read then is not waited for.
      ending.abort()
      await handler.close()
      setImmediate(() => server.closeAllConnections())
      await closed
    },
  }
}

async function respond(
  handler: McpHttpHandler,
  { identify }: EndpointOptions,
  port: number,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const { host, origin, authorization } = request.headers
  if (!isLocal(host, port) || (origin !== undefined && !isOwnOrigin(origin, port)))
    return refuse(response, 403, 'Requests of other hosts and origins are refused.')
  const path = new URL(request.url ?? '/', `http://${HOST}`).pathname
  if (path !== PATH) return refuse(response, 404, `There is only ${PATH}.`)
  const token = /^Bearer +(\S+)$/i.exec(authorization ?? '')?.[1]
  const caller = token === undefined ? undefined : await identify(token)
  if (token === undefined || caller === undefined || isRefusal(caller)) {
    response.setHeader('www-authenticate', 'Bearer')
    const why =
      caller && isRefusal(caller)
        ? refusalForCaller(caller)
        : 'The token of a member is needed: Authorization: Bearer TOKEN.'
    return refuse(response, 401, why)
  }
  const authInfo = { token, clientId: caller.name, scopes: [] }
  await writeWebResponse(await handler.fetch(toWebRequest(request, response), { authInfo }), response)
}

/** A page of another site that a browser resolves to this machine names its own host here. */
function isLocal(host: string | undefined, port: number): boolean {
  return host !== undefined && localHosts(port).includes(host.toLowerCase())
}

function isOwnOrigin(origin: string, port: number): boolean {
  return localHosts(port).some((host) => origin.toLowerCase() === `http://${host}`)
}

function localHosts(port: number): string[] {
  return [HOST, 'localhost', '[::1]'].map((host) => `${host}:${port}`)
}

/** The rest of the request is not read. */
function refuse(response: ServerResponse, status: number, message: string): void {
  response.writeHead(status, { 'content-type': 'application/json', connection: 'close' })
  response.end(JSON.stringify({ error: message }), () => response.req.destroy())
}

function portOf(server: Server): number {
  return (server.address() as AddressInfo).port
}

function listening(server: Server, port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject)
    server.listen(port, HOST, () => {
      server.off('error', reject)
      resolve()
    })
  })
}
