import { ModelFailure, type ModelFault } from '../model.ts'
import { type Headers, readRetryAfter } from '../rate-limits/rate-limit-headers.ts'
import { secureConnectionStep, TransportFailure } from '../transport/transport-failure.ts'
import { type AdviceContext, codesOf, failureAdvice } from './failure-advice.ts'

export interface FailureContext extends AdviceContext {
  readonly model: string
  readonly emitted: boolean
  /** Seconds since 1970, to read dates in headers. */
  readonly now: number
  /** Values that no message may show: some providers repeat the key they refuse. */
  readonly secrets?: readonly string[]
}

/** Converts what a provider package throws, or sends as an error inside its stream. */
export function toModelFailure(error: unknown, context: FailureContext): ModelFailure {
  const { model, emitted, now, secrets = [] } = context
  if (error instanceof ModelFailure) return error
  const report = read(error)
  dropRequest(error)
  const about = { model, emitted, cause: error, retryAfter: readRetryAfter(report.headers, now) ?? report.delay }
  const text = secrets.reduce((shown, secret) => shown.replaceAll(secret, '(hidden)'), textOf(report))
  return new ModelFailure(
    { ...about, fault: report.fault },
    `${model}: ${text} ${failureAdvice(report.fault, error, context)}`,
  )
}

/** Packages attach the whole conversation to their errors. It would be logged with the error and stay in memory. */
function dropRequest(error: unknown): void {
  if (error instanceof Error && 'requestBodyValues' in error) error.requestBodyValues = undefined
}

interface Report {
  readonly fault: ModelFault
  readonly text: string
  readonly status: number | undefined
  readonly headers: Headers
  /** Seconds until the next try, where the body says so (google). */
  readonly delay: number | undefined
}

/** The properties we read from the errors of any package. */
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
  const isInsecure = shape.statusCode === undefined && secureConnectionStep(codesOf(error)) !== undefined
  const fault = isInsecure ? 'tls' : (transport?.kind ?? faultOf(shape))
  return { fault, text, status: shape.statusCode, headers, delay: retryDelay(shape.responseBody) }
}

/** Provider packages wrap the errors of our fetch, sometimes twice. */
function transportFailure(error: unknown): TransportFailure | undefined {
  for (let at = error, depth = 0; at instanceof Error && depth < 8; at = at.cause, depth++)
    if (at instanceof TransportFailure) return at
  return undefined
}

function faultOf(shape: Shape): ModelFault {
  const status = shape.statusCode ?? (Number(shape.code) >= 400 ? Number(shape.code) : undefined)
  const isRefusal = status === undefined || (status >= 400 && status < 500)
  const named = isRefusal ? byMessage.find(([pattern]) => pattern.test(shape.message ?? ''))?.[1] : undefined
  // Providers use every status and code for an account without credit.
  if (named === 'billing') return named
  // Codes before the status: a stream that began with 200 reports its errors with invented statuses.
  const codes = [shape.type, shape.code, codeIn(shape.responseBody)].filter((code) => code !== null).join(' ')
  for (const [pattern, fault] of byCode) if (pattern.test(codes)) return fault
  if (named !== undefined && status !== undefined && status !== 429) return named
  if (status !== undefined) return byStatus(status, shape)
  return byName(shape)
}

const byCode: readonly (readonly [RegExp, ModelFault])[] = [
  [/JSONParseError|TypeValidationError/, 'unreadable'],
  [/insufficient_quota|billing|BILLING_DISABLED|insufficient_credits|account_inactive/, 'billing'],
  [/invalid_api_key|API_KEY_INVALID|authentication|UNAUTHENTICATED/, 'key'],
  [/model_not_found|not_found_error|model_not_available/, 'model'],
  [/permission|PERMISSION_DENIED|unsupported_country/, 'permission'],
  [/rate_limit|RESOURCE_EXHAUSTED/, 'rate limit'],
  [/overloaded|UNAVAILABLE|server_is_overloaded|slow_down/, 'overloaded'],
  [/context_length_exceeded|request_too_large/, 'too long'],
  [/timeout_error/, 'time-out'],
  [/api_error|server_error|INTERNAL/, 'server'],
]

/** For providers without error codes, by the message. Used for refusals (4xx) only. */
const byMessage: readonly (readonly [RegExp, ModelFault])[] = [
  [
    /credit balance|(insufficient|out of|no|not enough) (credit|balance|fund)|credits? (is|are|has been|have been) (depleted|exhausted|used up)|credit used up|(enable|activate) billing|billing (is |has been )?(disabled|not (active|enabled))|payment required|account is not active|hard limit/i,
    'billing',
  ],
  [/api[ -]key (is )?(not valid|invalid|expired|missing)|(invalid|incorrect|no|missing) (x-)?api[ -]key/i, 'key'],
  [/too long|context (length|window)|maximum.{0,30}tokens|token count.{0,40}exceed/i, 'too long'],
  [/(location|region|country) is not supported/i, 'permission'],
  [
    /\bmodels?\b.{0,200}(does not exist|not found|not supported|unknown|decommissioned|no access)|(unknown|no such|not a valid) model/i,
    'model',
  ],
]

function byStatus(status: number, shape: Shape): ModelFault {
  if (status === 402) return 'billing'
  if (status === 429) return 'rate limit'
  if (status === 529 || status === 503) return 'overloaded'
  if (status === 401) return 'key'
  if (status === 403) return 'permission'
  if (status === 408) return 'time-out'
  if (status === 413) return 'too long'
  if (status >= 500 || status === 409) return 'server'
  if (status < 300) return 'unreadable'
  return status === 404 && /model/i.test(shape.message ?? '') ? 'model' : 'request'
}

function byName({ name = '', type, code, data }: Shape): ModelFault {
  if (/LoadAPIKey/.test(name)) return 'key'
  // The openai-compatible package reports a stream without an end like this.
  if (/InvalidResponseData/.test(name) && data === undefined) return 'cut off'
  if (/UnsupportedFunctionality|InvalidPrompt|InvalidArgument|NoSuchModel/.test(name)) return 'request'
  if (/invalid_request/.test(String(type))) return 'request'
  return type === undefined && code === undefined ? 'unreadable' : 'server'
}

function codeIn(body: string | undefined): string {
  const error = parsed(body)
  const reasons = Array.isArray(error?.details) ? error.details.map((detail) => detail?.reason) : []
  const words = [error?.type, error?.code, error?.status, error?.name, ...reasons]
  return words.filter((word) => typeof word === 'string').join(' ')
}

/** Google says in the body when to retry: `details: [{ '@type': '…RetryInfo', retryDelay: '34s' }]`. */
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

function textOf({ text, status, fault }: Report): string {
  const cut = text.trim().slice(0, 500)
  if (cut !== '') return /[.!?]$/.test(cut) ? cut : `${cut}.`
  return status === undefined ? `The call failed (${fault}).` : `The provider answered with status ${status}.`
}
