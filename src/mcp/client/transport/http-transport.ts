import { type FetchLike, StreamableHTTPClientTransport, type Transport } from '@modelcontextprotocol/client'
import { ServerRefused } from '../server-faults.ts'
import { MAX_MESSAGE_BYTES } from './stdio-transport.ts'

/** Messages to and from a server over HTTP. Redirections to another origin fail: the address is what was approved. */
export function createHttpTransport(name: string, url: string, headers: Readonly<Record<string, string>>): Transport {
  const requestInit = { headers: { ...headers } }
  return new StreamableHTTPClientTransport(addressOf(name, url), { requestInit, fetch: boundedFetch })
}

function addressOf(name: string, url: string): URL {
  const address = URL.canParse(url) ? new URL(url) : undefined
  if (address === undefined || !/^https?:$/.test(address.protocol))
    throw new ServerRefused(`The URL of the MCP server ${name} is not one of http:// or https://. Correct it.`)
  return address
}

/** The same as `fetch`; an answer, or an event of a stream, of more than the limit ends it. */
const boundedFetch: FetchLike = async (url, init) => {
  const response = await fetch(url, init)
  if (!response.body) return response
  const isStream = response.headers.get('content-type')?.includes('text/event-stream') ?? false
  const { status, statusText, headers } = response
  return new Response(response.body.pipeThrough(limitOf(isStream)), { status, statusText, headers })
}

const NEWLINE = 0x0a

function limitOf(isStream: boolean): TransformStream<Uint8Array, Uint8Array> {
  let size = 0
  return new TransformStream({
    transform(bytes, controller) {
      // An event has one line of data.
      const last = isStream ? bytes.lastIndexOf(NEWLINE) : -1
      size = last === -1 ? size + bytes.length : bytes.length - last - 1
      if (size > MAX_MESSAGE_BYTES || bytes.length > MAX_MESSAGE_BYTES)
        controller.error(new Error(`its answer has more than ${MAX_MESSAGE_BYTES >> 20} MB, and was left out`))
      else controller.enqueue(bytes)
    },
  })
}
