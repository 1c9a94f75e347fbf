import { readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { type CommandHarness, commandHarness } from '../../../test/cli/command-harness.ts'
import type { Script } from '../../models/scripted/script.ts'
import { Line } from '../../session/wire/envelope.ts'

let cli: CommandHarness
beforeEach(() => {
  cli = commandHarness()
})
afterEach(() => cli.close())

function script(...parts: Script['parts']): string {
  const path = join(cli.dir, '..', 'script.json')
  writeFileSync(path, JSON.stringify({ parts }))
  return `scripted:${path}`
}
const STREAM = ['-p', '--input-format', 'stream-json', '--output-format', 'stream-json']
const user = (content: unknown) => `${JSON.stringify({ type: 'user', message: { role: 'user', content } })}\n`

async function* pieces(...texts: (string | Uint8Array)[]) {
  yield* texts
}

async function converse(input: (string | Uint8Array)[], model: string, more: string[] = []) {
  const { code, stdout, stderr } = await cli.run([...STREAM, '-m', model, ...more], { stdin: pieces(...input) })
  const lines = stdout
    .split('\n')
    .filter(Boolean)
    .map((line) => Line.parse(JSON.parse(line)))
  const results = lines.flatMap((line) => (line.type === 'result' ? [line] : []))
  const [error] = stderr.split('\n').flatMap((line) => (line.includes('"error"') ? [JSON.parse(line).error] : []))
  return { code, lines, results, error }
}

describe('--input-format stream-json', () => {
  it('answers one message after the other in one session, each with a result, until stdin ends', async () => {
    const model = script(
      { when: { answer: 1, user: 'the word is fig' }, text: 'I shall remember.' },
      { when: { answer: 2, user: 'what was it', conversation: 'the word is fig' }, text: 'fig' },
    )
    // Split anywhere, an empty line between them, and no newline at the end.
    const whole = Buffer.from(
      `${user('the word is fig ✓')}\n${user([{ type: 'text', text: 'what was it?' }]).trimEnd()}`,
    )
    const input = Array.from({ length: Math.ceil(whole.length / 7) }, (_, i) => whole.subarray(i * 7, i * 7 + 7))
    const { code, lines, results } = await converse(input, model)
    expect({ code, texts: results.map(({ result }) => result) }).toEqual({
      code: 0,
      texts: ['I shall remember.', 'fig'],
    })
    expect(new Set(lines.map(({ session_id }) => session_id)).size).toBe(1)
    expect(lines.filter((line) => line.type === 'system')).toHaveLength(1)
    expect(results.map(({ num_turns }) => num_turns)).toEqual([1, 1])
    expect(readdirSync(join(cli.dir, '.teams')).filter((name) => name.startsWith('s-'))).toHaveLength(1)
  })

  it('goes on after a turn that failed, and its exit code says that one did', async () => {
    const model = script(
      { when: { user: 'one' }, error: { fault: 'request' } },
      { when: { user: 'two' }, text: 'done' },
    )
    const { code, results } = await converse([user('one'), user('two')], model)
    expect({ code, ends: results.map(({ is_error }) => is_error) }).toEqual({ code: 1, ends: [true, false] })
  })

  it('counts the limits over all messages, and reads no more when one is reached', async () => {
    const model = script({ times: 'always', text: 'ok' })
    const { code, results } = await converse([user('one'), user('two'), user('three'), user('four')], model, [
      ...['--max-turns', '2'],
    ])
    expect(code).toBe(3)
    expect(results.map(({ subtype }) => subtype)).toEqual(['success', 'success', 'error_max_turns'])
  })

  const deep = `{"type":"user","message":{"role":"user","content":${'['.repeat(200_000)}`
  it.each<[string, string | Uint8Array, RegExp]>([
    ['no JSON', 'hello\n', /Line 2 of stdin is not a message: it is not JSON/],
    ['a list', '[]\n', /Line 2 .*it is not an object/],
    ['another type', '{"type":"control_request"}\n', /its type is "control_request", not "user"/],
    ['no type', '{}\n', /its type is missing/],
    ['another role', '{"type":"user","message":{"role":"assistant","content":"x"}}\n', /message\.role/],
    ['no content', '{"type":"user","message":{"role":"user"}}\n', /message\.content: it is neither a text nor a list/],
    ['an empty text', user('  \n '), /its text is empty/],
    ['an image', user([{ type: 'image', source: {} }]), /write the image to a file and name it in the text/],
    ['a tool result', user([{ type: 'tool_result' }]), /a block of the type "tool_result" is not text/],
    ['a text block without text', user([{ type: 'text' }]), /a block of the type "text" is not text/],
    ['a raw NUL', '{"type":"user","message":{"role":"user","content":"\u0000"}}\n', /it is not JSON/],
    ['bytes that are not UTF-8', Buffer.from([0x22, 0xff, 0xfe, 0x22, 0x0a]), /it is not UTF-8/],
    ['more than a prompt may hold', user('x'.repeat(1024 * 1024 + 1)), /its text has more than 1 MB/],
    ['a line without an end', 'x'.repeat(9 * 1024 * 1024), /it has more than 8 MB/],
    ['a line nested without end', `${deep}\n`, /Line 2 of stdin is not a message: /],
    ['a line nested deeply', `${deep}${']'.repeat(200_000)}}}\n`, /Line 2 of stdin is not a message: /],
  ])('refuses %s with the number of the line, after the messages before it', async (_, line, why) => {
    const { code, results, error } = await converse([user('hi'), line], script({ times: 'always', text: 'ok' }))
    expect({ code, answered: results.length, error: error?.code }).toEqual({ code: 2, answered: 1, error: 'misused' })
    expect(error.message).toMatch(why)
    expect(error.message).toMatch(/The messages before it were answered; continue with: deskmates -r s-/)
  })

  it('leaves nothing behind where the first line is wrong, or none comes', async () => {
    const model = script({ times: 'always', text: 'ok' })
    for (const input of [['what\n'], [], ['\n\n']]) {
      const { code, lines } = await converse(input, model)
      expect({ code, lines }).toEqual({ code: 2, lines: [] })
    }
    expect(() => readdirSync(join(cli.dir, '.teams'))).toThrow('ENOENT')
  })

  it('takes half of a surrogate pair and a NUL as text that every store can hold', async () => {
    const { code, lines } = await converse(
      ['{"type":"user","message":{"role":"user","content":"a\\ud800b"}}\n'],
      script({ times: 'always', text: 'ok' }),
    )
    const input = lines.find((line) => line.type === 'user')
    expect([code, JSON.stringify(input?.message)]).toEqual([0, expect.stringContaining('a\ufffdb')])
  })

  it('ends when it is interrupted while it waits for a message', async () => {
    const interrupt = new AbortController()
    const stdin = (async function* () {
      yield user('hi')
      interrupt.abort()
      await new Promise(() => {})
    })()
    const { code } = await cli.run([...STREAM, '-m', script({ times: 'always', text: 'ok' })], {
      stdin,
      signal: interrupt.signal,
    })
    expect(code).toBe(0)
  })

  it.each([
    ['text output', ['-p', '--input-format', 'stream-json'], /works with --output-format stream-json only/],
    ['JSON output', ['-p', '--input-format', 'stream-json', '--json'], /works with --output-format stream-json only/],
    ['a prompt besides', [...STREAM, 'do it'], /Leave out the one on the command line/],
    ['an unknown format', ['-p', '--input-format', 'xml'], /Allowed choices are text, stream-json/],
    [
      'parts without a stream',
      ['-p', 'x', '--include-partial-messages'],
      /works with --output-format stream-json only/,
    ],
  ])('is refused with %s', async (_, words, why) => {
    const { code, stderr } = await cli.run([...words, '-m', 'scripted:none'])
    expect([code, stderr]).toEqual([2, expect.stringMatching(why)])
  })
})

describe('--include-partial-messages', () => {
  it('prints an answer in parts before it, which together are the answer', async () => {
    const text = 'A sentence that is written in several pieces, one after the other.'
    const model = script({ reasoning: 'I think.', text })
    const words = ['-p', 'write', '-m', model, '--output-format', 'stream-json']
    const parts = async (more: string[]) => {
      const { stdout } = await cli.run([...words, ...more])
      const lines = stdout.split('\n').filter(Boolean)
      return lines.map((line) => Line.parse(JSON.parse(line)))
    }
    expect((await parts([])).some(({ type }) => type === 'stream_event')).toBe(false)
    const lines = await parts(['--include-partial-messages'])
    const events = lines.flatMap((line) => (line.type === 'stream_event' ? [line.event] : []))
    const joined = (kind: string) =>
      events.map(({ delta }) => (delta.type !== kind ? '' : 'text' in delta ? delta.text : delta.thinking)).join('')
    expect([joined('thinking_delta'), joined('text_delta')]).toEqual(['I think.', text])
    expect(events.filter(({ delta }) => delta.type === 'text_delta').length).toBeGreaterThan(1)
    expect(new Set(events.map(({ delta, index }) => `${index} ${delta.type}`))).toEqual(
      new Set(['0 thinking_delta', '1 text_delta']),
    )
    const types = lines.map(({ type }) => type)
    expect(types.lastIndexOf('stream_event')).toBeLessThan(types.indexOf('assistant'))
  })

  it('shows no secret that is split over several parts', async () => {
    const key = 'sk-ant-api03-abcdefghijklmnopqrstuvwxyz0123456789'
    const model = script({ text: `the key is ${key} and more words`, chunk: 7 })
    const words = ['-p', 'write', '-m', model, '--output-format', 'stream-json', '--include-partial-messages']
    const { stdout } = await cli.run(words, { env: { ...cli.env, LAB_API_KEY: key } })
    const text = stdout
      .split('\n')
      .filter(Boolean)
      .map((line) => Line.parse(JSON.parse(line)))
      .map((line) => (line.type === 'stream_event' && 'text' in line.event.delta ? line.event.delta.text : ''))
      .join('')
    expect(text).toBe('the key is [redacted] and more words')
  })
})
