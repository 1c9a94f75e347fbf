import { LLMock } from '@copilotkit/aimock'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Turn } from '../../../src/models/model.ts'
import { ask, instantServices, modelAt, request, shownText } from '../harness.ts'
import { formats } from './formats.ts'

// What our own server says we wrote ourselves; this one was written by others, from the vendors' documents.
let mock: LLMock
beforeAll(async () => {
  mock = new LLMock({ port: 0 })
  mock.on(
    { userMessage: 'Read a.txt', hasToolResult: false },
    {
      toolCalls: [{ name: 'read_file', arguments: '{"path":"a.txt"}' }],
    },
  )
  mock.on({ userMessage: 'Read a.txt', hasToolResult: true }, { content: 'It says hello.' })
  await mock.start()
})
afterAll(() => mock.stop())

describe.each(formats)('$name against an independent mock server', (format) => {
  it('calls a tool, receives its result and finishes', async () => {
    const model = await modelAt(format, mock.url, instantServices())
    const first = await ask(model)
    expect(first.error).toBeUndefined()
    const call = first.reply!.turn.content.find((part) => part.type === 'tool-call')!
    expect(call).toMatchObject({ toolName: 'read_file', input: { path: 'a.txt' } })
    const output = { type: 'text', value: 'hello' } as const
    const result: Turn = {
      role: 'tool',
      content: [{ type: 'tool-result', toolCallId: call.toolCallId, toolName: 'read_file', output }],
    }
    const second = await ask(model, { ...request, turns: [...request.turns, first.reply!.turn, result] })
    expect(second.error).toBeUndefined()
    expect(shownText(second.events)).toBe('It says hello.')
    expect(second.reply).toMatchObject({ end: 'finished' })
  }) // A8, D1
})
