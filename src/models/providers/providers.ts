import { createHash } from 'node:crypto'
import type { z } from 'zod'
import { ModelFailure } from '../model.ts'
import { defaultModel } from '../model-names.ts'
import type { ModelSettings, ProviderKind } from '../settings.ts'
import type { Env } from '../transport/connections.ts'
import { ollamaUrl, withVersion } from './base-url.ts'

/** What we know about a provider without settings. */
interface KnownProvider {
  readonly kind: ProviderKind
  readonly baseUrl: string | undefined
  readonly baseUrlFrom?: string
  readonly version: string
  /** Variables that may hold the key; empty where none is needed. */
  readonly keyFrom: readonly string[]
  readonly isKeyNeeded: boolean
  /** Its name in the price list. */
  readonly prices?: string
  /** The variables of `keyFrom` that hold a token, which is sent as `Authorization: Bearer`. */
  readonly tokens?: readonly string[]
}

const openai = {
  baseUrl: 'https://api.openai.com/v1',
  baseUrlFrom: 'OPENAI_BASE_URL',
  version: '/v1',
  keyFrom: ['OPENAI_API_KEY'],
  isKeyNeeded: true,
  prices: 'openai',
}

const known: Record<string, KnownProvider> = {
  anthropic: {
    kind: 'anthropic',
    baseUrl: 'https://api.anthropic.com/v1',
    baseUrlFrom: 'ANTHROPIC_BASE_URL',
    version: '/v1',
    // As in Claude Code: a token is set on purpose, for a gateway, and has precedence over the key.
    keyFrom: ['ANTHROPIC_AUTH_TOKEN', 'ANTHROPIC_API_KEY'],
    tokens: ['ANTHROPIC_AUTH_TOKEN'],
    isKeyNeeded: true,
    prices: 'anthropic',
  },
  openai: { ...openai, kind: 'openai' },
  'openai-chat': { ...openai, kind: 'openai-chat' },
  google: {
    kind: 'google',
    baseUrl: 'https://generativelanguage.googleapis.com/v1beta',
    baseUrlFrom: 'GOOGLE_GEMINI_BASE_URL',
    version: '/v1beta',
    keyFrom: ['GEMINI_API_KEY', 'GOOGLE_GENERATIVE_AI_API_KEY', 'GOOGLE_API_KEY'],
    isKeyNeeded: true,
    prices: 'google',
  },
  openrouter: {
    kind: 'compatible',
    baseUrl: 'https://openrouter.ai/api/v1',
    version: '/v1',
    keyFrom: ['OPENROUTER_API_KEY'],
    isKeyNeeded: true,
    prices: 'openrouter',
  },
  ollama: {
    kind: 'compatible',
    baseUrl: 'http://127.0.0.1:11434',
    baseUrlFrom: 'OLLAMA_HOST',
    version: '/v1',
    keyFrom: [],
    isKeyNeeded: false,
  },
}

/** A server of the user. */
const compatible: KnownProvider = {
  kind: 'compatible',
  baseUrl: undefined,
  baseUrlFrom: 'OPENAI_BASE_URL',
  version: '/v1',
  keyFrom: ['OPENAI_API_KEY'],
  isKeyNeeded: false,
}

/** Own properties only: a provider named `constructor` is unknown. */
function factsOf(name: string): KnownProvider | undefined {
  return Object.hasOwn(known, name) ? known[name] : undefined
}

const WITHOUT_A_KEY =
  'Or run without a key: deskmates demo, or a scripted model, -m scripted:FILE (docs/scripted-model.md).'

export interface Provider {
  /** As the user names the provider. */
  readonly name: string
  readonly kind: ProviderKind
  readonly baseUrl: string
  /** The base URL is the vendor's own, not that of a proxy or another server. */
  readonly isVendor: boolean
  readonly key: string | undefined
  /** The key is a token, sent as `Authorization: Bearer`. */
  readonly isToken: boolean
  /** The variable that holds the key; undefined where there is none, or the settings contain the key. */
  readonly keyVariable: string | undefined
  readonly headers: Record<string, string>
  readonly prices: string | undefined
  /** The provider and a hash of the key. */
  readonly account: string
}

