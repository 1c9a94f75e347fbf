import type { AnyMessage } from '@agentclientprotocol/sdk'
import { expect, it } from 'vitest'
import { guardedStream } from './guarded-stream.ts'

function streams() {
  const updates: unknown[] = []
  const fromProgram = new TransformStream<AnyMessage, AnyMessage>()
  const toProgram = new TransformStream<AnyMessage, AnyMessage>()
  const stream = guardedStream(
    { readable: fromProgram.readable, writable: toProgram.writable },
    { onMessage() {}, onUpdate: (params) => updates.push(params) },
  )
  return {
    updates,
    program: { writer: fromProgram.writable.getWriter(), reader: toProgram.readable.getReader() },
    ours: { writer: stream.writable.getWriter(), reader: stream.readable.getReader() },
  }
}

it('passes the answer to a request, also after requests of the program with the same number', async () => {
  const { program, ours, updates } = streams()
  const prompt = { jsonrpc: '2.0', id: 2, method: 'session/prompt', params: {} } as const
  void ours.writer.write(prompt)
  expect((await program.reader.read()).value).toEqual(prompt)
  const messages = [
    { jsonrpc: '2.0', id: 2, method: 'session/request_permission', params: {} },
    { jsonrpc: '2.0', method: 'session/update', params: { sessionId: 's' } },
    { jsonrpc: '2.0', id: 7, result: 'an answer that was not asked for' },
    { jsonrpc: '2.0', id: 2, result: { stopReason: 'end_turn' } },
    { jsonrpc: '2.0', id: 2, result: 'the same answer again' },
    { jsonrpc: '2.0', id: 9, method: 'terminal/create', params: {} },
  ] as AnyMessage[]
  for (const message of messages) void program.writer.write(message)
  const passed: unknown[] = []
  for (let i = 0; i < 3; i++) passed.push((await ours.reader.read()).value)
  expect(passed).toEqual([messages[0], messages[3], messages[5]])
  expect(updates).toEqual([{ sessionId: 's' }])
})
