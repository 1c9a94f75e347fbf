import { createServer as createTcpServer } from 'node:net'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { ModelFailure, ModelFault } from '../../../src/models/model.ts'
import { resolveModel } from '../../../src/models/resolve-model.ts'
import { ask, instantServices } from '../harness.ts'
import { type WireServer, wireServer } from './wire-server.ts'

let server: WireServer
beforeAll(async () => {
  server = await wireServer()
})
afterAll(() => server[Symbol.asyncDispose]())

const anthropic = (status: number, type: string, message: string) => ({
  model: 'anthropic/x',
  status,
  body: { type: 'error', error: { type, message } },
})
const openai = (status: number, message: string, code: string | null, type = 'invalid_request_error') => ({
  model: 'openai/x',
  status,
  body: { error: { message, type, param: null, code } },
})
const openrouter = (status: number, message: string) => ({
  model: 'compatible/x',
  status,
  body: { error: { code: status, message } },
})
const google = (status: number, word: string, message: string, reason?: string) => ({
  model: 'google/x',
  status,
  body: {
    error: {
      code: status,
      message,
      status: word,
      details: reason === undefined ? [] : [{ '@type': 'type.googleapis.com/google.rpc.ErrorInfo', reason }],
    },
  },
})

/** Each as the provider really says it, and what it is called here. */
const refusals: readonly (readonly [ModelFault, { model: string; status: number; body: object }])[] = [
  ['key', anthropic(401, 'authentication_error', 'invalid x-api-key')],
  ['key', openai(401, 'Incorrect API key provided: sk-1.', 'invalid_api_key')],
  ['key', google(400, 'INVALID_ARGUMENT', 'API key not valid. Please pass a valid API key.', 'API_KEY_INVALID')],
  ['key', openrouter(401, 'No auth credentials found')],
  ['permission', anthropic(403, 'permission_error', 'Your API key does not have permission to use the resource.')],
  ['permission', openai(403, 'Country, region, or territory not supported', 'unsupported_country_region_territory')],
  ['permission', google(403, 'PERMISSION_DENIED', 'Method doesn’t allow unregistered callers.')],
  ['permission', google(400, 'FAILED_PRECONDITION', 'User location is not supported for the API use.')],
  ['billing', anthropic(400, 'invalid_request_error', 'Your credit balance is too low to access the Anthropic API.')],
  ['billing', anthropic(402, 'billing_error', 'There’s an issue with your billing or payment information.')],
  ['billing', openai(429, 'You exceeded your current quota.', 'insufficient_quota', 'insufficient_quota')],
  ['billing', openai(403, 'Your account is not active, please check your billing details.', 'billing_not_active')],
  ['billing', openrouter(402, 'This request requires more credits, or fewer max_tokens.')],
  ['billing', openrouter(403, 'Insufficient credits. Add more at the account page.')],
  ['billing', google(429, 'RESOURCE_EXHAUSTED', 'Your prepayment credits are depleted.')],
  ['billing', google(403, 'PERMISSION_DENIED', 'This API method requires billing to be enabled.', 'BILLING_DISABLED')],
  ['rate limit', anthropic(429, 'rate_limit_error', 'This request would exceed the rate limit.')],
  ['rate limit', openai(429, 'Rate limit reached for x on tokens per min.', 'rate_limit_exceeded', 'tokens')],
  ['rate limit', google(429, 'RESOURCE_EXHAUSTED', 'You exceeded your current quota, please check your plan.')],
  ['overloaded', anthropic(529, 'overloaded_error', 'Overloaded')],
  ['overloaded', google(503, 'UNAVAILABLE', 'The model is overloaded. Please try again later.')],
  ['overloaded', openai(503, 'The engine is currently overloaded.', null, 'server_error_slow_down')],
  ['model', anthropic(404, 'not_found_error', 'model: claude-sonet-5')],
  ['model', openai(404, 'The model `gpt-99` does not exist or you do not have access to it.', 'model_not_found')],
  ['model', openrouter(400, 'x/y is not a valid model ID')],
  ['model', google(404, 'NOT_FOUND', 'models/x is not found for API version v1beta')],
  ['too long', anthropic(400, 'invalid_request_error', 'prompt is too long: 210000 tokens > 200000 maximum')],
  ['too long', anthropic(413, 'request_too_large', 'Request exceeds the maximum size')],
  ['too long', openai(400, 'Your input exceeds the context window of this model.', 'context_length_exceeded')],
  ['too long', google(400, 'INVALID_ARGUMENT', 'The input token count exceeds the maximum number of tokens allowed.')],
  ['request', anthropic(400, 'invalid_request_error', 'messages: roles must alternate')],
  ['request', openai(400, "Unsupported value: 'temperature'.", 'unsupported_value')],
  ['request', google(400, 'INVALID_ARGUMENT', 'Unknown name "x": Cannot find field.')],
]

