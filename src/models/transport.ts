import { createBrotliDecompress, createGunzip, createInflate } from 'node:zlib'
import type { Dispatcher } from 'undici'
import { scheduler } from '../journal/scheduler.ts'
import { TeamError } from '../team/errors.ts'
import { createIncoming, type Incoming } from './incoming.ts'

/** How long we wait for a provider, in seconds. */
export interface Patience {
  /** From the request to the first byte of the answer. */
  readonly firstByte: number
  /** Between two pieces of the answer. */
  readonly silence: number
}

// Models may think for minutes before they say a word, and some servers send nothing in the meantime.
export const PATIENCE: Patience = { firstByte: 300, silence: 300 }
// Short, so that a run without a network says so soon; a connection that is only slow is tried again.
const CONNECT_SECONDS = 5

export type Env = Readonly<Record<string, string | undefined>>

/**
 * network   no connection, or it broke before anything came back
 * time-out  connected, and then nothing for too long
 * cut off   the answer began and its connection broke
 */
export class TransportFailure extends TeamError {
  readonly code = 'transport_failure'
  readonly kind: 'network' | 'time-out' | 'cut off'

  constructor(kind: TransportFailure['kind'], message: string, cause?: unknown) {
    super(message, { cause })
    this.kind = kind
  }
}

/** Rings once after so many seconds without a `refresh`. */
export interface Alarm {
  refresh(): void
  stop(): void
}
export type SetAlarm = (seconds: number, ring: () => void) => Alarm

export const systemAlarm: SetAlarm = (seconds, ring) => {
  const timer = setTimeout(ring, seconds * 1000)
  return { refresh: () => void timer.refresh(), stop: () => clearTimeout(timer) }
}

/**
 * Bytes of an answer that may wait for their reader, many times what a model says. The connection is not made to wait
 * instead: undici ends the process with an assertion when one that waits is closed from the other side.
 */
const MOST_UNREAD = 64 * 1024 * 1024

/**
 * A `fetch` on undici's dispatcher, as far as provider packages use one. It makes no streams of its own: they would take
 * more CPU than the call, and the global `fetch` takes twice as much again.
 */
export function createFetch(env: Env, patience: Patience, setAlarm: SetAlarm): typeof globalThis.fetch {
  // A model is asked at the same address every time.
  let last: Address | undefined
  let pool: Promise<Dispatcher> | undefined
  return async (input, init = {}) => {
    const url = String(input)
    if (last?.url !== url) last = addressOf(url)
    const address = last
    pool ??= connections(env)
    const dispatcher = await pool
    init.signal?.throwIfAborted()
    return new Promise((resolve, reject) => call(address, dispatcher, init, resolve, reject))
  }

  function call(
    { url, origin, path }: Address,
    dispatcher: Dispatcher,
    { signal, method = 'GET', headers, body }: RequestInit,
    resolve: (response: Response) => void,
    reject: (error: unknown) => void,
  ): void {
    const incoming = createIncoming()
    const taken: Sink = {
      put(bytes) {
        incoming.put(bytes)
        if (incoming.size > MOST_UNREAD) stop(tooMuch(url))
      },
      end: incoming.end,
    }
    let sink = taken
    let connection: Dispatcher.DispatchController | undefined
    let isOver = false
    let isStopped = false
    let alarm = setAlarm(patience.firstByte, () => stop(noAnswer(url)))
    const pass = () => stop(signal?.reason)
    signal?.addEventListener('abort', pass)

    /** What came in is worked on when it is its turn, and nothing that goes wrong there is anybody else's business. */
    function inTurn(work: () => void): void {
      scheduler.enqueue(incoming, () => {
        try {
          work()
        } catch (error) {
          stop(cutOff(url, error))
        }
      })
    }

    /** Called once: nothing more is heard of it. */
    function leave(): void {
      isOver = true
      alarm.stop()
      signal?.removeEventListener('abort', pass)
    }

    function stop(why: unknown): void {
      // What has come in may still wait for its turn, or be on its way through a decoder.
      isStopped = true
      incoming.fail(why)
      // A promise that was kept is not broken by this: then it is the reader who hears of it.
      reject(why)
      if (isOver) return
      leave()
      connection?.abort(OVER)
    }

    function begin(status: number, plain: Record<string, string>): void {
      if (isStopped) return
      const into = decoded(plain['content-encoding'], taken, (error) => stop(cutOff(url, error)))
      if (into === undefined) return stop(unknownEncoding(url, plain['content-encoding']))
      alarm.stop()
      // Silence counts only while somebody listens.
      if (!isOver) alarm = setAlarm(patience.silence, () => incoming.isAwaited && stop(fellSilent(url)))
      sink = into
      const read = () => {
        if (!isOver) alarm.refresh()
        return incoming.read()
      }
      resolve(responseOf({ url, status, plain, read, cancel: () => stop(OVER) }))
    }

    dispatcher.dispatch(
      {
        origin,
        path,
        method: method as Dispatcher.HttpMethod,
        // Compressed events would be held back until a block is full.
        headers: { ...(headers as Record<string, string>), 'accept-encoding': 'identity' },
        body: body as string,
        // Undici's own look at the clock only every half second.
        headersTimeout: 0,
        bodyTimeout: 0,
      },
      {
        onRequestStart(controller) {
          connection = controller
          if (isOver) controller.abort(OVER)
        },
        onResponseStart(_, status, headers) {
          if (status >= 200) inTurn(() => begin(status, plainHeaders(headers)))
        },
        onResponseData(_, bytes) {
          inTurn(() => sink.put(bytes))
        },
        onResponseEnd() {
          leave()
          inTurn(() => sink.end())
        },
        onResponseError(_, error) {
          if (isOver) return
          leave()
          inTurn(() => {
            // A header that cannot be sent, say: that is no fault of the network, and no better the next time.
            const isRefused = (error as { code?: string }).code === 'UND_ERR_INVALID_ARG'
            reject(
              isRefused ? error : new TransportFailure('network', `Cannot reach ${origin}: ${reason(error)}.`, error),
            )
            incoming.fail(cutOff(url, error))
          })
        },
      },
    )
  }
}

