import { describe, expect, it } from 'vitest'
import { ModelFailure } from '../../src/models/model.ts'
import { usualModel } from '../../src/models/providers/providers.ts'
import { resolveModel } from '../../src/models/resolve-model.ts'
import { ask, instantServices } from './harness.ts'
import { wireServer } from './providers/wire-server.ts'

const failureOf = async (name: string, env = {}, settings = {}): Promise<ModelFailure> => {
  const error = await resolveModel(name, env, settings).catch((thrown) => thrown)
  expect(error).toBeInstanceOf(ModelFailure)
  return error
}

describe('a model that cannot be used', () => {
  it.each([
    ['anthropic/x', 'ANTHROPIC_API_KEY'],
    ['openai/x', 'OPENAI_API_KEY'],
    ['openai-chat/x', 'OPENAI_API_KEY'],
    ['google/x', 'GEMINI_API_KEY'],
    ['openrouter/x/y', 'OPENROUTER_API_KEY'],
  ])('%s names the variable to set, and what works without a key', async (name, variable) => {
    const { fault, message } = await failureOf(name)
    expect(fault).toBe('key')
    expect(message).toContain(variable)
    expect(message).toContain('-m scripted:')
  })

  it('reports an invalid name and shows valid ones', async () => {
    for (const name of ['qwen3', '/x', 'openai/', '[1m]'])
      expect((await failureOf(name)).message).toMatch(/provider\/model/)
  })

  it('reports an unknown provider and how to define it', async () => {
    for (const name of ['constructor/x', '__proto__/x']) expect((await failureOf(name)).message).toContain('Unknown')
    expect((await failureOf('acme/x')).message).toMatch(/anthropic.*providers\.acme\.baseUrl/)
  })

  it('names the variable that does not contain a URL', async () => {
    const env = { ANTHROPIC_API_KEY: 'k', ANTHROPIC_BASE_URL: 'not a url' }
    expect((await failureOf('anthropic/x', env)).message).toMatch(/ANTHROPIC_BASE_URL is not a URL: 'not a url'/)
  })

  it('reports where the settings are invalid', async () => {
    const settings = { prices: { 'a/b': { input: 'much', output: 1 } } }
    expect((await failureOf('anthropic/x', {}, settings)).message).toContain('prices.a/b.input')
  })

  it('never shows its key', async () => {
    const model = await resolveModel('anthropic/x', { ANTHROPIC_API_KEY: 'sk-secret' })
    expect(JSON.stringify(model)).not.toContain('sk-secret')
    expect(model.account).toMatch(/^anthropic [0-9a-f]{8}$/)
  })
})

describe('prices', () => {
  const env = { ANTHROPIC_API_KEY: 'k', OPENAI_API_KEY: 'k', GOOGLE_GENERATIVE_AI_API_KEY: 'k', OPENAI_BASE_URL: '' }

  it('are known for the models of the price list, with their context windows', async () => {
    expect(await resolveModel('anthropic/claude-sonnet-4-5', env)).toMatchObject({
      price: { input: 3, output: 15, cacheRead: 0.3, cacheWrite: 3.75 },
      context: 200_000,
    })
    expect((await resolveModel('openai/gpt-5', env)).price).toMatchObject({ input: 1.25, output: 10 })
    expect((await resolveModel('google/gemini-2.5-pro', env)).price).toMatchObject({ input: 1.25, output: 10 })
  })

  it('are undefined, never 0, for a model that is not listed', async () => {
    expect((await resolveModel('anthropic/claude-99', env)).price).toBeUndefined()
    expect((await resolveModel('ollama/gpt-5', env)).price).toBeUndefined()
  })

  it('come from the settings first', async () => {
    const prices = { 'anthropic/claude-sonnet-4-5': { input: 1, output: 2 }, 'ollama/qwen3': { input: 0, output: 0 } }
    const model = await resolveModel('anthropic/claude-sonnet-4-5', env, { prices })
    expect(model.price).toEqual({ input: 1, output: 2, cacheRead: 1, cacheWrite: 1 })
    expect((await resolveModel('ollama/qwen3', env, { prices })).price).toMatchObject({ input: 0 })
  })

  it('rise for the whole call when a provider charges more for long ones', async () => {
    const { listedPricing } = await import('../../src/models/prices.ts')
    const { cost } = await listedPricing('google', 'gemini-2.5-pro')
    const used = { cacheRead: 0, cacheWrite: 0, output: 0 }
    expect(cost({ ...used, input: 200_000 })).toBeCloseTo(0.25, 6)
    expect(cost({ ...used, input: 200_001 })).toBeCloseTo(0.5, 4)
  })
})

