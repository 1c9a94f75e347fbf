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

/** Why a secure connection is impossible and what to do, by the error code of Node or OpenSSL. A retry does not help. */
const steps: readonly (readonly [RegExp, string])[] = [
  [
    /^CERT_(HAS_EXPIRED|NOT_YET_VALID)$/,
    'The certificate of the host is not valid at this time: check the clock of this machine; if it is right, the host must renew its certificate.',
  ],
  [
    /^(ERR_TLS_CERT_ALTNAME_\w+|HOSTNAME_MISMATCH|UND_ERR_PRX_TLS)$/,
    'The certificate belongs to another host: check the host name in the base URL.',
  ],
  [
    /^(SELF_SIGNED_CERT_IN_CHAIN|DEPTH_ZERO_SELF_SIGNED_CERT|UNABLE_TO_(GET_ISSUER_CERT(_LOCALLY)?|VERIFY_LEAF_SIGNATURE)|CERT_UNTRUSTED)$/,
    'This machine does not know the authority that issued the certificate of the host. If it belongs to your company or your own server, set NODE_EXTRA_CA_CERTS to the file with its certificate and start again.',
  ],
  [
    /^(CERT_\w+|INVALID_(CA|PURPOSE)|PATH_LENGTH_EXCEEDED|UNABLE_TO_(GET_CRL|DECRYPT_\w+|DECODE_\w+)|ERROR_IN_CERT_\w+|CRL_\w+)$/,
    'The certificate of the host is not accepted: check the base URL; if it is right, the host needs another certificate.',
  ],
  [
    /^(ERR_SSL_\w*CERTIFICATE_REQUIRED|ERR_SSL_\w*ALERT_(NO|BAD|UNSUPPORTED|UNKNOWN)_CERTIFICATE)$/,
    'The host requires a client certificate, which deskmates cannot send: use a proxy that sends it, or another base URL.',
  ],
  [
    /^(ERR_SSL_(WRONG_VERSION_NUMBER|HTTP_REQUEST|PACKET_LENGTH_TOO_LONG|UNSUPPORTED_PROTOCOL|NO_PROTOCOLS_AVAILABLE|\w*HANDSHAKE_FAILURE|\w*PROTOCOL_VERSION|\w*UNRECOGNIZED_NAME|NO_SHARED_CIPHER|\w*INSUFFICIENT_SECURITY|DH_KEY_TOO_SMALL|UNSAFE_LEGACY_RENEGOTIATION_DISABLED))$/,
    'The server at this address offers no secure connection that this machine accepts: check the base URL (https or http, and the port).',
  ],
]

/** What to do when these codes mean that a secure connection is impossible; otherwise undefined. */
export function secureConnectionStep(codes: readonly string[]): string | undefined {
  return steps.find(([pattern]) => codes.some((code) => pattern.test(code)))?.[1]
}
