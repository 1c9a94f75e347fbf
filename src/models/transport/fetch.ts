import { createBrotliDecompress, createGunzip, createInflate } from 'node:zlib'
import type { Dispatcher } from 'undici'
import { scheduler } from '../../journal/scheduler.ts'
import type { StartTimer } from '../timers.ts'
import { connectionPool, type Env } from './connections.ts'
import { createResponseBody, type ResponseBody } from './response-body.ts'
import {
  cutOff,
  invalidUrl,
  noResponse,
  stalled,
  tooMuchUnread,
  unknownEncoding,
  unreachable,
} from './transport-failure.ts'

/** How long a provider may be silent, in seconds. */
export interface Timeouts {
  /** From the request to the first byte of the response. */
  readonly firstByte: number
  /** Between two pieces of the response. */
  readonly silence: number
}

// Models may think for minutes before their first token, and some servers send nothing in the meantime.
export const DEFAULT_TIMEOUTS: Timeouts = { firstByte: 300, silence: 300 }

/**
 * Bytes of a response that may wait for their reader, many times what a model writes. The connection is not paused
 * instead: undici ends the process with an assertion when the other side closes a paused connection.
 */
const MAX_UNREAD_BYTES = 64 * 1024 * 1024

/** Statuses whose responses have no body; `Response` refuses to be given one. */
const WITHOUT_BODY = [204, 205, 304]

/** Ends a connection whose response is no longer wanted. */
const CANCELLED = Object.assign(new Error('The response is no longer wanted.'), { name: 'AbortError' })

/**
 * A `fetch` for provider packages, on undici's dispatcher. Unlike the global one it has time-outs for a silent server,
 * bounds what is unread, and passes responses on through the scheduler.
 */
export function createFetch(env: Env, timeouts: Timeouts, startTimer: StartTimer): typeof globalThis.fetch {
  return async (input, init = {}) => {
    if (!URL.canParse(String(input))) throw invalidUrl()
    const url = new URL(String(input))
    const pool = await connectionPool(env)
    init.signal?.throwIfAborted()
    return new Promise((resolve, reject) => send(url, pool, init, resolve, reject))
  }

  function send(
    url: URL,
    pool: Dispatcher,
    { signal, method = 'GET', headers, body: content }: RequestInit,
    resolve: (response: Response) => void,
    reject: (error: unknown) => void,
  ): void {
    let connection: Dispatcher.DispatchController | undefined
    /** The connection brings nothing more. */
    let isOver = false
    let isAborted = false
    let timer = startTimer(timeouts.firstByte, () => abort(noResponse(url, timeouts.firstByte)))
    const body = createResponseBody({
      onWait: () => !isOver && timer.refresh(),
      onCancel: () => abort(CANCELLED),
    })
    const bounded: ByteSink = {
      put(bytes) {
        body.put(bytes)
        if (body.unreadBytes > MAX_UNREAD_BYTES) abort(tooMuchUnread(url, MAX_UNREAD_BYTES))
      },
      end: body.end,
    }
    let sink = bounded
    const onAbort = () => abort(signal?.reason)
    signal?.addEventListener('abort', onAbort)

    /** Runs `work` when the scheduler gives this response its turn. An error in it fails this response only. */
    function schedule(work: () => void): void {
      scheduler.enqueue(body, () => {
        try {
          work()
        } catch (error) {
          abort(cutOff(url, error))
        }
      })
    }

    function finish(): void {
      isOver = true
      timer.stop()
      signal?.removeEventListener('abort', onAbort)
    }

    function abort(why: unknown): void {
      // Received bytes may still wait in the scheduler or in a decoder.
      isAborted = true
      body.fail(why)
      // Without effect after the response began; then the reader of its body gets the error.
      reject(why)
      if (isOver) return
      finish()
      connection?.abort(CANCELLED)
    }

    function begin(status: number, received: Dispatcher.ResponseData['headers']): void {
      if (isAborted) return
      const headers = new Headers()
      for (const name in received) headers.set(name, String(received[name]))
      const encoding = headers.get('content-encoding') ?? undefined
      const decoded = decodeInto(bounded, encoding, (error) => abort(cutOff(url, error)))
      if (decoded === undefined) return abort(unknownEncoding(url, encoding))
      sink = decoded
      timer.stop()
      // Only while a reader waits: a slow reader must not fail the response.
      if (!isOver) timer = startTimer(timeouts.silence, () => body.isAwaited && abort(stalled(url, timeouts.silence)))
      resolve(new Response(WITHOUT_BODY.includes(status) ? null : body.stream, { status, headers }))
    }

    pool.dispatch(
      {
        origin: url.origin,
        path: `${url.pathname}${url.search}`,
        method: method as Dispatcher.HttpMethod,
        // A server that compresses holds events back until a block is full.
        headers: { ...(headers as Record<string, string>), 'accept-encoding': 'identity' },
        body: content as string,
        // Undici's own time-outs are checked every half second only.
        headersTimeout: 0,
        bodyTimeout: 0,
      },
      {
        onRequestStart(controller) {
          connection = controller
          if (isOver) controller.abort(CANCELLED)
        },
        onResponseStart(_, status, headers) {
          if (status >= 200) schedule(() => begin(status, headers))
        },
        onResponseData(_, bytes) {
          schedule(() => sink.put(bytes))
        },
        onResponseEnd() {
          finish()
          schedule(() => sink.end())
        },
        onResponseError(_, error) {
          if (isOver) return
          finish()
          schedule(() => {
            reject(unreachable(url, error))
            body.fail(cutOff(url, error))
          })
        },
      },
    )
  }
}

/** What takes the bytes of a response. */
type ByteSink = Pick<ResponseBody, 'put' | 'end'>

/** Decompresses into `sink`; undefined for an unknown encoding. Some servers compress although we ask them not to. */
function decodeInto(
  sink: ByteSink,
  encoding: string | undefined,
  fail: (error: unknown) => void,
): ByteSink | undefined {
  if (encoding === undefined || encoding === 'identity') return sink
  const decoder = Object.hasOwn(decoders, encoding) ? decoders[encoding]?.() : undefined
  decoder?.on('data', sink.put).on('end', sink.end).on('error', fail)
  return decoder && { put: (bytes) => void decoder.write(bytes), end: () => void decoder.end() }
}

const decoders: Record<string, (() => ReturnType<typeof createGunzip>) | undefined> = {
  gzip: createGunzip,
  deflate: createInflate,
  br: createBrotliDecompress,
}
