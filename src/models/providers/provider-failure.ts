import { ModelFailure, type ModelFault } from '../model.ts'
import { type Headers, readRetryAfter } from '../rate-limits/rate-limit-headers.ts'
import { secureConnectionStep } from '../transport/secure-connection.ts'
import { TransportFailure } from '../transport/transport-failure.ts'

export interface FailureContext {
  readonly model: string
  readonly emitted: boolean
  /** Seconds since 1970, to read dates in headers. */
  readonly now: number
  /** What no message may show: some providers repeat the key they refuse. */
  readonly secrets?: readonly string[]
  /** The variable that holds the key. */
  readonly keyVariable?: string | undefined
  /** The variable that names the proxy the call goes through. */
  readonly proxyVariable?: string | undefined
}

/** Whatever a provider package throws or sends as an error inside its stream, as the one failure we know. */
export function toModelFailure(error: unknown, circumstances: FailureContext): ModelFailure {
  const { model, emitted, now, secrets = [] } = circumstances
  if (error instanceof ModelFailure) return error
  const report = read(error)
  forgetRequest(error)
  const about = { model, emitted, cause: error, retryAfter: readRetryAfter(report.headers, now) ?? report.delay }
  const words = secrets.reduce((text, secret) => text.replaceAll(secret, '(hidden)'), said(report))
  return new ModelFailure(
    { ...about, fault: report.fault },
    `${model}: ${words} ${nextStep(report.fault, error, circumstances)}`,
  )
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
  const isInsecure = shape.statusCode === undefined && secureConnectionStep(codesOf(error)) !== undefined
  const fault = isInsecure ? 'tls' : (transport?.kind ?? faultOf(shape))
  return { fault, text, status: shape.statusCode, headers, delay: retryDelay(shape.responseBody) }
}

/** Provider packages wrap what our fetch threw, sometimes twice. */
function transportFailure(error: unknown): TransportFailure | undefined {
  for (let at = error, depth = 0; at instanceof Error && depth < 8; at = at.cause, depth++)
    if (at instanceof TransportFailure) return at
  return undefined
}

function faultOf(shape: Shape): ModelFault {
  const status = shape.statusCode ?? (Number(shape.code) >= 400 ? Number(shape.code) : undefined)
  const isRefusal = status === undefined || (status >= 400 && status < 500)
  const said = isRefusal ? byMessage.find(([pattern]) => pattern.test(shape.message ?? ''))?.[1] : undefined
  // An account without credit is refused with every number and code there is.
  if (said === 'billing') return said
  // The words come first: a stream that began with 200 reports its errors with made-up numbers.
  const words = [shape.type, shape.code, codeIn(shape.responseBody)].filter((word) => word !== null).join(' ')
  for (const [pattern, fault] of byWord) if (pattern.test(words)) return fault
  if (said !== undefined && status !== undefined && status !== 429) return said
  if (status !== undefined) return byStatus(status, shape)
  return byName(shape)
}

const byWord: readonly (readonly [RegExp, ModelFault])[] = [
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

/** Where a provider has no code of its own, the words of its message have to do. They count for refusals only. */
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
  // This is how the openai-compatible package reports a stream without an end.
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
function nextStep(fault: ModelFault, error: unknown, { keyVariable, proxyVariable }: FailureContext): string {
  if (fault === 'network') return networkStep(error, proxyVariable)
  if (fault === 'tls')
    return `${secureConnectionStep(codesOf(error)) ?? ''}${proxyStep(proxyVariable)} Try it: deskmates doctor --call.`
  if (fault === 'key')
    return `Check the key${keyVariable === undefined ? '' : ` in ${keyVariable}`}; see: deskmates doctor.`
  return advice[fault]
}

const advice: Record<Exclude<ModelFault, 'network' | 'tls' | 'key'>, string> = {
  'rate limit': 'The limit of this key is used up; wait, or name another model as a fallback (--fallback-model).',
  overloaded: 'The provider has no room right now; wait, or name another model as a fallback (--fallback-model).',
  server: 'The provider failed; try again later, or name another model as a fallback (--fallback-model).',
  'time-out': 'Try again, or give it more time in the settings (patience).',
  'cut off': 'The answer is incomplete and was not kept; try again.',
  unreadable: 'What came back is not what this kind of provider sends; check the base URL and the kind of provider.',
  empty: 'It was asked again and said nothing again; try another model.',
  refused: 'Say it in other words, or name another model.',
  permission:
    'The key is accepted, but may not do this: check the rights of the key and of its project at the provider.',
  billing:
    "Add credit or raise the spending limit in the billing settings of the provider's account; until then name a model of another provider (-m).",
  model:
    'Check the name of the model (-m), and whether this key may use it; a family always works: -m sonnet, -m gpt, -m gemini.',
  'too long': 'The conversation does not fit; compact it or use a model with a larger window.',
  request: 'The provider refuses this request; check the settings of this model, and the base URL.',
  script: 'Add an answer to the script, or record the run again.',
}

/** Why there is no connection, by the code of the system or of the transport. */
function networkStep(error: unknown, proxyVariable: string | undefined): string {
  const codes = codesOf(error).join(' ')
  const step = networkSteps.find(([pattern]) => pattern.test(codes))?.[1] ?? 'Check the connection and the base URL.'
  return `${step}${proxyStep(proxyVariable)} Try it: deskmates doctor.`
}

function proxyStep(variable: string | undefined): string {
  if (variable === undefined) return ''
  return ` The connection goes through the proxy in ${variable}: check it, or except the host with NO_PROXY.`
}

const networkSteps: readonly (readonly [RegExp, string])[] = [
  [/TLS|SSL|EPROTO/, 'The secure connection failed: check the network connection, and the base URL.'],
  [/ENOTFOUND|EAI_/, 'The name of the host cannot be resolved: check the network connection, and the base URL.'],
  [/ECONNREFUSED/, 'No server answers at this address: check the base URL, and that the server runs.'],
  [
    /TIMEOUT|ETIMEDOUT|EHOSTUNREACH|ENETUNREACH|ENETDOWN/,
    'The host cannot be reached: check the network connection and firewalls.',
  ],
]

function codesOf(error: unknown): readonly string[] {
  const codes: string[] = []
  const add = (at: unknown, depth: number): void => {
    if (!(at instanceof Error) || depth > 8) return
    if ('code' in at) codes.push(String(at.code))
    if (at instanceof AggregateError) for (const one of at.errors.slice(0, 8)) add(one, depth + 1)
    add(at.cause, depth + 1)
  }
  add(error, 0)
  return codes
}
