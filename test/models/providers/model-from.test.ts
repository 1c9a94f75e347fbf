import { describe, expect, it } from 'vitest'
import type { Turn } from '../../../src/models/model.ts'
import type { LanguageModel } from '../../../src/models/providers/language-model.ts'
import { modelFrom } from '../../../src/models/providers/model-from.ts'
import { ask, request } from '../harness.ts'
import { finish, type Part, streaming, text } from './streaming.ts'

describe('a model object of a provider package', () => {
  it('becomes a model with its own name and an unknown price', async () => {
    const model = modelFrom(streaming([...text('Hi'), finish('stop')]))
    expect(model).toMatchObject({ name: 'fake/one', provider: 'fake', price: undefined, context: undefined })
    const { reply } = await ask(model)
    expect(reply).toMatchObject({ cost: null, usage: { input: 10, output: 5 } })
  })

  it('costs what its price says; the cost is unknown when the provider counted no tokens', async () => {
    const price = { input: 1, output: 2, cacheRead: 0, cacheWrite: 0 }
    const counted = await ask(modelFrom(streaming([...text('Hi'), finish('stop')]), { price }))
    expect(counted.reply?.cost).toBeCloseTo(20 / 1e6, 12)
    const uncounted = { ...finish('stop'), usage: { inputTokens: {}, outputTokens: {} } }
    const { reply } = await ask(modelFrom(streaming([...text('Hi'), uncounted]), { price }))
    expect(reply?.cost).toBeNull()
  })

  it('may send parts of an unknown type', async () => {
    const strange: Part[] = [{ type: 'hologram', id: 'x' }, { type: 'raw', rawValue: 1 }, { type: 'ping' }]
    const { reply } = await ask(modelFrom(streaming([...strange, ...text('Hi'), finish('stop')])))
    expect(reply?.turn.content).toEqual([{ type: 'text', text: 'Hi' }])
  })

  it('keeps the metadata of every part, whichever piece contains it', async () => {
    const parts = [
      { type: 'reasoning-start', id: 'r', providerMetadata: { fake: { item: 1 } } },
      { type: 'reasoning-delta', id: 'r', delta: '', providerMetadata: { fake: { signature: 's' } } },
      { type: 'reasoning-end', id: 'r', providerMetadata: { other: { sealed: true } } },
      { type: 'tool-call', toolCallId: '1', toolName: 'bash', input: '{}', providerMetadata: { fake: { sign: 'c' } } },
      finish('tool-calls'),
    ]
    const { reply } = await ask(modelFrom(streaming(parts)))
    expect(reply?.turn.content).toEqual([
      { type: 'reasoning', text: '', providerOptions: { fake: { item: 1, signature: 's' }, other: { sealed: true } } },
      { type: 'tool-call', toolCallId: '1', toolName: 'bash', input: {}, providerOptions: { fake: { sign: 'c' } } },
    ])
  })

  it('gets a unique id for each call when a server sends none, or one id for several calls', async () => {
    const call = (id: string) => ({ type: 'tool-call', toolCallId: id, toolName: 'bash', input: '{}' })
    const ids = ['', 'a', 'a', '', 'call-2', 'a-2']
    const { reply } = await ask(modelFrom(streaming([...ids.map(call), finish('tool-calls')])))
    const given = reply!.turn.content.map((part) => (part.type === 'tool-call' ? part.toolCallId : ''))
    expect(given).toHaveLength(ids.length)
    expect(new Set(given).size).toBe(ids.length)
    expect(given[1]).toBe('a')
    for (const id of given) expect(id).toMatch(/^[A-Za-z0-9_-]+$/)
  }) // F10

  it('keeps no text of line breaks only before a call, because providers refuse such a text', async () => {
    const call = { type: 'tool-call', toolCallId: '1', toolName: 'bash', input: '{}' }
    const { reply } = await ask(modelFrom(streaming([...text('\n\n'), call, finish('tool-calls')])))
    expect(reply?.turn.content.map(({ type }) => type)).toEqual(['tool-call'])
  })

  it.each([
    ['stop', 'finished'],
    ['tool-calls', 'finished'],
    ['length', 'length'],
    ['content-filter', 'refused'],
  ])('with the finish reason %s ends as %s', async (reason, end) => {
    const { reply } = await ask(modelFrom(streaming([...text('Hi'), finish(reason)])))
    expect(reply?.end).toBe(end)
  }) // F37

  it.each([
    ['thoughts alone', [{ type: 'reasoning-delta', id: 'r', delta: 'Hm' }, finish('stop')], 'empty'],
    ['white space', [...text(' \n'), finish('stop')], 'empty'],
    ['all output spent on thinking', [{ type: 'reasoning-delta', id: 'r', delta: 'Hm' }, finish('length')], 'empty'],
    ['a filter that lets nothing through', [finish('content-filter')], 'refused'],
    ['an end without a reason', [...text('Hi'), { ...finish('other'), finishReason: { unified: 'other' } }], 'cut off'],
    ['an interruption', [...text('Hi'), finish('interrupted')], 'cut off'],
    ['an error as the reason', [...text('Hi'), finish('error')], 'server'],
  ])('fails with %s', async (_what, parts, fault) => {
    const { reply, error } = await ask(modelFrom(streaming(parts as Part[])))
    expect(reply).toBeUndefined()
    expect(error).toMatchObject({ fault })
  }) // F35, F37

  it.each(['null', '[1]', '"text"', '{"a":', 'nonsense'])(
    'may call a tool with the malformed input %s, which is kept',
    async (input) => {
      const call = { type: 'tool-call', toolCallId: '1', toolName: 'bash', input }
      const { reply } = await ask(modelFrom(streaming([call, finish('tool-calls')])))
      expect(reply?.turn.content).toMatchObject([
        { input: {}, providerOptions: { deskmates: { malformedInput: input } } },
      ])
    },
  ) // A13

  it('always gets an output limit: of the request, of the settings, or 8000', async () => {
    const model = streaming([...text('Hi'), finish('stop')])
    await ask(modelFrom(model))
    await ask(modelFrom(model, { maxOutput: 500 }))
    await ask(modelFrom(model, { maxOutput: 500 }), { ...request, maxOutput: 50 })
    expect(model.calls.map(({ maxOutputTokens }) => maxOutputTokens)).toEqual([8000, 500, 50])
  }) // A8

  it('receives the turns of the conversation themselves, not copies', async () => {
    const model = streaming([...text('Hi'), finish('stop')])
    await ask(modelFrom(model))
    expect(model.calls[0]?.prompt[1]).toBe(request.turns[0])
  })

  it('cancels the stream when the caller stops reading', async () => {
    let isStopped = false
    const model = streaming()
    model.doStream = async () => ({
      stream: new ReadableStream({
        pull: (controller) => controller.enqueue({ type: 'text-delta', id: '0', delta: 'more ' }),
        cancel() {
          isStopped = true
        },
      }),
    })
    for await (const event of modelFrom(model).reply(request, new AbortController().signal))
      if (event.type === 'text') break
    expect(isStopped).toBe(true)
  })
})