describe('the default model', () => {
  it('belongs to the first provider with a key', () => {
    expect(usualModel({ GEMINI_API_KEY: 'k' })).toMatch(/^google\//)
    expect(usualModel({ GEMINI_API_KEY: 'k', ANTHROPIC_API_KEY: 'k' })).toMatch(/^anthropic\//)
  })

  it('is found by every variable that may hold a key, or by the settings', () => {
    expect(usualModel({ ANTHROPIC_AUTH_TOKEN: 't' })).toMatch(/^anthropic\//)
    expect(usualModel({ GOOGLE_API_KEY: 'k' })).toMatch(/^google\//)
    expect(usualModel({ OPENROUTER_API_KEY: 'k' })).toMatch(/^openrouter\/anthropic\//)
    expect(usualModel({}, { providers: { openai: { key: 'k' } } })).toMatch(/^openai\//)
    expect(usualModel({ LAB: 'k' }, { providers: { google: { keyFrom: 'LAB' } } })).toMatch(/^google\//)
    expect(() => usualModel({ ANTHROPIC_API_KEY: ' ' })).toThrow('no key is set')
  }) // T38

  it('without any key is an error that names every variable and what works without a key', () => {
    expect(() => usualModel({})).toThrow(/ANTHROPIC_API_KEY.*OPENAI_API_KEY.*GEMINI_API_KEY.*scripted:/)
  })
})

it('a provider of the settings is called with its own key', async () => {
  const settings = { providers: { lab: { baseUrl: 'http://127.0.0.1:9', keyFrom: 'LAB_KEY' } } }
  expect((await failureOf('lab/one', {}, settings)).message).toContain('LAB_KEY')
  expect((await resolveModel('lab/one', { LAB_KEY: 'k' }, settings)).name).toBe('lab/one')
})

describe('a key', () => {
  const body = '{"error":{"message":"Incorrect key sk-secret-1 given: sk-secret-1 is not known"}}'
  const refusal = { status: 401, body }

  it('and the base URL come from environment variables', async () => {
    await using server = await wireServer()
    server.play(refusal)
    const env = { ANTHROPIC_API_KEY: 'sk-secret-1', ANTHROPIC_BASE_URL: server.url }
    await ask(await resolveModel('anthropic/x', env, {}, instantServices()))
    expect(server.asked[0]).toMatchObject({ path: '/v1/messages', headers: { 'x-api-key': 'sk-secret-1' } })
  }) // A14

  it.each([
    ['anthropic/x', { ANTHROPIC_AUTH_TOKEN: 'token-12345' }, 'authorization', 'Bearer token-12345'],
    [
      'anthropic/x',
      { ANTHROPIC_AUTH_TOKEN: 'token-12345', ANTHROPIC_API_KEY: 'k' },
      'authorization',
      'Bearer token-12345',
    ],
    ['anthropic/x', { ANTHROPIC_AUTH_TOKEN: ' ', ANTHROPIC_API_KEY: 'key-12345\n' }, 'x-api-key', 'key-12345'],
    ['google/x', { GOOGLE_API_KEY: 'key-12345' }, 'x-goog-api-key', 'key-12345'],
    ['google/x', { GOOGLE_API_KEY: 'other', GEMINI_API_KEY: 'key-12345' }, 'x-goog-api-key', 'key-12345'],
    ['google/x', { GOOGLE_GENERATIVE_AI_API_KEY: 'key-12345' }, 'x-goog-api-key', 'key-12345'],
    ['openai/x', { OPENAI_API_KEY: 'key-12345' }, 'authorization', 'Bearer key-12345'],
    ['compatible/x', { OPENAI_API_KEY: 'key-12345' }, 'authorization', 'Bearer key-12345'],
  ])('of %s is taken from %j', async (name, keys, header, value) => {
    await using server = await wireServer()
    server.play(refusal)
    const at = { ANTHROPIC_BASE_URL: server.url, OPENAI_BASE_URL: server.url, GOOGLE_GEMINI_BASE_URL: server.url }
    await ask(await resolveModel(name, { ...at, ...keys }, {}, instantServices()))
    expect(server.asked).toHaveLength(1)
    expect(server.asked[0]?.headers[header]).toBe(value)
    // One way to say who asks, never two.
    const others = ['authorization', 'x-api-key', 'x-goog-api-key'].filter((one) => one !== header)
    expect(others.map((one) => server.asked[0]?.headers[one])).toEqual([undefined, undefined])
  }) // T38

  it('of openrouter is sent there, and ollama is found by OLLAMA_HOST without a key', async () => {
    await using server = await wireServer()
    server.play(refusal)
    const settings = { providers: { openrouter: { baseUrl: server.url } } }
    await ask(await resolveModel('openrouter/a/b', { OPENROUTER_API_KEY: 'key-12345' }, settings, instantServices()))
    const env = { OLLAMA_HOST: server.url.replace('http://', ''), OPENAI_API_KEY: 'sk-secret-1' }
    await ask(await resolveModel('ollama/qwen3', env, {}, instantServices()))
    expect(server.asked.map(({ headers }) => headers.authorization)).toEqual(['Bearer key-12345', undefined])
  }) // T38

  it('of one provider is never sent to another', async () => {
    await using server = await wireServer()
    server.play(refusal)
    const env = { OPENAI_API_KEY: 'sk-secret-1', ANTHROPIC_API_KEY: 'sk-secret-1' }
    for (const kind of ['compatible', 'anthropic'] as const) {
      const settings = { providers: { lab: { baseUrl: server.url, kind } } }
      await ask(await resolveModel('lab/one', env, settings, instantServices()))
    }
    expect(server.asked).toHaveLength(2)
    expect(JSON.stringify(server.asked)).not.toContain('sk-secret-1')
  })

  it('is hidden in the failure of a provider that repeats it', async () => {
    await using server = await wireServer()
    server.play(refusal)
    const env = { OPENAI_API_KEY: 'sk-secret-1', OPENAI_BASE_URL: server.url }
    const { error } = await ask(await resolveModel('openai-chat/x', env, {}, instantServices()))
    expect(error).toMatchObject({
      fault: 'key',
      message: expect.stringContaining('Incorrect key (hidden) given: (hidden) is not known'),
    })
  })
})
