import { EventEmitter } from 'node:events'
import type { Readable } from 'node:stream'
import { createBrotliDecompress, createGunzip, createInflate } from 'node:zlib'
import type { Dispatcher } from 'undici'
import { TeamError } from '../team/errors.ts'

/** How long we wait for a provider, in seconds. */
export interface Patience {
  /** From the request to the first byte of the answer. */
  readonly firstByte: number
  /** Between two pieces of the answer. */
  readonly silence: number
}

// Models may think for minutes before they say a word, and some servers send nothing in the meantime.
export const PATIENCE: Patience = { firstByte: 300, silence: 300 }
const CONNECT_SECONDS = 15

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

/** A `fetch` on `undici.request`, as far as provider packages use one; it takes half the CPU of the global `fetch`. */
export function createFetch(env: Env, patience: Patience, setAlarm: SetAlarm): typeof globalThis.fetch {
  // A model is asked at the same address every time.
  let address: URL | undefined
  return async (input, init = {}) => {
    const url = String(input)
    const { signal } = init
    const { dispatcher, request } = await connections(env)
    signal?.throwIfAborted()
    // Cheaper than a second AbortController, and undici takes either.
    const stop = new EventEmitter()
    let why: unknown
    const end = (reason: unknown) => {
      why = reason
      stop.emit('abort')
    }
    const pass = () => end(signal?.reason)
    signal?.addEventListener('abort', pass)
    const alarm = setAlarm(patience.firstByte, () => end(noAnswer(url)))
    try {
      if (address?.href !== url) address = new URL(url)
      const answer = await request(address, {
        dispatcher,
        method: (init.method ?? 'GET') as Dispatcher.HttpMethod,
        // Compressed events would be held back until a block is full.
        headers: { ...(init.headers as Record<string, string>), 'accept-encoding': 'identity' },
        body: init.body as string,
        signal: stop,
        // Undici's own look at the clock only every half second.
        headersTimeout: 0,
        bodyTimeout: 0,
      })
      answer.body.once('close', () => signal?.removeEventListener('abort', pass))
      return response(url, answer, (ring) => setAlarm(patience.silence, ring))
    } catch (error) {
      signal?.removeEventListener('abort', pass)
      if (why !== undefined) throw why
      throw new TransportFailure('network', `Cannot reach ${origin(url)}: ${reason(error)}.`, error)
    } finally {
      alarm.stop()
    }
  }
}

/** One pool of connections for all models that go the same way. */
function connections(env: Env): Promise<Pool> {
  const httpProxy = env.http_proxy ?? env.HTTP_PROXY ?? ''
  const httpsProxy = env.https_proxy ?? env.HTTPS_PROXY ?? ''
  const noProxy = env.no_proxy ?? env.NO_PROXY ?? ''
  const way = [httpProxy, httpsProxy, noProxy].join(' ')
  const known = pools.get(way)
  if (known) return known
  const connect = { timeout: CONNECT_SECONDS * 1000 }
  const pool = import('undici').then(({ Agent, EnvHttpProxyAgent, request }) => ({
    request,
    dispatcher:
      httpProxy || httpsProxy
        ? new EnvHttpProxyAgent({ httpProxy, httpsProxy, noProxy, connect })
        : new Agent({ connect }),
  }))
  pools.set(way, pool)
  return pool
}

interface Pool {
  readonly request: typeof import('undici').request
  readonly dispatcher: Dispatcher
}
const pools = new Map<string, Promise<Pool>>()

/** What the provider packages read of a response, without building web streams and header lists that cost more than the call. */
function response(
  url: string,
  { statusCode, headers, body }: Dispatcher.ResponseData,
  setAlarm: (ring: () => void) => Alarm,
): Response {
  // Whoever stops reading destroys the body, which then reports just that.
  body.on('error', () => {})
  const plain = plainHeaders(headers)
  const bytes = decoded(body, plain['content-encoding'], url)[Symbol.asyncIterator]()
  let isReading = false
  // Silence counts only while somebody listens.
  const alarm = setAlarm(() => isReading && body.destroy(fellSilent(url)))
  body.once('close', () => alarm.stop())
  const reader = {
    async read() {
      isReading = true
      alarm.refresh()
      try {
        return await bytes.next()
      } catch (error) {
        throw duringTheAnswer(error, url)
      } finally {
        isReading = false
      }
    },
    async cancel() {
      body.destroy()
    },
    releaseLock() {},
  }
  return {
    ok: statusCode >= 200 && statusCode < 300,
    status: statusCode,
    statusText: '',
    url,
    headers: { get: (name: string) => plain[name.toLowerCase()] ?? null, [Symbol.iterator]: () => entries(plain) },
    body: { getReader: () => reader, cancel: reader.cancel },
  } as unknown as Response
}

function plainHeaders(headers: Dispatcher.ResponseData['headers']): Record<string, string> {
  const plain: Record<string, string> = {}
  for (const name in headers) plain[name] = String(headers[name])
  return plain
}

function entries(headers: Record<string, string>): Iterator<[string, string]> {
  return Object.entries(headers)[Symbol.iterator]()
}

function decoded(body: Readable, encoding: string | undefined, url: string): Readable {
  if (encoding === undefined || encoding === 'identity') return body
  const decoder = decoders[encoding]?.()
  if (decoder === undefined)
    throw new TransportFailure(
      'cut off',
      `${origin(url)} answered in the encoding '${encoding}', which nobody asked for.`,
    )
  body.on('error', (error) => decoder.destroy(error))
  return body.pipe(decoder)
}

const decoders: Record<string, (() => ReturnType<typeof createGunzip>) | undefined> = {
  gzip: createGunzip,
  deflate: createInflate,
  br: createBrotliDecompress,
}

function noAnswer(url: string): TransportFailure {
  return new TransportFailure('time-out', `${origin(url)} took the request and did not answer.`)
}

function fellSilent(url: string): TransportFailure {
  return new TransportFailure('time-out', `${origin(url)} fell silent in the middle of its answer.`)
}

function duringTheAnswer(error: unknown, url: string): unknown {
  if (error instanceof TransportFailure || (error instanceof Error && error.name === 'AbortError')) return error
  return new TransportFailure('cut off', `The connection to ${origin(url)} broke in the middle of its answer.`, error)
}

/** Of many addresses tried in vain only the first reason is shown. */
function reason(error: unknown): string {
  if (error instanceof AggregateError && error.errors.length > 0) return reason(error.errors[0])
  return error instanceof Error ? error.message : String(error)
}

/** Never the whole URL: some people put keys into it. */
function origin(url: string): string {
  return URL.canParse(url) ? new URL(url).origin : 'the provider'
}
