import { createBrotliDecompress, createGunzip, createInflate } from 'node:zlib'
import type { ResponseBody } from './response-body.ts'

/** What takes the bytes of a response. */
export type ByteSink = Pick<ResponseBody, 'put' | 'end'>

/** Decompresses into `sink`; undefined for an unknown encoding. Some servers compress although we ask them not to. */
export function decodeInto(
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