/** How to call `provider/model`, from settings and environment variables; settings have precedence. */
export function findProvider(name: string, model: string, env: Env, settings: ModelSettings): Provider {
  const setting = settings.providers[name] ?? {}
  const isNamed = name === 'compatible' || setting.baseUrl !== undefined || setting.kind !== undefined
  const facts = factsOf(name) ?? (isNamed ? compatible : undefined)
  if (facts === undefined) throw unknownProvider(name, model)
  const kind = setting.kind ?? facts.kind
  const baseUrl = baseUrlOf(name, model, facts, setting.baseUrl, env)
  // OpenAI's key is sent to OpenAI and to the server in OPENAI_BASE_URL, not to every server of the settings.
  const defaults = facts === compatible && setting.baseUrl !== undefined ? [] : facts.keyFrom
  const keyNames = setting.keyFrom === undefined ? defaults : [setting.keyFrom]
  const keyVariable = setting.key === undefined ? keyNames.find((variable) => env[variable]?.trim()) : undefined
  const key = setting.key ?? env[keyVariable ?? '']?.trim()
  if (!key && (facts.isKeyNeeded || setting.keyFrom)) throw noKey(name, model, keyNames)
  const headers = setting.headers ?? {}
  if (key && !isHeader('authorization', key))
    throw unsendable(
      name,
      model,
      `The key for ${name}`,
      'an authorization header',
      keyVariable ?? `providers.${name}.key`,
    )
  for (const [header, value] of Object.entries(headers))
    if (!isHeader(header, value))
      throw unsendable(name, model, `The header '${header}'`, 'a request', `providers.${name}.headers`)
  const isVendor = baseUrl === facts.baseUrl
  return {
    name,
    kind,
    baseUrl,
    isVendor,
    key,
    isToken: facts.tokens?.includes(keyVariable ?? '') ?? false,
    keyVariable,
    headers,
    prices: facts.prices,
    account: `${name} ${createHash('sha256').update(`${baseUrl} ${key}`).digest('hex').slice(0, 8)}`,
  }
}

/** The model to use when the user names none, by the keys that are set. */
export function usualModel(env: Env, settings: ProviderSettings = {}): string {
  for (const name of Object.keys(known)) {
    const model = defaultModel(name)
    if (model !== undefined && hasKey(name, env, settings)) return `${name}/${model}`
  }
  throw failure(
    '',
    'key',
    `No model is named and no key is set. Name a model with -m provider/model and set its key: ${[...new Set(Object.keys(known).flatMap(mainVariable))].join(', ')}. A local model needs no key: -m ollama/NAME. ${WITHOUT_A_KEY}`,
  )
}

type ProviderSettings = Partial<Pick<z.input<typeof ModelSettings>, 'providers'>>

/** Whether the settings or a variable contain a key for this provider. */
export function hasKey(name: string, env: Env, { providers = {} }: ProviderSettings = {}): boolean {
  const { key, keyFrom } = providers[name] ?? {}
  const variables = keyFrom === undefined ? keyVariables(name) : [keyFrom]
  return Boolean(key) || variables.some((variable) => env[variable]?.trim())
}

/** Variables that may hold the key of a provider; the first that is set counts. */
export function keyVariables(name: string): readonly string[] {
  return factsOf(name)?.keyFrom ?? []
}

export const knownProviders: readonly string[] = Object.keys(known)

/** The variable most people set. */
function mainVariable(name: string): string[] {
  const { keyFrom, tokens = [] } = known[name]!
  return keyFrom.filter((variable) => !tokens.includes(variable)).slice(0, 1)
}

function baseUrlOf(
  name: string,
  model: string,
  { baseUrl, baseUrlFrom, version }: KnownProvider,
  set: string | undefined,
  env: Env,
): string {
  const fromEnv = baseUrlFrom === undefined ? undefined : env[baseUrlFrom] || undefined
  const given = set ?? fromEnv ?? baseUrl
  if (given === undefined)
    throw failure(
      `${name}/${model}`,
      'request',
      `${name}/${model} has no base URL. Set providers.${name}.baseUrl in the settings, or OPENAI_BASE_URL.`,
    )
  const where = set === undefined ? baseUrlFrom : `providers.${name}.baseUrl`
  try {
    return withVersion(name === 'ollama' ? ollamaUrl(given) : given, version)
  } catch (cause) {
    const text = `${where} is not a URL: '${given}'. Set it to https://host or https://host${version}.`
    throw failure(`${name}/${model}`, 'request', text, cause)
  }
}

function noKey(name: string, model: string, variables: readonly string[]): ModelFailure {
  const text = `No key for ${name} is set. Set ${variables.join(' or ')} to use ${name}/${model}. ${WITHOUT_A_KEY}`
  return failure(`${name}/${model}`, 'key', text)
}

/** Headers carry no line breaks and nothing outside Latin-1. */
function isHeader(name: string, value: string): boolean {
  try {
    new Headers({ [name]: value })
    return true
  } catch {
    return false
  }
}

function unsendable(name: string, model: string, what: string, inside: string, where: string): ModelFailure {
  const text = `${what} cannot be sent in ${inside}: it contains a line break or a character that headers do not allow. Correct ${where}.`
  return failure(`${name}/${model}`, 'request', text)
}

function unknownProvider(name: string, model: string): ModelFailure {
  const names = [...Object.keys(known), 'compatible'].join(', ')
  const text = `Unknown provider '${name}'. Known providers: ${names}; for any other OpenAI-compatible server set providers.${name}.baseUrl in the settings.`
  return failure(`${name}/${model}`, 'request', text)
}

function failure(model: string, fault: ModelFailure['fault'], text: string, cause?: unknown): ModelFailure {
  return new ModelFailure({ model, fault, cause }, text)
}
