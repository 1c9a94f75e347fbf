import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

/** What a provider does with one request. */
export type Act =
  /** Answers at once, whatever the status. */
  | { readonly status: number; readonly headers?: Record<string, string>; readonly body: string | Buffer }
  /** Begins a stream of events with 200, sends the pieces one after the other, and then ends, breaks or falls silent. */
  | {
      readonly pieces: readonly (string | Buffer)[]
      readonly headers?: Record<string, string>
      readonly ends?: 'well' | 'broken' | 'silent'
    }
  /** Closes the connection without an answer. */
  | 'hang up'
  /** Never answers. */
  | 'silence'

export interface Asked {
  readonly path: string
  readonly headers: IncomingHttpHeaders
  // biome-ignore lint/suspicious/noExplicitAny: the bodies of four protocols, looked into by tests
  readonly body: any
}

export interface WireServer extends AsyncDisposable {
  readonly url: string
  readonly asked: readonly Asked[]
  /** Called whenever it falls silent for good. */
  onSilence: () => void
  /** One act for each request to come; the last is repeated for ever. */
  play(...acts: readonly Act[]): void
}

/** A provider on this machine that does exactly what it is told. */
export async function wireServer(): Promise<WireServer> {
  let acts: readonly Act[] = []
  const asked: Asked[] = []
  const server = createServer(async (request, response) => {
    const text = await textOf(request)
    const act = acts[Math.min(asked.length, acts.length - 1)]
    asked.push({ path: request.url ?? '', headers: request.headers, body: JSON.parse(text) })
    await perform(act ?? 'hang up', request, response, () => made.onSilence())
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const made: WireServer = {
    onSilence: () => {},
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    asked,
    play(...next) {
      acts = next
      asked.length = 0
    },
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
  return made
}

async function perform(
  act: Act,
  request: IncomingMessage,
  response: ServerResponse,
  silent: () => void,
): Promise<void> {
  if (act === 'silence') return silent()
  if (act === 'hang up') return void request.socket.destroy()
  if ('status' in act) {
    response.writeHead(act.status, { 'content-type': 'application/json', ...act.headers })
    return void response.end(act.body)
  }
  response.writeHead(200, { 'content-type': 'text/event-stream', ...act.headers })
  response.flushHeaders()
  // Each piece is its own packet, as far as a test can have it.
  for (const piece of act.pieces) await new Promise((resolve) => response.write(piece, resolve))
  if (act.ends === 'silent') return silent()
  if (act.ends === 'broken') return void request.socket.destroy()
  response.end()
}

async function textOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk)
  return Buffer.concat(chunks).toString()
}
