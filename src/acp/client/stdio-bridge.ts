import process from 'node:process'
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { StdioServerTransport } from '@modelcontextprotocol/server/stdio'
import { BRIDGE_TOKEN, BRIDGE_URL } from './bridge-program.ts'

/**
 * A program of its own, built to `dist/stdio-bridge.js`. A vendor's agent that uses no MCP servers over HTTP starts it in its own
 * sandbox, and reaches our server through it: every message passes unchanged, in both directions.
 */
const { [BRIDGE_URL]: url = '', [BRIDGE_TOKEN]: token = '' } = process.env
const stdio = new StdioServerTransport()
const http = new StreamableHTTPClientTransport(new URL(url), {
  requestInit: { headers: { Authorization: `Bearer ${token}` } },
})

stdio.onmessage = (message) => {
  http.send(message).catch((error: unknown) => {
    const text = error instanceof Error ? error.message : String(error)
    // The agent waits for an answer to a request, and would wait for ever.
    if ('id' in message && 'method' in message)
      void stdio.send({ jsonrpc: '2.0', id: message.id, error: { code: -32000, message: text } })
    else process.stderr.write(`${text}\n`)
  })
}
http.onmessage = (message) => {
  // Later requests name the version that the server chose in its answer to `initialize`.
  const { protocolVersion } = ('result' in message ? message.result : {}) as { protocolVersion?: unknown }
  if (typeof protocolVersion === 'string') http.setProtocolVersion(protocolVersion)
  void stdio.send(message)
}
stdio.onclose = () => void http.close()

await http.start()
await stdio.start()
process.stdin.once('end', () => void stdio.close())
