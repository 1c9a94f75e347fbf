import { type JSONRPCMessage, ReadBuffer, serializeMessage } from '@modelcontextprotocol/client'
import type { Clock } from '../../../journal/clock.ts'
import type { ServerProcess } from '../start-server.ts'
import { bounded, boundedLine } from '../untrusted-text.ts'
import { createLineLimit } from './line-limit.ts'
import { createFloodLimit, MAX_MESSAGE_BYTES, type ServerTransport } from './server-transport.ts'

const MAX_STDERR_CHARACTERS = 2000
/** How long a server may take to end after its input was closed. */
const CLOSING_MS = 300

/** Messages to and from a server over its standard input and output. `start` starts the server. */
export function createStdioTransport(begin: () => Promise<ServerProcess>, clock: Clock): ServerTransport {
  let server: ServerProcess | undefined
  let why: string | undefined
  let said = ''
  let isClosed = false
  const asked = new Set<string | number>()
  const buffer = new ReadBuffer({ maxBufferSize: MAX_MESSAGE_BYTES + 1 })
  const countUnasked = createFloodLimit(clock, (reason) => transport.fail(reason))

  const transport: ServerTransport = {
    get why() {
      return why
    },
    fail(reason) {
      why ??= reason
      void server?.end(0)
      closed()
    },
    async start() {
      server = await begin()
      server.stderr.setEncoding('utf8').on('data', (text: string) => {
        said = (said + text).slice(-MAX_STDERR_CHARACTERS)
      })
      server.stdout.on('data', (bytes: Buffer) => {
        if (isClosed) return
        try {
          limit.add(bytes)
        } catch (error) {
          transport.onerror?.(error as Error)
        }
      })
      void server.ended.then((how) => {
        const words = boundedLine(said, 500)
        why ??= words === '' ? how : `${how}: ${words}`
        closed()
      })
    },
    async send(message) {
      if (!server || isClosed) throw new Error(why ?? 'the server is not running')
      if ('method' in message && 'id' in message) asked.add(message.id)
      const { stdin } = server
      if (!stdin.write(serializeMessage(message)))
        await new Promise<void>((resolve) => {
          stdin.once('drain', resolve)
          stdin.once('close', resolve)
        })
    },
    async close() {
      if (!server) return closed()
      server.stdin.end()
      let timer: NodeJS.Timeout | undefined
      await Promise.race([
        server.ended,
        new Promise<void>((resolve) => {
          timer = setTimeout(resolve, CLOSING_MS)
        }),
      ])
      clearTimeout(timer)
      await server.end()
      closed()
    },
  }

  const limit = createLineLimit(MAX_MESSAGE_BYTES, {
    onLine(line) {
      buffer.append(line)
      for (let message = readMessage(); message && !isClosed; message = readMessage()) receive(message)
    },
    onTooLong({ bytes, head, tail }) {
      const id = idOf(tail, asked) ?? idOf(head, asked)
      const text = `its answer has more than ${MAX_MESSAGE_BYTES >> 20} MB (${Math.round(bytes / 2 ** 20)} MB), and was left out`
      if (id === undefined) return transport.fail(`it sent a message of more than ${MAX_MESSAGE_BYTES >> 20} MB`)
      receive({ jsonrpc: '2.0', id, error: { code: TOO_LONG, message: text } })
    },
  })

  function readMessage(): JSONRPCMessage | null {
    try {
      return buffer.readMessage()
    } catch (error) {
      countUnasked()
      transport.onerror?.(new Error(bounded((error as Error).message, 500)))
      return null
    }
  }

  function receive(message: JSONRPCMessage): void {
    if ('method' in message || message.id === undefined || !asked.delete(message.id)) countUnasked()
    if (!isClosed) transport.onmessage?.(message)
  }

  function closed(): void {
    if (isClosed) return
    isClosed = true
    buffer.clear()
    transport.onclose?.()
  }

  return transport
}

/** Our own code for an answer that was left out; JSON-RPC leaves these numbers to applications. */
const TOO_LONG = -32099

/** The id of the request that a message answers, if one was sent with it: the last one that is named. */
function idOf(text: string, asked: ReadonlySet<string | number>): number | undefined {
  const named = [...text.matchAll(/"id"\s*:\s*(\d{1,15})(?!\d)/g)].map(([, digits]) => Number(digits))
  return named.findLast((id) => asked.has(id))
}
