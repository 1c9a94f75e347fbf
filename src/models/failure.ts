import { ModelFailure, type ModelFault } from '../ports/model.ts'
import { type Headers, retryAfter } from './limits.ts'
import { TransportFailure } from './transport.ts'

export interface Circumstances {
  readonly model: string
  readonly emitted: boolean
  /** Seconds since 1970, to read dates in headers. */
  readonly now: number
  /** What no message may show: some providers repeat the key they refuse. */
  readonly secrets?: readonly string[]
}

/** Whatever a provider package throws or sends as an error inside its stream, as the one failure we know. */
export function asFailure(error: unknown, { model, emitted, now, secrets = [] }: Circumstances): ModelFailure {
  if (error instanceof ModelFailure) return error
  const report = read(error)
  forgetRequest(error)
  const about = { model, emitted, cause: error, retryAfter: retryAfter(report.headers, now) ?? report.delay }
  const words = secrets.reduce((text, secret) => text.replaceAll(secret, '(hidden)'), said(report))
  return new ModelFailure({ ...about, fault: report.fault }, `${model}: ${words} ${advice[report.fault]}`)
}

/** Packages hang the whole conversation on their errors; nobody who prints one wants it, and it would stay in memory. */
function forgetRequest(error: unknown): void {
  if (error instanceof Error && 'requestBodyValues' in error) error.requestBodyValues = undefined
}

interface Report {
  readonly fault: ModelFault
  readonly text: string
  readonly status: number | undefined
  readonly headers: Headers
  /** Seconds, where the body says it (google). */
  readonly delay: number | undefined
}

/** The parts of errors we look at, whichever package made them. */
interface Shape {
  readonly name?: string
  readonly message?: string
  readonly statusCode?: number
  readonly responseHeaders?: Headers
  readonly responseBody?: string
  readonly type?: string
  readonly code?: string | number | null
  readonly data?: unknown
  readonly cause?: unknown
}

function read(error: unknown): Report {
  const shape: Shape = typeof error === 'object' && error !== null ? error : { message: String(error) }
  const transport = transportFailure(error)
  const headers = shape.responseHeaders ?? {}
  const text = transport?.message ?? shape.message ?? ''
  const fault = transport?.kind ?? faultOf(shape)
  return { fault, text, status: shape.statusCode, headers, delay: retryDelay(shape.responseBody) }
}

/** Provider packages wrap what our fetch threw, sometimes twice. */
function transportFailure(error: unknown): TransportFailure | undefined {
  for (let at = error, depth = 0; at instanceof Error && depth < 8; at = at.cause, depth++)
    if (at instanceof TransportFailure) return at
  return undefined
}

function faultOf(shape: Shape): ModelFault {
  // The words come first: a stream that began with 200 reports its errors with made-up numbers.
  const words = [shape.type, shape.code, codeIn(shape.responseBody)].filter((word) => word !== null).join(' ')
  for (const [pattern, fault] of byWord) if (pattern.test(words)) return fault
  const status = shape.statusCode ?? (Number(shape.code) >= 400 ? Number(shape.code) : undefined)
  if (status !== undefined) return byStatus(status, shape)
  return byName(shape)
}

const byWord: readonly (readonly [RegExp, ModelFault])[] = [
  [/JSONParseError|TypeValidationError/, 'unreadable'],
  [/insufficient_quota|billing|authentication|permission|invalid_api_key/, 'key'],
  [/rate_limit|RESOURCE_EXHAUSTED/, 'rate limit'],
  [/overloaded|UNAVAILABLE|server_is_overloaded|slow_down/, 'overloaded'],
  [/context_length_exceeded|request_too_large/, 'too long'],
  [/timeout_error/, 'time-out'],
  [/api_error|server_error|INTERNAL/, 'server'],
]

function byStatus(status: number, shape: Shape): ModelFault {
  if (status === 429) return 'rate limit'
  if (status === 529 || status === 503) return 'overloaded'
  if (status === 401 || status === 402 || status === 403) return 'key'
  if (status === 408) return 'time-out'
  if (status === 413) return 'too long'
  if (status >= 500 || status === 409) return 'server'
  if (status < 300) return 'unreadable'
  // Nobody but openai has a code for it, so here the words of the message have to do.
  return /too long|context (length|window)|maximum.{0,30}tokens|token count.{0,40}exceed/i.test(shape.message ?? '')
    ? 'too long'
    : 'request'
}

function byName({ name = '', type, code, data }: Shape): ModelFault {
  if (/LoadAPIKey/.test(name)) return 'key'
  // This is how the openai-compatible package reports a stream without an end.
  if (/InvalidResponseData/.test(name) && data === undefined) return 'cut off'
  if (/UnsupportedFunctionality|InvalidPrompt|InvalidArgument|NoSuchModel/.test(name)) return 'request'
  if (/invalid_request/.test(String(type))) return 'request'
  return type === undefined && code === undefined ? 'unreadable' : 'server'
}

function codeIn(body: string | undefined): string {
  const error = parsed(body)
  return [error?.type, error?.code, error?.status, error?.name].filter((word) => typeof word === 'string').join(' ')
}

/** Google says in the body when to come back: `details: [{ '@type': '…RetryInfo', retryDelay: '34s' }]`. */
function retryDelay(body: string | undefined): number | undefined {
  const details = parsed(body)?.details
  if (!Array.isArray(details)) return undefined
  const delay = details.map((detail) => /^([\d.]+)s$/.exec(String(detail?.retryDelay))?.[1]).find(Boolean)
  return delay === undefined ? undefined : Number(delay)
}

function parsed(body: string | undefined): Record<string, unknown> | undefined {
  if (body === undefined || body.length > 100_000) return undefined
  try {
    const value = JSON.parse(body)
    const error = Array.isArray(value) ? value[0]?.error : (value?.error ?? value)
    return typeof error === 'object' && error !== null ? error : undefined
  } catch {
    return undefined
  }
}

function said({ text, status, fault }: Report): string {
  const cut = text.trim().slice(0, 500)
  if (cut !== '') return /[.!?]$/.test(cut) ? cut : `${cut}.`
  return status === undefined ? `the call failed (${fault}).` : `the provider answered with status ${status}.`
}

/** What to do now, when trying again did not help. */
const advice: Record<ModelFault, string> = {
  'rate limit': 'The limit of this key is used up; wait, or name another model as a fallback.',
  overloaded: 'The provider has no room right now; wait, or name another model as a fallback.',
  server: 'The provider failed; try again later, or name another model as a fallback.',
  network: 'Check the connection and the base URL.',
  'time-out': 'Try again, or give it more time in the settings (patience).',
  'cut off': 'The answer is incomplete and was not kept; try again.',
  unreadable: 'What came back is not what this kind of provider sends; check the base URL and the kind of provider.',
  empty: 'It was asked again and said nothing again; try another model.',
  refused: 'Say it in other words, or name another model.',
  key: 'Check the key, its account, and whether it may use this model.',
  'too long': 'The conversation does not fit; compact it or use a model with a larger window.',
  request: 'The provider refuses this request; check the name of the model and its settings.',
  script: 'Add an answer to the script, or record the run again.',
}