/** The next step each has, in words of its own. */
const steps: Partial<Record<ModelFault, RegExp>> = {
  key: /Check the key in (ANTHROPIC|OPENAI|GEMINI)_API_KEY/,
  permission: /permissions of the key/,
  billing: /billing settings/,
  'rate limit': /rate limit of this key is reached/,
  overloaded: /provider is overloaded/,
  model: /Check the name of the model/,
  'too long': /does not fit/,
  request: /settings of this model, and the base URL/,
}

const keys = { ANTHROPIC_API_KEY: 'key-12345', OPENAI_API_KEY: 'key-12345', GEMINI_API_KEY: 'key-12345' }
const at = (url: string) => ({ ANTHROPIC_BASE_URL: url, OPENAI_BASE_URL: url, GOOGLE_GEMINI_BASE_URL: url, ...keys })

describe('a refusal of a provider', () => {
  it.each(refusals.map(([fault, said]) => ({ fault, ...said, text: JSON.stringify(said.body) })))(
    'is called $fault and says what to do: $model $status $text',
    async ({ fault, model, status, text }) => {
      server.play({ status, body: text })
      const { error } = await ask(await resolveModel(model, at(server.url), {}, instantServices()))
      expect(error).toMatchObject({ fault })
      const { message } = error as ModelFailure
      expect(message).toMatch(steps[fault]!)
      for (const [other, step] of Object.entries(steps)) if (other !== fault) expect(message).not.toMatch(step)
      // What a person has to change is not worth a second try.
      if (fault !== 'rate limit' && fault !== 'overloaded') expect(server.asked).toHaveLength(1)
    },
  ) // T40

  it('because of missing credit never advises to check the name of the model', async () => {
    for (const [fault, { model, status, body }] of refusals.filter(([fault]) => fault === 'billing')) {
      server.play({ status, body: JSON.stringify(body) })
      const { error } = await ask(await resolveModel(model, at(server.url), {}, instantServices()))
      expect(error).toMatchObject({ fault, message: expect.stringMatching(/billing settings/) })
      expect((error as Error).message).not.toMatch(/name of the model/)
    }
  }) // T40

  it('inside a stream is classified in the same way', async () => {
    const events = { type: 'error', error: { type: 'billing_error', message: 'credit used up' } }
    server.play({ pieces: [`event: error\ndata: ${JSON.stringify(events)}\n\n`] })
    const { error } = await ask(await resolveModel('anthropic/x', at(server.url), {}, instantServices()))
    expect(error).toMatchObject({ fault: 'billing', message: expect.stringContaining('billing settings') })
  }) // T40
})

describe('a provider that cannot be reached', () => {
  const failureAt = async (url: string, env = {}) => {
    const { error, events } = await ask(await resolveModel('openai/x', { ...at(url), ...env }, {}, instantServices()))
    return { error: error as ModelFailure, events }
  }

  it('because its name is unknown advises to check the network and reports the retries', async () => {
    const { error, events } = await failureAt('http://provider.invalid')
    expect(error).toMatchObject({
      fault: 'network',
      message: expect.stringMatching(/host name cannot be resolved.*doctor/),
    })
    expect(error.message).toContain('http://provider.invalid')
    expect(events[0]).toMatchObject({ type: 'waiting', retry: { tried: 1, of: 6, givesUpIn: 31 } })
  }) // T40

  it('because no server listens advises to check the address', async () => {
    const closed = await wireServer()
    await closed[Symbol.asyncDispose]()
    const { error } = await failureAt(closed.url)
    expect(error).toMatchObject({ fault: 'network', message: expect.stringContaining('No server listens') })
  }) // T40

  it('because of a proxy names the variable of the proxy', async () => {
    const proxy = createTcpServer((socket) => socket.end('HTTP/1.1 407 Proxy Authentication Required\r\n\r\n'))
    await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve))
    const { port } = proxy.address() as { port: number }
    const env = { HTTPS_PROXY: `http://127.0.0.1:${port}` }
    const { error } = await failureAt('https://provider.invalid', env)
    const excepted = await failureAt('https://provider.invalid', { ...env, NO_PROXY: 'provider.invalid' })
    proxy.close()
    expect(error).toMatchObject({ fault: 'network', message: expect.stringContaining('the proxy in HTTPS_PROXY') })
    expect(excepted.error.message).not.toContain('HTTPS_PROXY')
  }) // T40
})
