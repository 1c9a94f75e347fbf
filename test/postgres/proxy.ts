import { connect, createServer, type Socket } from 'node:net'

/** A link between a client and a server that can be cut. */
export interface Proxy extends AsyncDisposable {
  readonly port: number
  /**
   * The client's side goes dead at once. The server's side stays open for `abandon`: what it is doing goes on, and
   * nobody hears the answer.
   */
  cut(): void
  /** Lets go of the server's side of what was cut. */
  abandon(): void
  /** Nothing goes through any more, in either direction, and nobody is told. */
  stall(): void
}

export async function openProxy(to: { readonly host: string; readonly port: number }): Promise<Proxy> {
  const pairs = new Set<{ client: Socket; server: Socket }>()
  const server = createServer((client) => {
    const upstream = connect(to.port, to.host)
    const pair = { client, server: upstream }
    pairs.add(pair)
    client.pipe(upstream)
    upstream.pipe(client)
    for (const socket of [client, upstream]) socket.on('error', () => {})
    client.on('close', () => {
      if (pairs.has(pair)) upstream.destroy()
    })
    upstream.on('close', () => client.destroy())
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const abandoned = new Set<Socket>()
  const abandon = () => {
    for (const socket of abandoned) socket.destroy()
    abandoned.clear()
  }
  return {
    port: (server.address() as { port: number }).port,
    cut() {
      for (const pair of [...pairs]) {
        pairs.delete(pair)
        pair.client.unpipe()
        pair.server.unpipe()
        abandoned.add(pair.server)
        pair.client.destroy()
      }
    },
    abandon,
    stall() {
      for (const { client, server } of pairs) {
        client.unpipe()
        server.unpipe()
        client.pause()
        server.pause()
      }
    },
    async [Symbol.asyncDispose]() {
      abandon()
      for (const { client, server } of pairs) {
        client.destroy()
        server.destroy()
      }
      await new Promise((resolve) => server.close(resolve))
    },
  }
}
