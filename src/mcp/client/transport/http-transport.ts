import { type FetchLike, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import type { Clock } from '../../../journal/clock.ts'
import { ServerRefused } from '../server-faults.ts'
import { createFloodLimit, MAX_MESSAGE_BYTES, type ServerTransport } from './server-transport.ts'

const MAX_MB = MAX_MESSAGE_BYTES >> 20

export interface HttpOptions {
  readonly name: string
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly clock: Clock
  /** What to say where the server wants a login; `challenge` is what it asks for, in its words. */
  refusal(challenge: string | null): string
}

/** Messages to and from a server over HTTP. Redirections to another origin fail: the address is what was approved. */
export function createHttpTransport({ name, url, headers, clock, refusal }: HttpOptions): ServerTransport {
  let why: string | undefined
  const fail = (reason: string) => {
    if (why !== undefined) return
    why = reason
    void transport.close()
  }
  const countEvent = createFloodLimit(clock, fail)

  /** The same as `fetch`; answers and events are bounded, as messages over standard output are. */
  const boundedFetch: FetchLike = async (address, init) => {
    const response = await fetch(address, init)
    if (response.status === 401) {
      await response.body?.cancel()
      throw new ServerRefused(refusal(response.headers.get('www-authenticate')))
    }
    // So says the protocol: the server knows nothing of the session any more, and a new one has to be begun.
    if (response.status === 404 && new Headers(init?.headers).has('mcp-session-id'))
      fail('it does not know the session any more (404); perhaps it was restarted')
    if (!response.body) return response
    const isStream = response.headers.get('content-type')?.includes('text/event-stream') ?? false
    const limit = isStream ? eventLimit(countEvent, fail) : bodyLimit()
    const { status, statusText, headers } = response
    return new Response(response.body.pipeThrough(limit), { status, statusText, headers })
  }

  const transport = new StreamableHTTPClientTransport(addressOf(name, url), {
    requestInit: { headers: { ...headers } },
    fetch: boundedFetch,
  })
  return Object.defineProperties(transport, { why: { get: () => why }, fail: { value: fail } }) as typeof transport &
    ServerTransport
}

function addressOf(name: string, url: string): URL {
  const address = URL.canParse(url) ? new URL(url) : undefined
  if (address === undefined || !/^https?:$/.test(address.protocol))
    throw new ServerRefused(`The URL of the MCP server ${name} is not one of http:// or https://. Correct it.`)
  return address
}

/** An answer that is longer fails its call. */
function bodyLimit(): TransformStream<Uint8Array, Uint8Array> {
  let size = 0
  return new TransformStream({
    transform(bytes, controller) {
      size += bytes.length
      if (size > MAX_MESSAGE_BYTES)
        controller.error(new Error(`its answer has more than ${MAX_MB} MB, and was left out`))
      else controller.enqueue(bytes)
    },
  })
}

const LF = 0x0a
const CR = 0x0d

/** An event ends with an empty line, however many lines it has. Which call a broken one would answer is not known. */
function eventLimit(countEvent: () => void, fail: (why: string) => void): TransformStream<Uint8Array, Uint8Array> {
  let size = 0
  let isLineEmpty = true
  let before = 0
  return new TransformStream({
    transform(bytes, controller) {
      for (const byte of bytes) {
        size++
        if (byte === LF && before === CR) size--
        else if (byte !== LF && byte !== CR) isLineEmpty = false
        else if (isLineEmpty) {
          if (size > 1) countEvent()
          size = 0
        } else isLineEmpty = true
        before = byte
      }
      if (size > MAX_MESSAGE_BYTES) fail(`it sent an event of more than ${MAX_MB} MB`)
      controller.enqueue(bytes)
    },
  })
}
