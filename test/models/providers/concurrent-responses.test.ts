import { type AddressInfo, createServer, type Socket } from 'node:net'
import { gzipSync } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import { createFetch } from '../../../src/models/transport/fetch.ts'

const MANY = 20

/** So many ask at once; when all have, `answer` is called for each of them. What they got, and the alarms left over. */
async function together(
  answer: (socket: Socket, i: number) => void,
  abort: (stop: AbortController) => void = () => {},
) {
  const sockets: Socket[] = []
  const stops = Array.from({ length: MANY }, () => new AbortController())
  const server = createServer((socket) => {
    socket.on('error', () => {})
    socket.once('data', () => {
      sockets.push(socket)
      if (sockets.length < MANY) return
      for (const [i, one] of sockets.entries()) answer(one, i)
      for (const stop of stops) abort(stop)
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const alarms = new Set<object>()
  const fetch = createFetch({}, { firstByte: 1, silence: 1 }, () => {
    const alarm = { refresh() {}, stop: () => void alarms.delete(alarm) }
    alarms.add(alarm)
    return alarm
  })
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`
  const ends = await Promise.all(stops.map(({ signal }) => read(fetch(url, { method: 'POST', body: '{}', signal }))))
  for (const socket of sockets) socket.destroy()
  server.close()
  return { ends: [...new Set(ends)], alarms: alarms.size }
}

async function read(asked: Promise<Response>): Promise<string> {
  try {
    const reader = (await asked).body!.getReader()
    let text = ''
    for (let step = await reader.read(); !step.done; step = await reader.read()) text += Buffer.from(step.value)
    return text
  } catch (error) {
    return String((error as Error).message)
  }
}

const head = (length: number, encoding = '') =>
  `HTTP/1.1 200 OK\r\n${encoding && `content-encoding: ${encoding}\r\n`}content-length: ${length}\r\n\r\n`

describe('concurrent responses', () => {
  it('are each read completely and in order, piece by piece', async () => {
    const pieces = Array.from({ length: 20 }, (_, i) => String(i).padStart(3, '0'))
    const found = await together((socket) => {
      socket.write('HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n')
      const left = [...pieces]
      const next = () => {
        const piece = left.shift()
        socket.write(piece === undefined ? '0\r\n\r\n' : `3\r\n${piece}\r\n`)
        if (piece !== undefined) setImmediate(next)
      }
      next()
    })
    expect(found).toEqual({ ends: [pieces.join('')], alarms: 0 })
  })

  it('are decompressed, also when they arrive in one piece', async () => {
    const bytes = gzipSync('hello')
    const found = await together((socket) => {
      socket.write(Buffer.concat([Buffer.from(head(bytes.length, 'gzip')), bytes]))
    })
    expect(found).toEqual({ ends: ['hello'], alarms: 0 })
  })

  it('are refused in an encoding that was not requested, whatever its name', async () => {
    for (const encoding of ['zstd', 'constructor']) {
      const { ends, alarms } = await together((socket) => void socket.write(`${head(2, encoding)}hi`))
      expect(ends).toEqual([expect.stringContaining(`in the encoding '${encoding}', which was not requested`)])
      expect(alarms).toBe(0)
    }
  })

  it('fail independently when they are damaged or cut off', async () => {
    const broken = await together((socket) => void socket.write(`${head(3, 'gzip')}abc`))
    const cut = await together((socket) => {
      socket.write(`${head(30)}abc`)
      socket.destroySoon()
    })
    for (const { ends, alarms } of [broken, cut]) {
      expect(ends).toEqual([expect.stringContaining('broke in the middle of its response')])
      expect(alarms).toBe(0)
    }
  })

  it('end as soon as they are aborted', async () => {
    const found = await together(
      (socket) => void socket.write(`${head(30)}abc`),
      (stop) => setImmediate(() => setImmediate(() => stop.abort(new Error('no more')))),
    )
    expect(found).toEqual({ ends: ['no more'], alarms: 0 })
  })
})
