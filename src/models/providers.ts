import { createHash } from 'node:crypto'
import { ModelFailure } from '../ports/model.ts'
import { ollamaUrl, withVersion } from './base-url.ts'
import type { ModelSettings, ProviderKind } from './settings.ts'
import type { Env } from './transport.ts'

/** What we know of a provider without being told. */
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
  /** Asked when the user names no model. */
  readonly usual?: string
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
    keyFrom: ['ANTHROPIC_API_KEY'],
    isKeyNeeded: true,
    prices: 'anthropic',
    usual: 'claude-sonnet-4-5',
  },
  openai: { ...openai, kind: 'openai', usual: 'gpt-5' },
  'openai-chat': { ...openai, kind: 'openai-chat' },
  google: {
    kind: 'google',
    baseUrl: 'https://generativelanguage.googleapis.com/v1beta',
    version: '/v1beta',
    keyFrom: ['GEMINI_API_KEY', 'GOOGLE_GENERATIVE_AI_API_KEY'],
    isKeyNeeded: true,
    prices: 'google',
    usual: 'gemini-2.5-pro',
  },
  openrouter: {
    kind: 'compatible',
    baseUrl: 'https://openrouter.ai/api/v1',
    version: '/v1',
    keyFrom: ['OPENROUTER_API_KEY'],
    isKeyNeeded: true,
    prices: 'openrouter',
    usual: 'anthropic/claude-sonnet-4.5',
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

/** Somebody's own server. */
const compatible: KnownProvider = {
  kind: 'compatible',
  baseUrl: undefined,
  baseUrlFrom: 'OPENAI_BASE_URL',
  version: '/v1',
  keyFrom: ['OPENAI_API_KEY'],
  isKeyNeeded: false,
}

const WITHOUT_A_KEY =
  'Or run without any key: watch deskmates demo, or use a scripted model, -m scripted:FILE (docs/scripted-model.md).'

export interface Provider {
  readonly name: string
  readonly kind: ProviderKind
  readonly baseUrl: string
  readonly isVendor: boolean
  readonly key: string | undefined
  readonly headers: Record<string, string>
  readonly prices: string | undefined
  /** The provider and which of its keys, without showing it. */
  readonly account: string
}

/** What `provider/model` needs to be called, from settings and the usual variables; settings win. */
export function findProvider(name: string, model: string, env: Env, settings: ModelSettings): Provider {
  const setting = settings.providers[name] ?? {}
  const isNamed = name === 'compatible' || setting.baseUrl !== undefined || setting.kind !== undefined
  const facts = known[name] ?? (isNamed ? compatible : undefined)
  if (facts === undefined) throw unknownProvider(name, model)
  const kind = setting.kind ?? facts.kind
  const baseUrl = baseUrlOf(name, model, facts, setting.baseUrl, env)
  // OpenAI's key is for OpenAI, or for whoever stands behind OPENAI_BASE_URL: not for every server somebody names.
  const usual = facts === compatible && setting.baseUrl !== undefined ? [] : facts.keyFrom
  const keyNames = setting.keyFrom === undefined ? usual : [setting.keyFrom]
  const key = setting.key ?? keyNames.map((variable) => env[variable]).find(Boolean)
  if (!key && (facts.isKeyNeeded || setting.keyFrom)) throw noKey(name, model, keyNames)
  const isVendor = baseUrl === facts.baseUrl
  return {
    name,
    kind,
    baseUrl,
    isVendor,
    key,
    headers: setting.headers ?? {},
    prices: facts.prices,
    account: `${name} ${createHash('sha256').update(`${baseUrl} ${key}`).digest('hex').slice(0, 8)}`,
  }
}

/** The model to use when nobody named one, by the keys at hand. */
export function usualModel(env: Env): string {
  for (const [name, { keyFrom, usual }] of Object.entries(known))
    if (usual && keyFrom.some((variable) => env[variable])) return `${name}/${usual}`
  const variables = Object.values(known).flatMap(({ keyFrom }) => keyFrom.slice(0, 1))
  throw failure(
    '',
    'key',
    `No model is named and no key is set. Name one with -m provider/model, and set its key: ${[...new Set(variables)].join(', ')}. A local model needs none: -m ollama/NAME. ${WITHOUT_A_KEY}`,
  )
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
    const text = `${where} is no URL: '${given}'. It looks like https://host or https://host${version}.`
    throw failure(`${name}/${model}`, 'request', text, cause)
  }
}

function noKey(name: string, model: string, variables: readonly string[]): ModelFailure {
  const text = `There is no key for ${name}. Set ${variables.join(' or ')} to use ${name}/${model}. ${WITHOUT_A_KEY}`
  return failure(`${name}/${model}`, 'key', text)
}

function unknownProvider(name: string, model: string): ModelFailure {
  const names = [...Object.keys(known), 'compatible'].join(', ')
  const text = `Nobody knows the provider '${name}'. Known are ${names}; for any other OpenAI-compatible server set providers.${name}.baseUrl in the settings.`
  return failure(`${name}/${model}`, 'request', text)
}

function failure(model: string, fault: ModelFailure['fault'], text: string, cause?: unknown): ModelFailure {
  return new ModelFailure({ model, fault, cause }, text)
}
