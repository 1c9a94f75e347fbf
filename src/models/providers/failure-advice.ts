import type { ModelFault } from '../model.ts'
import { secureConnectionStep } from '../transport/transport-failure.ts'

export interface AdviceContext {
  /** The variable that holds the key. */
  readonly keyVariable?: string | undefined
  /** The variable that names the proxy of the connection. */
  readonly proxyVariable?: string | undefined
}

/** What the user can do about a failure that retries did not help with. */
export function failureAdvice(
  fault: ModelFault,
  error: unknown,
  { keyVariable, proxyVariable }: AdviceContext,
): string {
  if (fault === 'network') return networkStep(error, proxyVariable)
  if (fault === 'tls')
    return `${secureConnectionStep(codesOf(error)) ?? ''}${proxyStep(proxyVariable)} Test it with: deskmates doctor --call.`
  if (fault === 'key')
    return `Check the key${keyVariable === undefined ? '' : ` in ${keyVariable}`}; test it with: deskmates doctor.`
  return advice[fault]
}

const advice: Record<Exclude<ModelFault, 'network' | 'tls' | 'key'>, string> = {
  'rate limit': 'The rate limit of this key is reached; wait, or name a fallback model (--fallback-model).',
  overloaded: 'The provider is overloaded; wait, or name a fallback model (--fallback-model).',
  server: 'The provider failed; retry later, or name a fallback model (--fallback-model).',
  'time-out': 'Retry, or raise the time-out in the settings (patience).',
  'cut off': 'The answer is incomplete and was discarded; retry.',
  unreadable:
    'The response does not follow the protocol of this provider; check the base URL and the kind of provider.',
  empty: 'Retries gave no answer either; use another model.',
  refused: 'Rephrase the prompt, or use another model.',
  permission:
    'The key is accepted but may not do this: check the permissions of the key and of its project at the provider.',
  billing:
    "Add credit or raise the spending limit in the billing settings of the provider's account; until then use a model of another provider (-m).",
  model:
    'Check the name of the model (-m), and whether this key may use it; a family always works: -m sonnet, -m gpt, -m gemini.',
  'too long': 'The conversation does not fit; compact it or use a model with a larger context window.',
  request: 'The provider refuses this request; check the settings of this model, and the base URL.',
  script: 'Add an answer to the script, or record the run again.',
}

/** Why there is no connection, by the error code of the system or of the transport. */
function networkStep(error: unknown, proxyVariable: string | undefined): string {
  const codes = codesOf(error).join(' ')
  const step = networkSteps.find(([pattern]) => pattern.test(codes))?.[1] ?? 'Check the connection and the base URL.'
  return `${step}${proxyStep(proxyVariable)} Test it with: deskmates doctor.`
}

function proxyStep(variable: string | undefined): string {
  if (variable === undefined) return ''
  return ` The connection uses the proxy in ${variable}: check it, or exclude the host with NO_PROXY.`
}

const networkSteps: readonly (readonly [RegExp, string])[] = [
  [/TLS|SSL|EPROTO/, 'The secure connection failed: check the network connection and the base URL.'],
  [/ENOTFOUND|EAI_/, 'The host name cannot be resolved: check the network connection and the base URL.'],
  [/ECONNREFUSED/, 'No server listens at this address: check the base URL, and that the server runs.'],
  [
    /TIMEOUT|ETIMEDOUT|EHOSTUNREACH|ENETUNREACH|ENETDOWN/,
    'The host cannot be reached: check the network connection and firewalls.',
  ],
]

/** The error codes of an error, its causes and its parts. */
export function codesOf(error: unknown): readonly string[] {
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
