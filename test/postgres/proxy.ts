import { connect, createServer, type Socket } from 'node:net'

/** A link between a client and a server that can be cut. */
export interface Proxy extends AsyncDisposable {
  readonly port: number
  /**
   * Closes the client's side at once. The server's side stays open until `abandon`: the server continues its work, and
   * no client receives the answer.
   */
  cut(): void
  /** Closes the server's side of the links that were cut. */
  abandon(): void
  /** Passes on half of the next answer and then cuts that link; resolves when it has. */
  cutInAnswer(): Promise<void>
  /** Passes on nothing more in either direction. Both sides stay open, so neither gets an error. */
  stall(): void
}

/** Where `to` leads is asked for each new link. */
export async function openProxy(to: { readonly host: string; readonly port: number }): Promise<Proxy> {
  let cutNext: (() => void) | undefined
  const pairs = new Set<{ client: Socket; server: Socket }>()
  const abandoned = new Set<Socket>()
  const server = createServer((client) => {
    const upstream = connect(to.port, to.host)
    const pair = { client, server: upstream }
    pairs.add(pair)
    client.pipe(upstream)
    upstream.pipe(client)
    upstream.prependListener('data', (answer: Buffer) => {
      const done = cutNext
      if (!done || !pairs.has(pair)) return
      cutNext = undefined
      upstream.unpipe()
      pairs.delete(pair)
      // What the server does goes on; the client gets half of what it said.
      client.end(answer.subarray(0, answer.length >> 1), () => client.destroy())
      abandoned.add(upstream)
      done()
    })
    for (const socket of [client, upstream]) socket.on('error', () => {})
    client.on('close', () => {
      if (pairs.has(pair)) upstream.destroy()
    })
    upstream.on('close', () => client.destroy())
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
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
    cutInAnswer: () =>
      new Promise((resolve) => {
        cutNext = resolve
      }),
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
