import { type AddressInfo, createServer, type Server, type Socket } from 'node:net'
import { gzipSync } from 'node:zlib'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { createFetch } from '../../../src/models/transport/fetch.ts'

const MEGABYTE = 1024 * 1024
const OK = 'HTTP/1.1 200 OK\r\n'

let server: Server
const sockets = new Set<Socket>()
beforeEach(async () => {
  server = createServer()
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
})
afterEach(async () => {
  for (const socket of sockets) socket.destroy()
  await new Promise((resolve) => server.close(resolve))
})

/** Asks a server that does so with the connection; an alarm never rings. */
async function ask(answer: (socket: Socket) => void) {
  const alarms = new Set<object>()
  const setAlarm = () => {
    const alarm = { refresh() {}, stop: () => void alarms.delete(alarm) }
    alarms.add(alarm)
    return alarm
  }
  const fetch = createFetch({}, { firstByte: 1, silence: 1 }, setAlarm)
  const closed = new Promise<void>((resolve) => {
    server.once('connection', (socket) => {
      sockets.add(socket)
      socket.on('error', () => {})
      socket.on('close', () => {
        sockets.delete(socket)
        resolve()
      })
      socket.once('data', () => answer(socket))
    })
  })
  const stop = new AbortController()
  const response = await fetch(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`, {
    method: 'POST',
    body: '{}',
    headers: {},
    signal: stop.signal,
  })
  return { reader: response.body!.getReader(), closed, stop, alarms }
}

async function lengthOf(reader: Awaited<ReturnType<typeof ask>>['reader']): Promise<number> {
  let length = 0
  for (let step = await reader.read(); !step.done; step = await reader.read()) length += step.value.length
  return length
}

describe('a response that is read late', () => {
  it.each([
    ['with a length', `content-length: ${MEGABYTE}\r\n`],
    ['without a length', ''],
  ])('is complete although its connection was closed, %s', async (_, head) => {
    const { reader, closed } = await ask((socket) => {
      socket.write(`${OK}${head}connection: close\r\n\r\n`)
      socket.end(Buffer.alloc(MEGABYTE))
    })
    await closed
    expect(await lengthOf(reader)).toBe(MEGABYTE)
  })

  it.each([
    ['as it is', '', Buffer.alloc(65 * MEGABYTE)],
    ['compressed', 'content-encoding: gzip\r\n', gzipSync(Buffer.alloc(65 * MEGABYTE))],
  ])('is aborted before it fills the memory, %s', async (_, head, bytes) => {
    const { reader, closed, alarms } = await ask((socket) => {
      socket.write(`${OK}${head}\r\n`)
      socket.write(bytes)
    })
    await closed
    await expect(reader.read()).rejects.toMatchObject({ kind: 'cut off' })
    expect(alarms.size).toBe(0)
  })
})

it('a response that does not match its encoding fails and closes the connection', async () => {
  const { reader, closed, alarms } = await ask((socket) => {
    socket.write(`${OK}content-encoding: gzip\r\n\r\nno gzip at all`)
  })
  await expect(reader.read()).rejects.toMatchObject({ kind: 'cut off' })
  await closed
  expect(alarms.size).toBe(0)
})

it('a compressed response that ends too early is cut off', async () => {
  const whole = gzipSync('whole')
  const { reader } = await ask((socket) => {
    socket.write(`${OK}content-encoding: gzip\r\ncontent-length: ${whole.length - 4}\r\n\r\n`)
    socket.end(whole.subarray(0, -4))
  })
  await expect(lengthOf(reader)).rejects.toMatchObject({ kind: 'cut off' })
})

it('an informational response (103) is not the answer', async () => {
  const { reader, closed } = await ask((socket) => {
    socket.end(`HTTP/1.1 103 Early Hints\r\nlink: </x>\r\n\r\n${OK}content-length: 5\r\n\r\nhello`)
  })
  expect(await lengthOf(reader)).toBe(5)
  await closed
})

it('an abort between the headers and the body throws its reason and closes the connection', async () => {
  const { reader, closed, stop, alarms } = await ask((socket) => void socket.write(`${OK}content-length: 5\r\n\r\n`))
  const why = new Error('enough')
  stop.abort(why)
  await expect(reader.read()).rejects.toBe(why)
  await closed
  expect(alarms.size).toBe(0)
})