it('a model object of interface version 4 sends and receives files in its own format', async () => {
  const three = streaming([
    ...text('Look'),
    { type: 'file', mediaType: 'image/png', data: { type: 'data', data: new Uint8Array([1, 2, 3]) } },
    finish('stop'),
  ])
  const four: LanguageModel = {
    specificationVersion: 'v4',
    provider: 'new.chat',
    modelId: 'x',
    doStream: three.doStream,
  }
  const turns: Turn[] = [
    { role: 'user', content: [{ type: 'file', mediaType: 'image/png', data: 'AAAA' }] },
    { role: 'assistant', content: [{ type: 'tool-call', toolCallId: '1', toolName: 'read_file', input: {} }] },
    {
      role: 'tool',
      content: [
        {
          type: 'tool-result',
          toolCallId: '1',
          toolName: 'read_file',
          output: { type: 'content', value: [{ type: 'image-data', data: 'BBBB', mediaType: 'image/png' }] },
        },
      ],
    },
  ]
  const { reply } = await ask(modelFrom(four), { ...request, turns })
  const [, first, , last] = three.calls[0]!.prompt
  expect(first?.content).toMatchObject([{ data: { type: 'data', data: 'AAAA' } }])
  expect(last?.content).toMatchObject([
    { output: { value: [{ type: 'file', data: { type: 'data', data: 'BBBB' }, mediaType: 'image/png' }] } },
  ])
  expect(reply?.turn.content).toEqual([
    { type: 'text', text: 'Look' },
    { type: 'file', mediaType: 'image/png', data: 'AQID' },
  ])
})
