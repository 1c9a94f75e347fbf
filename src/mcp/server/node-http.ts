import type { IncomingMessage, ServerResponse } from 'node:http'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'

/** A request of `node:http` as the web standard has it. Its signal aborts when the client is gone. */
export function toWebRequest(request: IncomingMessage, response: ServerResponse): Request {
  const gone = new AbortController()
  response.once('close', () => gone.abort())
  const { method = 'GET', headersDistinct, url = '/' } = request
  const headers = new Headers()
  for (const [name, values] of Object.entries(headersDistinct))
    for (const value of values ?? []) headers.append(name, value)
  const hasBody = method !== 'GET' && method !== 'HEAD'
  return new Request(new URL(url, `http://${request.headers.host}`), {
    method,
    headers,
    signal: gone.signal,
    ...(hasBody && { body: Readable.toWeb(request) as ReadableStream<Uint8Array>, duplex: 'half' }),
  })
}

/** Writes a response of the web standard; a stream is written as it comes. */
export async function writeWebResponse(from: Response, to: ServerResponse): Promise<void> {
  to.writeHead(from.status, Object.fromEntries(from.headers))
  if (!from.body) return void to.end()
  to.flushHeaders()
  // A client that goes away in the middle is no failure.
  await pipeline(Readable.fromWeb(from.body as never), to).catch(() => {})
}
