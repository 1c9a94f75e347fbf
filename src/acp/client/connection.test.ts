import { PassThrough } from 'node:stream'
import { expect, it, vi } from 'vitest'
import { manualClock } from '../../testing/manual-clock.ts'
import { connectVendor } from './connection.ts'

it('ends a program that does not answer initialize in time, and says so', async () => {
  const clock = manualClock()
  const ends: (number | undefined)[] = []
  const connection = connectVendor({
    ...{ title: 'The agent vera', clock },
    process: {
      ...{ stdin: new PassThrough(), stdout: new PassThrough(), stderr: new PassThrough() },
      ended: new Promise(() => {}),
      end: async (graceMs) => void ends.push(graceMs),
    },
    handler: { onUpdate() {}, onPermission: async () => ({ outcome: 'cancelled' }) },
  })
  const answer = connection.initialize().catch((error: unknown) => error)
  clock.advance(59)
  expect([connection.why, ends]).toEqual([undefined, []])
  clock.advance(1)
  expect(await answer).toMatchObject({
    code: 'vendor_agent_failed',
    message: 'The agent vera ended: it did not answer initialize within 60 s.',
  })
  expect(ends).toEqual([0])
  expect(clock.next).toBeUndefined()
})

/** A program that is spoken to, and whose streams a test holds. */
function program() {
  const clock = manualClock()
  const [stdin, stdout, stderr] = [new PassThrough(), new PassThrough(), new PassThrough()]
  let end = (_: string) => {}
  const ended = new Promise<string>((resolve) => {
    end = resolve
  })
  const connection = connectVendor({
    ...{ title: 'The agent vera', clock, secrets: ['hunter2-is-mine'] },
    process: { stdin, stdout, stderr, ended, end: async () => {} },
    handler: { onUpdate() {}, onPermission: async () => ({ outcome: 'cancelled' }) },
  })
  return { clock, stdout, stderr, end, connection, answer: connection.initialize().catch((error: unknown) => error) }
}

it('names the exit code and last words of a program that ended at its start, without secrets', async () => {
  const { answer, stdout, stderr, end } = program()
  stderr.write(`${'x '.repeat(5000)}\x1b[31mError: no model for sk-ant-api03-${'a'.repeat(90)} and hunter2-is-`)
  stdout.end()
  // The exit code is known later than the end of the output, and the last words later than the exit code.
  await new Promise(setImmediate)
  end('it ended with exit code 3')
  await new Promise(setImmediate)
  stderr.end('mine\n')
  const { message } = (await answer) as Error
  expect(message).toMatch(/^The agent vera ended: it ended with exit code 3\. It wrote: ….*Error: no model for/)
  for (const text of ['sk-ant', 'aaaa', 'hunter2', '\x1b']) expect(message).not.toContain(text)
  expect(message.length).toBeLessThan(700)
})

it('ends a program that closed its output and goes on, and says so', async () => {
  const { answer, stdout, clock, connection } = program()
  stdout.end()
  await vi.waitUntil(() => connection.why !== undefined)
  clock.advance(1)
  expect(await answer).toMatchObject({ message: 'The agent vera ended: it closed the connection.' })
})

it('ends a program that sends more bytes in a second than it may, and says so', async () => {
  const { answer, stdout, clock, connection } = program()
  const line = `${JSON.stringify({ jsonrpc: '2.0', method: 'other', params: { text: 'x'.repeat(4 << 20) } })}\n`
  const send = async (lines: number) => {
    for (let i = 0; i < lines && connection.why === undefined; i++)
      await new Promise((resolve) => stdout.write(line, resolve))
    await new Promise(setImmediate)
  }
  await send(14)
  clock.advance(1)
  await send(14)
  expect(connection.why).toBeUndefined()
  await send(4)
  expect(await answer).toMatchObject({ message: 'The agent vera ended: it sent more than 64 MB in a second.' })
})
