/**
 * The newest generally available model of each family, by the provider that offers it. A pinned list: the same command
 * calls the same model until a new version of this program is installed. `test/models/model-names.test.ts` compares it
 * with the price list and fails when that has a newer one.
 */
export const NEWEST: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  anthropic: {
    sonnet: 'claude-sonnet-5',
    opus: 'claude-opus-5-5',
    haiku: 'claude-haiku-4-5',
    fable: 'claude-fable-5-1',
  },
  openai: { gpt: 'gpt-6-sol', luna: 'gpt-6-luna', astra: 'gpt-6-astra', mini: 'gpt-5.4-mini' },
  google: { gemini: 'gemini-3.8-flash', flash: 'gemini-3.8-flash', pro: 'gemini-2.5-pro' },
  openrouter: {
    sonnet: 'anthropic/claude-sonnet-5',
    opus: 'anthropic/claude-opus-5.5',
    haiku: 'anthropic/claude-haiku-4.5',
    fable: 'anthropic/claude-fable-5.1',
    gpt: 'openai/gpt-6-sol',
    gemini: 'google/gemini-3.5-flash',
  },
}

/** The family of each provider that is used when the user names no model. */
export const DEFAULT_FAMILY: Readonly<Record<string, string>> = {
  anthropic: 'sonnet',
  openai: 'gpt',
  google: 'gemini',
  openrouter: 'sonnet',
}

export function defaultModel(provider: string): string | undefined {
  return NEWEST[provider]?.[DEFAULT_FAMILY[provider] ?? '']
}

/** Whether a model is a script or a recording: such a model has no provider and needs no network. */
export function isModelFile(name: string): boolean {
  return /^(scripted|replay):/.test(name)
}

/** Other names of a family. */
const SYNONYMS: Readonly<Record<string, string>> = {
  claude: 'sonnet',
  'gpt-mini': 'mini',
  'gemini-flash': 'flash',
  'gemini-pro': 'pro',
}

/** Providers that offer a family named without a provider, the vendor first. */
const OFFERED_BY = ['anthropic', 'openai', 'google', 'openrouter'] as const

export interface NamedModel {
  /** `provider/model`, or the user's text where it is not a known name. */
  readonly name: string
  /** Named by its family alone, so that any provider of the family is meant. */
  readonly isAlias: boolean
}

/**
 * `sonnet`, `anthropic/sonnet` and `claude-sonnet-5` as `anthropic/claude-sonnet-5`. A family that is named alone
 * means its vendor's model, or that of another provider if only that one has a key.
 */
export function fullName(name: string, hasKey: (provider: string) => boolean): NamedModel {
  // Claude Code appends the longer context window to the name; here it is a property of the model.
  const plain = name.replace(/\[1m\]$/i, '')
  const slash = plain.indexOf('/')
  if (slash > 0) {
    const provider = plain.slice(0, slash)
    const model = inFamily(provider, plain.slice(slash + 1))
    return { name: model === undefined ? name : `${provider}/${model}`, isAlias: false }
  }
  const offering = OFFERED_BY.filter((provider) => inFamily(provider, plain) !== undefined)
  const provider = offering.find(hasKey) ?? offering[0]
  if (provider !== undefined) return { name: `${provider}/${inFamily(provider, plain)}`, isAlias: true }
  const vendor = VENDORS.find(([pattern]) => pattern.test(plain))?.[1]
  return { name: vendor === undefined ? name : `${vendor}/${plain}`, isAlias: false }
}

function inFamily(provider: string, word: string): string | undefined {
  const families = Object.hasOwn(NEWEST, provider) ? NEWEST[provider]! : {}
  const key = word.toLowerCase()
  const family = Object.hasOwn(SYNONYMS, key) ? SYNONYMS[key]! : key
  return Object.hasOwn(families, family) ? families[family] : undefined
}

/** The vendor of a model that is named without its provider. */
const VENDORS: readonly (readonly [RegExp, string])[] = [
  [/^claude-[\w.@-]+$/, 'anthropic'],
  [/^(gpt-\d|chatgpt-|o\d)[\w.-]*$/, 'openai'],
  [/^gemini-[\w.-]+$/, 'google'],
]
