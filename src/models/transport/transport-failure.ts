import { TeamError } from '../../team/errors.ts'

/**
 * network   no connection, or it broke before the response began
 * time-out  connected, and then nothing for too long
 * cut off   the response began and did not end
 */
export class TransportFailure extends TeamError {
  readonly code = 'transport_failure'
  readonly kind: 'network' | 'time-out' | 'cut off'

  constructor(kind: TransportFailure['kind'], message: string, cause?: unknown) {
    super(message, { cause })
    this.kind = kind
  }
}

// Messages name the origin and never the whole URL, because some users put keys into the query.

export function invalidUrl(): TransportFailure {
  return new TransportFailure(
    'network',
    'Cannot reach the provider: its base URL is not a URL. Set it to one like https://host/v1.',
  )
}

export function unreachable({ origin }: URL, error: unknown): TransportFailure {
  return new TransportFailure('network', `Cannot reach ${origin}: ${messageOf(error)}.`, error)
}

export function noResponse({ origin }: URL, seconds: number): TransportFailure {
  return new TransportFailure('time-out', `${origin} accepted the request and did not respond within ${seconds} s.`)
}

export function stalled({ origin }: URL, seconds: number): TransportFailure {
  return new TransportFailure('time-out', `${origin} sent nothing for ${seconds} s in the middle of its response.`)
}

export function cutOff({ origin }: URL, error: unknown): TransportFailure {
  return new TransportFailure('cut off', `The connection to ${origin} broke in the middle of its response.`, error)
}

export function tooMuchUnread({ origin }: URL, maxBytes: number): TransportFailure {
  const megabytes = maxBytes / 1024 / 1024
  return new TransportFailure('cut off', `${origin} sent more than ${megabytes} MB faster than they could be read.`)
}

export function unknownEncoding({ origin }: URL, encoding: string | undefined): TransportFailure {
  const text = `${origin} sent its response in the encoding '${encoding}', which was not requested.`
  return new TransportFailure('cut off', text)
}

/** When several addresses of a host failed, the first reason is shown. */
function messageOf(error: unknown): string {
  if (error instanceof AggregateError && error.errors.length > 0) return messageOf(error.errors[0])
  return error instanceof Error ? error.message : String(error)
}
