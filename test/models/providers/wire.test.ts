import { inspect } from 'node:util'
import { gzipSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { malformedInput } from '../../../src/models/malformed-input.ts'
import type { ModelFailure, ToolCall, Turn } from '../../../src/models/model.ts'
import { resolveModel } from '../../../src/models/resolve-model.ts'
import { ask, instantServices, modelAt, request, shownText } from '../harness.ts'
import { anthropic, compatible, formats, google, openaiChat, responses } from './formats.ts'
import { type WireServer, wireServer } from './wire-server.ts'

let server: WireServer
beforeAll(async () => {
  server = await wireServer()
})
afterAll(() => server[Symbol.asyncDispose]())

const result: Turn = {
  role: 'tool',
  content: [
    { type: 'tool-result', toolCallId: 'call_1', toolName: 'read_file', output: { type: 'text', value: 'contents' } },
  ],
}

describe.each(formats)('$name', (format) => {
  it('receives system prompt, tools and an output limit, and its answer is complete', async () => {
    server.play({ pieces: format.good })
    const { reply, events } = await ask(await modelAt(format, server.url, instantServices()))
    expect(server.asked[0]?.path).toBe(format.path)
    const sent = JSON.stringify(server.asked[0]?.body)
    for (const part of ['You are the lead.', 'Read a.txt', 'Reads a file.', '8000']) expect(sent).toContain(part)
    expect(shownText(events)).toBe('Reading it.')
    expect(events).toContainEqual({ type: 'tool_call', tool: 'read_file' })
    expect(reply).toMatchObject({
      end: 'finished',
      model: format.model,
      turn: { role: 'assistant', content: [{ type: 'text', text: 'Reading it.' }, { type: 'tool-call' }] },
      usage: format === anthropic ? { input: 12, cacheWrite: 20 } : { input: 32, cacheWrite: 0 },
    })
    expect(reply?.usage).toMatchObject({ cacheRead: 100, output: 30 })
  }) // A8, D1

  it('accepts its own turn and the result of the call in the next request', async () => {
    server.play({ pieces: format.good })
    const model = await modelAt(format, server.url, instantServices())
    const { reply } = await ask(model)
    const call = reply!.turn.content.find((part) => part.type === 'tool-call')!
    const answered = { ...result, content: result.content.map((part) => ({ ...part, toolCallId: call.toolCallId })) }
    const turns = [...request.turns, reply!.turn, answered as Turn]
    const { error } = await ask(model, { ...request, turns })
    expect(error).toBeUndefined()
    const sent = JSON.stringify(server.asked[1]?.body)
    for (const part of ['Reading it.', 'read_file', 'a.txt', 'contents']) expect(sent).toContain(part)
  }) // A8

  it('is parsed correctly wherever the network splits its stream', async () => {
    const bytes = Buffer.from(format.good.join('').replaceAll('Reading ', 'Reäding ⚙ '))
    const model = await modelAt(format, server.url, instantServices())
    // Every place in the first events and around the sign of several bytes, and every 37th elsewhere.
    const sign = bytes.indexOf('⚙')
    const places = [...bytes.keys()].filter((at) => at < 12 || Math.abs(at - sign) < 4 || at % 37 === 0)
    for (const at of places) {
      server.play({ pieces: [bytes.subarray(0, at), bytes.subarray(at)] })
      const { events, error } = await ask(model)
      expect(error, `cut at byte ${at}`).toBeUndefined()
      expect(shownText(events)).toBe('Reäding ⚙ it.')
    }
  })

  it('is parsed correctly when it compresses a response although it was asked not to', async () => {
    const zipped = gzipSync(format.good.join(''))
    server.play({ pieces: [zipped], headers: { 'content-encoding': 'gzip' } })
    const { events, error } = await ask(await modelAt(format, server.url, instantServices()))
    expect(error).toBeUndefined()
    expect(shownText(events)).toBe('Reading it.')
    expect(server.asked[0]?.headers['accept-encoding']).toBe('identity')
  })

  it('works with a base URL that ends with its version, a slash, or neither', async () => {
    const version = format === google ? '/v1beta' : '/v1'
    for (const ending of ['', '/', version, `${version}/`]) {
      server.play({ pieces: format.good })
      await ask(await modelAt(format, server.url + ending, instantServices()))
      expect(server.asked[0]?.path).toBe(format.path)
    }
  })

  it('stops at once with the reason of an abort, in every phase of a call', async () => {
    const reason = new Error('enough')
    const model = await modelAt(format, server.url, instantServices())
    for (const act of ['silence', { pieces: format.good.slice(0, format.hidden + 1), ends: 'silent' }] as const) {
      const stop = new AbortController()
      server.onSilence = () => setImmediate(() => stop.abort(reason))
      server.play(act)
      const { error } = await ask(model, request, { signal: stop.signal })
      expect(error).toBe(reason)
    }
    const { error } = await ask(model, request, { signal: AbortSignal.abort(reason) })
    expect(error).toBe(reason)
  })

  it('reports a wrong key without a retry', async () => {
    server.play({ status: 401, body: '{"error":{"message":"bad key","type":"authentication_error"}}' })
    const { error } = await ask(await modelAt(format, server.url, instantServices()))
    expect(error).toMatchObject({ fault: 'key' })
    expect(server.asked).toHaveLength(1)
  })

  it('throws errors that do not contain the conversation', async () => {
    for (const act of [{ status: 500, body: '{}' }, 'hang up', { pieces: [format.error] }] as const) {
      server.play(act)
      const { error } = await ask(await modelAt(format, server.url, instantServices()))
      expect(inspect(error, { depth: 20 })).not.toContain('Read a.txt')
    }
  })

  it('reports a conversation that is too long without a retry', async () => {
    const message = 'prompt is too long: 210000 tokens > 200000 maximum'
    server.play({
      status: 400,
      body: JSON.stringify({
        error: { message, type: 'invalid_request_error', code: 400, status: 'INVALID_ARGUMENT' },
        type: 'error',
      }),
    })
    const { error } = await ask(await modelAt(format, server.url, instantServices()))
    expect(error).toMatchObject({ fault: 'too long' })
    expect(server.asked).toHaveLength(1)
  })
})

describe.each([anthropic, responses, openaiChat, compatible])('$name', (format) => {
  it('keeps an input that is not JSON unchanged, in a call that can be sent back', async () => {
    server.play({ pieces: format.malformed }, { pieces: format.good })
    const model = await modelAt(format, server.url, instantServices())
    const { reply } = await ask(model)
    const call = reply!.turn.content.find((part) => part.type === 'tool-call') as ToolCall
    expect(reply!.end).toBe('length')
    expect(call.input).toEqual({})
    expect(malformedInput(call)).toBe('{"path":"a.t')
    const turns = [...request.turns, JSON.parse(JSON.stringify(reply!.turn)), { ...result }]
    const { error } = await ask(model, { ...request, turns })
    expect(error).toBeUndefined()
    expect(JSON.stringify(server.asked[1]?.body)).not.toContain('malformed')
  }) // A13
})

it('google reports a malformed call as a failure, and is called again', async () => {
  server.play({ pieces: google.malformed }, { pieces: google.good })
  const { reply } = await ask(await modelAt(google, server.url, instantServices()))
  expect(reply?.turn.content).toHaveLength(2)
  expect(server.asked).toHaveLength(2)
})

describe('anthropic', () => {
  const named = (type: string, value: object) => `event: ${type}\ndata: ${JSON.stringify({ type, ...value })}\n\n`
  const thinking = [
    anthropic.good[0]!,
    named('content_block_start', { index: 0, content_block: { type: 'thinking', thinking: '', signature: '' } }),
    named('content_block_delta', { index: 0, delta: { type: 'thinking_delta', thinking: 'Hm.' } }),
    named('content_block_delta', { index: 0, delta: { type: 'signature_delta', signature: 'signed' } }),
    named('content_block_stop', { index: 0 }),
    named('content_block_start', { index: 1, content_block: { type: 'redacted_thinking', data: 'secret' } }),
    named('content_block_stop', { index: 1 }),
    named('content_block_start', { index: 2, content_block: { type: 'text', text: '' } }),
    named('content_block_delta', { index: 2, delta: { type: 'text_delta', text: 'Done.' } }),
    named('content_block_stop', { index: 2 }),
    anthropic.good.at(-1)!.replace('tool_use', 'end_turn'),
  ]

  it('gets its reasoning back with redacted parts and a signature that came in an empty delta', async () => {
    server.play({ pieces: thinking })
    const model = await modelAt(anthropic, server.url, instantServices())
    const { reply, events } = await ask(model)
    expect(events.filter(({ type }) => type === 'reasoning')).toEqual([{ type: 'reasoning', delta: 'Hm.' }])
    // As the transcript keeps it.
    const turn: Turn = JSON.parse(JSON.stringify(reply!.turn))
    const again = { role: 'user', content: [{ type: 'text', text: 'And?' }] } as const
    await ask(model, { ...request, turns: [...request.turns, turn, again] as Turn[] })
    expect(server.asked[1]?.body.messages[1].content).toEqual([
      { type: 'thinking', thinking: 'Hm.', signature: 'signed' },
      { type: 'redacted_thinking', data: 'secret' },
      { type: 'text', text: 'Done.' },
    ])
  })

  it('may cache tools, system prompt and the ends of the last two requests, and no old turn is changed', async () => {
    server.play({ pieces: anthropic.good })
    const model = await modelAt(anthropic, server.url, instantServices())
    const said = (text: string): Turn => ({ role: 'assistant', content: [{ type: 'text', text }] })
    const asked = (text: string): Turn => ({ role: 'user', content: [{ type: 'text', text }] })
    const turns = [asked('one'), said('1'), asked('two'), said('2'), asked('three')]
    const before = structuredClone(turns)
    await ask(model, { ...request, turns })
    const { system, tools, messages } = server.asked[0]!.body
    const isMarked = (part: { cache_control?: unknown }) => part.cache_control !== undefined
    expect(system.map(isMarked)).toEqual([true])
    expect(tools.map(isMarked)).toEqual([true])
    expect(messages.map(({ content }: { content: [] }) => content.some(isMarked))).toEqual([
      false,
      false,
      true,
      false,
      true,
    ])
    expect(turns).toEqual(before)
  })

  it("leaves a breakpoint to the user's own, because a request may have four", async () => {
    server.play({ pieces: anthropic.good })
    const settings = {
      models: { [anthropic.model]: { options: { anthropic: { cacheControl: { type: 'ephemeral' } } } } },
    }
    const model = await resolveModel(anthropic.model, anthropic.env(server.url), settings, instantServices())
    const said: Turn = { role: 'assistant', content: [{ type: 'text', text: '1' }] }
    await ask(model, { ...request, turns: [...request.turns, said, ...request.turns] })
    expect(JSON.stringify(server.asked[0]!.body).split('"cache_control"')).toHaveLength(1 + 4)
  })

  it('does not stream the inputs of tools at a base URL that is not its own', async () => {
    server.play({ pieces: anthropic.good })
    await ask(await modelAt(anthropic, server.url, instantServices()))
    expect(JSON.stringify(server.asked[0]!.body.tools)).not.toContain('eager_input_streaming')
  })

  it('reports its rate limits, and its price is known', async () => {
    const headers = {
      'anthropic-ratelimit-requests-remaining': '0',
      'anthropic-ratelimit-requests-reset': new Date(1_000_030_000).toISOString(),
    }
    server.play({ pieces: anthropic.good, headers })
    const world = instantServices()
    const model = await modelAt(anthropic, server.url, world)
    const first = await ask(model)
    expect(first.reply?.cost).toBeCloseTo((12 * 3 + 100 * 0.3 + 20 * 3.75 + 30 * 15) / 1e6, 10)
    expect(model.context).toBe(200_000)
    const second = await ask(model)
    expect(second.events[0]).toMatchObject({ type: 'waiting', provider: 'anthropic', seconds: 30 })
    expect(second.reply).toBeDefined()
  }) // F35
})

it('openai is asked to store nothing', async () => {
  server.play({ pieces: responses.good })
  await ask(await modelAt(responses, server.url, instantServices()))
  expect(server.asked[0]?.body.store).toBe(false)
})

it('google gets the signature of a call back', async () => {
  server.play({ pieces: google.good })
  const model = await modelAt(google, server.url, instantServices())
  const { reply } = await ask(model)
  await ask(model, { ...request, turns: [...request.turns, JSON.parse(JSON.stringify(reply!.turn)), result] })
  expect(JSON.stringify(server.asked[1]?.body)).toContain('"thoughtSignature":"sig-call"')
})

it('ollama and openrouter are called in the same way, one without and one with a key', async () => {
  server.play({ pieces: compatible.good })
  const world = instantServices()
  const host = server.url.replace('http://', '')
  const ollama = await resolveModel('ollama/qwen3', { OLLAMA_HOST: host }, {}, world)
  expect((await ask(ollama)).reply?.cost).toBeNull()
  expect(server.asked[0]).toMatchObject({ path: '/v1/chat/completions', body: { model: 'qwen3' } })
  expect(server.asked[0]?.headers.authorization).toBeUndefined()
  const settings = { providers: { openrouter: { baseUrl: `${server.url}/api/v1` } } }
  const name = 'openrouter/anthropic/claude-sonnet-4.5'
  const openrouter = await resolveModel(name, { OPENROUTER_API_KEY: 'secret' }, settings, world)
  expect((await ask(openrouter)).reply?.cost).toBeGreaterThan(0)
  expect(server.asked[1]).toMatchObject({
    path: '/api/v1/chat/completions',
    body: { model: 'anthropic/claude-sonnet-4.5' },
    headers: { authorization: 'Bearer secret' },
  })
}) // D1

it('a key that no header can contain is reported when the model is resolved', async () => {
  server.play({ pieces: compatible.good })
  const settings = { providers: { openrouter: { baseUrl: server.url } } }
  const world = instantServices()
  const resolved = resolveModel('openrouter/one', { OPENROUTER_API_KEY: 'half a\nkey' }, settings, world)
  const error: unknown = await resolved.catch((error) => error)
  expect(error).toMatchObject({ fault: 'request' })
  expect((error as ModelFailure).message).toContain('authorization header')
  expect((error as ModelFailure).message).toContain('OPENROUTER_API_KEY')
  expect(world.pauses).toEqual([])
  expect(server.asked).toHaveLength(0)
})

it('a header of the settings that cannot be sent is reported without its value', async () => {
  const settings = { providers: { openrouter: { baseUrl: server.url, headers: { 'x-team': 'half a\nvalue' } } } }
  const error: unknown = await resolveModel('openrouter/one', { OPENROUTER_API_KEY: 'k' }, settings).catch((e) => e)
  expect(error).toMatchObject({ fault: 'request' })
  expect((error as ModelFailure).message).toContain('x-team')
  expect((error as ModelFailure).message).not.toContain('half a')
})

it('a refused connection names the address', async () => {
  const gone = await wireServer()
  await gone[Symbol.asyncDispose]()
  const { error } = await ask(await modelAt(anthropic, gone.url, instantServices()))
  expect(error).toMatchObject({ fault: 'network' })
  expect((error as ModelFailure).message).toContain(gone.url)
})