/** Ends a connection that nobody needs any more. */
const OVER = Object.assign(new Error('Nobody listens any more.'), { name: 'AbortError' })

interface Address {
  readonly url: string
  readonly origin: string
  readonly path: string
}

function addressOf(url: string): Address {
  if (!URL.canParse(url))
    throw new TransportFailure(
      'network',
      'Cannot reach the provider: its base URL is no URL. Set it to one like https://host/v1.',
    )
  const { origin, pathname, search } = new URL(url)
  return { url, origin, path: `${pathname}${search}` }
}

/** One pool of connections for all models that go the same way. */
function connections(env: Env): Promise<Dispatcher> {
  const httpProxy = env.http_proxy ?? env.HTTP_PROXY ?? ''
  const httpsProxy = env.https_proxy ?? env.HTTPS_PROXY ?? ''
  const noProxy = env.no_proxy ?? env.NO_PROXY ?? ''
  const way = [httpProxy, httpsProxy, noProxy].join(' ')
  const known = pools.get(way)
  if (known) return known
  const connect = { timeout: CONNECT_SECONDS * 1000 }
  const pool = import('undici').then(({ Agent, EnvHttpProxyAgent }) =>
    httpProxy || httpsProxy
      ? new EnvHttpProxyAgent({ httpProxy, httpsProxy, noProxy, connect })
      : new Agent({ connect }),
  )
  pools.set(way, pool)
  return pool
}

const pools = new Map<string, Promise<Dispatcher>>()

/** What the provider packages read of a response, without building web streams and header lists that cost more than the call. */
function responseOf({ url, status, plain, read, cancel }: Begun): Response {
  const reader = { read, cancel: async () => cancel(), releaseLock() {} }
  return {
    ok: status >= 200 && status < 300,
    status,
    statusText: '',
    url,
    headers: { get: (name: string) => plain[name.toLowerCase()] ?? null, [Symbol.iterator]: () => entries(plain) },
    body: { getReader: () => reader, cancel: reader.cancel },
  } as unknown as Response
}

interface Begun {
  readonly url: string
  readonly status: number
  readonly plain: Record<string, string>
  read(): Promise<unknown>
  cancel(): void
}

function plainHeaders(headers: Dispatcher.ResponseData['headers']): Record<string, string> {
  const plain: Record<string, string> = {}
  for (const name in headers) plain[name] = String(headers[name])
  return plain
}

function entries(headers: Record<string, string>): Iterator<[string, string]> {
  return Object.entries(headers)[Symbol.iterator]()
}

/** Where the bytes go; undefined for an encoding that nobody asked for. */
type Sink = Pick<Incoming, 'put' | 'end'>

function decoded(encoding: string | undefined, into: Sink, fail: (error: unknown) => void): Sink | undefined {
  if (encoding === undefined || encoding === 'identity') return into
  const decoder = Object.hasOwn(decoders, encoding) ? decoders[encoding]?.() : undefined
  decoder?.on('data', into.put).on('end', into.end).on('error', fail)
  return decoder && { put: (bytes) => void decoder.write(bytes), end: () => void decoder.end() }
}

const decoders: Record<string, (() => ReturnType<typeof createGunzip>) | undefined> = {
  gzip: createGunzip,
  deflate: createInflate,
  br: createBrotliDecompress,
}

function noAnswer(url: string): TransportFailure {
  return new TransportFailure('time-out', `${originOf(url)} took the request and did not answer.`)
}

function fellSilent(url: string): TransportFailure {
  return new TransportFailure('time-out', `${originOf(url)} fell silent in the middle of its answer.`)
}

function cutOff(url: string, error: unknown): TransportFailure {
  return new TransportFailure('cut off', `The connection to ${originOf(url)} broke in the middle of its answer.`, error)
}

function tooMuch(url: string): TransportFailure {
  const megabytes = MOST_UNREAD / 1024 / 1024
  return new TransportFailure('cut off', `${originOf(url)} sent ${megabytes} MB faster than they could be read.`)
}

function unknownEncoding(url: string, encoding: string | undefined): TransportFailure {
  const text = `${originOf(url)} answered in the encoding '${encoding}', which nobody asked for.`
  return new TransportFailure('cut off', text)
}

/** Of many addresses tried in vain only the first reason is shown. */
function reason(error: unknown): string {
  if (error instanceof AggregateError && error.errors.length > 0) return reason(error.errors[0])
  return error instanceof Error ? error.message : String(error)
}

/** Never the whole URL: some people put keys into it. */
function originOf(url: string): string {
  return URL.canParse(url) ? new URL(url).origin : 'the provider'
}
