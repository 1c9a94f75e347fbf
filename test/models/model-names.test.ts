import { findProvider } from '@pydantic/genai-prices'
import { describe, expect, it } from 'vitest'
import { DEFAULT_FAMILY, defaultModel, fullName, NEWEST } from '../../src/models/model-names.ts'
import { listedPricing } from '../../src/models/prices.ts'
import { resolveModel } from '../../src/models/resolve-model.ts'

/** How a family names its generations: major, and minor where there is one. */
const FAMILIES: Record<string, Record<string, RegExp>> = {
  anthropic: Object.fromEntries(
    ['sonnet', 'opus', 'haiku', 'fable'].map((name) => [name, new RegExp(`^claude-${name}-(\\d+)(?:-(\\d{1,2}))?$`)]),
  ),
  openai: {
    // The one that suits most work had no word of its own before it was called sol.
    gpt: /^gpt-(\d+)(?:\.(\d+))?(?:-sol)?$/,
    luna: /^gpt-(\d+)(?:\.(\d+))?-luna$/,
    astra: /^gpt-(\d+)(?:\.(\d+))?-astra$/,
    mini: /^gpt-(\d+)(?:\.(\d+))?-mini$/,
  },
  google: {
    gemini: /^gemini-(\d+)(?:\.(\d+))?-flash$/,
    flash: /^gemini-(\d+)(?:\.(\d+))?-flash$/,
    pro: /^gemini-(\d+)(?:\.(\d+))?-pro$/,
  },
  openrouter: {
    ...Object.fromEntries(
      ['sonnet', 'opus', 'haiku', 'fable'].map((name) => [
        name,
        new RegExp(`^anthropic/claude-${name}-(\\d+)(?:\\.(\\d+))?$`),
      ]),
    ),
    gpt: /^openai\/gpt-(\d+)(?:\.(\d+))?(?:-sol)?$/,
    gemini: /^google\/gemini-(\d+)(?:\.(\d+))?-flash$/,
  },
}

/** Models of a provider in the price list that are generally available: no previews, no retired models. */
function listed(provider: string): string[] {
  const found = findProvider({ providerId: provider })
  return (found?.models ?? [])
    .filter(({ id, deprecated }) => !deprecated && !/preview|exp|beta|latest/.test(id))
    .map(({ id }) => id)
}

function newest(models: readonly string[], pattern: RegExp): string | undefined {
  const generation = (id: string) => {
    const [, major = '0', minor = '0'] = pattern.exec(id) ?? []
    return Number(major) * 1000 + Number(minor)
  }
  return models
    .filter((id) => pattern.test(id))
    .sort((a, b) => generation(a) - generation(b))
    .at(-1)
}

const rows = Object.entries(NEWEST).flatMap(([provider, families]) =>
  Object.entries(families).map(([family, model]) => ({ provider, family, model })),
)

describe('the pinned list of models', () => {
  it.each(rows)(
    'has the newest $family of $provider that the price list knows: $model',
    ({ provider, family, model }) => {
      const pattern = FAMILIES[provider]?.[family]
      expect(pattern, 'say in FAMILIES how this family names its generations').toBeDefined()
      expect(model).toBe(newest(listed(provider), pattern!))
    },
  ) // T38

  it('has a default model of the newest generation of each provider', () => {
    // Families come and go with a generation; whatever they are called, the default must not stay behind.
    const generations: Record<string, RegExp> = {
      openai: /^gpt-(\d+)(?:\.\d+)?(?:-[a-z]+)?$/,
      google: /^gemini-(\d+)(?:\.\d+)?-[a-z]+$/,
    }
    for (const [provider, pattern] of Object.entries(generations)) {
      const all = listed(provider).flatMap((id) => Number(pattern.exec(id)?.[1] ?? 0))
      expect([provider, Number(pattern.exec(defaultModel(provider)!)?.[1])]).toEqual([provider, Math.max(...all)])
    }
  }) // T38

  it('has a price and a context window for every model, so that budgets work', async () => {
    for (const { provider, model } of rows) {
      const { price } = await listedPricing(provider, model)
      expect([provider, model, price?.input]).toEqual([provider, model, expect.any(Number)])
    }
    expect(Object.keys(DEFAULT_FAMILY).map(defaultModel)).not.toContain(undefined)
  }) // T38
})

describe('a model named by its family', () => {
  const env = { ANTHROPIC_API_KEY: 'k', OPENAI_API_KEY: 'k', GEMINI_API_KEY: 'k', OPENROUTER_API_KEY: 'k' }

  it.each([
    ['sonnet', 'anthropic/claude-sonnet-5'],
    ['Sonnet', 'anthropic/claude-sonnet-5'],
    ['claude', 'anthropic/claude-sonnet-5'],
    ['opus', 'anthropic/claude-opus-5-5'],
    ['haiku', 'anthropic/claude-haiku-4-5'],
    ['anthropic/sonnet', 'anthropic/claude-sonnet-5'],
    ['anthropic/OPUS', 'anthropic/claude-opus-5-5'],
    ['sonnet[1m]', 'anthropic/claude-sonnet-5'],
    ['gpt', 'openai/gpt-6-sol'],
    ['openai/gpt', 'openai/gpt-6-sol'],
    ['gemini', 'google/gemini-3.8-flash'],
    ['google/pro', 'google/gemini-2.5-pro'],
    ['openrouter/sonnet', 'openrouter/anthropic/claude-sonnet-5'],
    ['claude-opus-4-1', 'anthropic/claude-opus-4-1'],
    ['gpt-5.5', 'openai/gpt-5.5'],
    ['o3', 'openai/o3'],
    ['gemini-2.5-pro', 'google/gemini-2.5-pro'],
    ['anthropic/claude-haiku-4-5', 'anthropic/claude-haiku-4-5'],
  ])('%s is %s', async (name, full) => {
    expect((await resolveModel(name, env)).name).toBe(full)
  }) // T38

  it('is resolved to its vendor, or to another provider that has a key', () => {
    const only =
      (...providers: string[]) =>
      (provider: string) =>
        providers.includes(provider)
    expect(fullName('sonnet', only('openrouter')).name).toBe('openrouter/anthropic/claude-sonnet-5')
    expect(fullName('sonnet', only('openrouter', 'anthropic')).name).toBe('anthropic/claude-sonnet-5')
    expect(fullName('sonnet', only()).name).toBe('anthropic/claude-sonnet-5')
    expect(fullName('gpt', only('openrouter')).name).toBe('openrouter/openai/gpt-6-sol')
  }) // T38

  it('is never a script, nor a property of Object.prototype', () => {
    for (const name of [
      'scripted:x',
      ' scripted:x',
      'replay:x',
      'constructor',
      'toString',
      '__proto__',
      'a/constructor',
    ])
      expect(fullName(name, () => true)).toEqual({ name, isAlias: false })
  }) // T38

  it('has the prices and limits that the settings give under either name', async () => {
    const settings = {
      prices: { sonnet: { input: 1, output: 2 } },
      models: { 'anthropic/claude-sonnet-5': { context: 1234 } },
    }
    expect(await resolveModel('sonnet', env, settings)).toMatchObject({ price: { input: 1 }, context: 1234 })
  }) // T38
})
