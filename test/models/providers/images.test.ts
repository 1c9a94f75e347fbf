import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { ModelRequest, Turn } from '../../../src/models/model.ts'
import { resolveModel } from '../../../src/models/resolve-model.ts'
import { isTextOnly } from '../../../src/models/text-only.ts'
import { ask, instantServices, modelAt, request } from '../harness.ts'
import { anthropic, compatible, type Format, formats, openaiChat, responses } from './formats.ts'
import { type WireServer, wireServer } from './wire-server.ts'

let server: WireServer
beforeAll(async () => {
  server = await wireServer()
})
afterAll(() => server[Symbol.asyncDispose]())

/** Its usual model accepts text only. */
const seeing: Format = { ...compatible, model: 'ollama/llava' }

const [PROMPT_IMAGE, RESULT_IMAGE] = ['iVBORw0KGgoAAAAAprompt', 'iVBORw0KGgoAAAAAresult']
const call = { type: 'tool-call', toolCallId: 'call_1', toolName: 'read_file', input: { path: 'b.png' } } as const
const turns: Turn[] = [
  {
    role: 'user',
    content: [
      { type: 'text', text: 'Compare @a.png' },
      { type: 'file', data: PROMPT_IMAGE, mediaType: 'image/png', filename: 'a.png' },
    ],
  },
  { role: 'assistant', content: [call] },
  {
    role: 'tool',
    content: [
      {
        ...{ type: 'tool-result', toolCallId: 'call_1', toolName: 'read_file' },
        output: {
          type: 'content',
          value: [
            { type: 'text', text: 'b.png (image/png, 70 bytes)' },
            { type: 'image-data', data: RESULT_IMAGE, mediaType: 'image/png' },
          ],
        },
      },
    ],
  },
]

async function sent(format: Format, about: Partial<ModelRequest> = {}) {
  server.play({ pieces: format.good })
  const { error } = await ask(await modelAt(format, server.url, instantServices()), { ...request, turns, ...about })
  expect(error).toBeUndefined()
  return server.asked[0]!.body
}

describe('images', () => {
  it.each(formats.map((format) => (format === compatible ? seeing : format)))(
    'of a prompt and of a tool reach $name as images',
    async (format) => {
      const body = JSON.stringify(await sent(format))
      for (const data of [PROMPT_IMAGE, RESULT_IMAGE]) {
        expect(body.split(data)).toHaveLength(2)
        // Not as the text of a JSON value.
        expect(body).not.toMatch(new RegExp(`\\\\"data\\\\":\\\\"${data}`))
      }
      expect(body).toContain('Compare @a.png')
    },
  )

  it('have the form that each protocol names', async () => {
    const { messages } = await sent(anthropic)
    const source = (data: string) => ({ type: 'image', source: { type: 'base64', media_type: 'image/png', data } })
    expect(messages[0].content[1]).toMatchObject(source(PROMPT_IMAGE))
    expect(JSON.stringify(messages.at(-1))).toContain(JSON.stringify(source(RESULT_IMAGE)))
    for (const format of [seeing, openaiChat]) {
      const chat = (await sent(format)).messages
      const url = (data: string) => ({ type: 'image_url', image_url: { url: `data:image/png;base64,${data}` } })
      expect(chat.find(({ role }: { role: string }) => role === 'user').content[1]).toMatchObject(url(PROMPT_IMAGE))
      expect(chat.at(-2)).toMatchObject({
        role: 'tool',
        content: expect.stringContaining('b.png (image/png, 70 bytes)'),
      })
      expect(chat.at(-1)).toMatchObject({ role: 'user', content: [url(RESULT_IMAGE)] })
    }
    expect(JSON.stringify((await sent(responses)).input)).toContain(`data:image/png;base64,${RESULT_IMAGE}`)
  })

  it('of a result join the user turn behind it, so that roles alternate', async () => {
    const mail: Turn = { role: 'user', content: [{ type: 'text', text: 'One more thing.' }] }
    const { messages } = await sent(seeing, { turns: [...turns, mail] })
    expect(messages.at(-1)).toMatchObject({
      role: 'user',
      content: [{ type: 'image_url' }, { text: 'One more thing.' }],
    })
    expect(messages.at(-2).role).toBe('tool')
  })

  it.for([
    ['lab/qwen3:8b', {}],
    ['lab/own-model', { 'lab/own-model': { images: false } }],
  ] as const)('are a line of text for %s, which accepts none', async ([name, models]) => {
    server.play({ pieces: compatible.good })
    const providers = { lab: { baseUrl: server.url, kind: 'compatible' as const } }
    const model = await resolveModel(name, {}, { providers, models }, instantServices())
    expect(model.acceptsImages).toBe(false)
    expect((await ask(model, { ...request, turns })).error).toBeUndefined()
    const body = JSON.stringify(server.asked[0]!.body)
    expect(body).not.toContain('iVBORw0KGgo')
    expect(body).toContain('which this model cannot see')
  })

  it('that a provider refuses are named with the setting that helps', async () => {
    const body = JSON.stringify({ error: { message: 'This model does not support image input.' } })
    server.play({ status: 400, body, headers: { 'content-type': 'application/json' } })
    const providers = { lab: { baseUrl: server.url, kind: 'compatible' as const } }
    const model = await resolveModel('lab/blind', {}, { providers }, instantServices())
    const { error } = await ask(model, { ...request, turns })
    expect((error as Error).message).toContain('set models."lab/blind".images to false')
    const without = await ask(model)
    expect((without.error as Error).message).not.toContain('images to false')
  })

  it('are refused only for models that are known to accept text only', () => {
    const blind = [
      'gpt-4',
      'gpt-3.5-turbo',
      'o3-mini',
      'deepseek-chat',
      'qwen3:8b',
      'qwen3',
      'llama3.1:70b',
      'gpt-oss:20b',
    ]
    const others = [
      'gpt-4o',
      'gpt-4.1',
      'gpt-4-turbo',
      'gpt-6-sol',
      'claude-sonnet-5',
      'gemini-3.8-flash',
      'llama3.2-vision',
      'qwen2.5vl:7b',
      'qwen3-vl:8b',
      'llava',
      'own-model',
    ]
    expect([blind.filter((name) => !isTextOnly(name)), others.filter(isTextOnly)]).toEqual([[], []])
    expect(isTextOnly('openai/gpt-3.5-turbo')).toBe(true)
  })
})
