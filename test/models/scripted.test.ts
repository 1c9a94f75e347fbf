import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { malformedInput } from '../../src/models/malformed-input.ts'
import type { AssistantTurn, ModelFailure, ToolCall, Turn } from '../../src/models/model.ts'
import { resolveModel } from '../../src/models/resolve-model.ts'
import type { Script } from '../../src/models/scripted/script.ts'
import { scriptedModel } from '../../src/models/scripted/scripted-model.ts'
import { ask, instantServices, request } from './harness.ts'

const said = (text: string): Turn => ({ role: 'user', content: [{ type: 'text', text }] })
const got = (tool: string, value: string): Turn => ({
  role: 'tool',
  content: [{ type: 'tool-result', toolCallId: 'x', toolName: tool, output: { type: 'text', value } }],
})
const answered: Turn = { role: 'assistant', content: [{ type: 'text', text: 'before' }] }
const textOf = (turn: AssistantTurn | undefined) =>
  turn?.content.map((part) => ('text' in part ? part.text : '')).join('')
const say = async (parts: Script['parts'], turns: Turn[], agent = 'lead') =>
  textOf((await ask(scriptedModel({ parts }), { ...request, agent, turns })).reply?.turn)

describe('a scripted model', () => {
  it('answers with its parts in order, each once', async () => {
    const model = scriptedModel({ parts: [{ text: 'one' }, { text: 'two' }] })
    expect(textOf((await ask(model)).reply?.turn)).toBe('one')
    expect(textOf((await ask(model)).reply?.turn)).toBe('two')
    expect((await ask(model)).error).toMatchObject({ fault: 'script' })
  })

  it('answers by agent', async () => {
    const parts = [
      { agent: 'lead', text: 'I lead' },
      { agent: ['ada', 'bob'], text: 'I work' },
    ]
    expect(await say(parts, [said('x')], 'bob')).toBe('I work')
    expect(await say(parts, [said('x')], 'lead')).toBe('I lead')
  })

  it.each([
    [{ user: 'hello' }, [said('well, hello')], [said('hello'), answered, said('bye')]],
    [{ user: '/^HELLO/i' }, [said('hello you')], [said('well, hello')]],
    [{ user: /he+llo/g }, [said('heeello')], [said('hllo')]],
    [{ result: 'green' }, [answered, got('bash', 'all green')], [got('bash', 'green'), answered, said('green')]],
    [{ result: { tool: 'bash' } }, [got('bash', '')], [got('read_file', '')]],
    [{ result: { tool: 'bash', text: 'ok' } }, [got('bash', 'ok')], [got('bash', 'no'), got('grep', 'ok')]],
    [{ conversation: 'once' }, [said('once'), answered, said('now')], [said('now')]],
    [{ answer: 2 }, [answered, said('x')], [said('x')]],
    [{ system: 'lead' }, [said('x')], undefined],
  ])('matches the conversation: %j', async (when, fits, fitsNot) => {
    const parts = [{ when, text: 'yes' }, { text: 'no' }]
    expect(await say(parts, fits as Turn[])).toBe('yes')
    if (fitsNot) expect(await say(parts, fitsNot as Turn[])).toBe('no')
  })

  it('streams in pieces, with latency, the same every time', async () => {
    const world = instantServices()
    const parts = [{ text: 'abcdefg', reasoning: 'hm', chunk: 3, delay: 2, pace: 0.5, times: 'always' as const }]
    const model = scriptedModel({ parts }, { pause: world.pause })
    const first = await ask(model)
    expect(first.events).toEqual([
      { type: 'reasoning', delta: 'hm' },
      { type: 'text', delta: 'abc' },
      { type: 'text', delta: 'def' },
      { type: 'text', delta: 'g' },
    ])
    expect(world.pauses).toEqual([2, 0.5, 0.5, 0.5, 0.5])
    expect(await ask(model)).toEqual(first)
  })

  it('calls tools, with ids that are the same in every run and different in every answer', async () => {
    const calls = [
      { tool: 'bash', input: { command: 'ls' } },
      { tool: 'read_file', malformed: '{"path' },
    ]
    const { reply } = await ask(scriptedModel({ parts: [{ calls }] }), {
      ...request,
      turns: [said('x'), answered, said('y')],
    })
    const [bash, read] = reply!.turn.content as ToolCall[]
    expect(bash).toMatchObject({ toolCallId: 'call_2_1', toolName: 'bash', input: { command: 'ls' } })
    expect(read).toMatchObject({ toolCallId: 'call_2_2', input: {} })
    expect(malformedInput(read!)).toBe('{"path')
  })

  it('fails as scripted, before or after some text', async () => {
    const before = await ask(scriptedModel({ parts: [{ error: { fault: 'overloaded', retryAfter: 3 } }] }))
    expect(before.error).toMatchObject({ fault: 'overloaded', emitted: false, retryAfter: 3 })
    const after = await ask(scriptedModel({ parts: [{ text: 'Half', error: { fault: 'cut off' } }] }))
    expect(after.error).toMatchObject({ fault: 'cut off', emitted: true })
    expect(after.events).toEqual([{ type: 'text', delta: 'Half' }])
  })

  it('costs nothing unless the script has a price, and estimates its usage', async () => {
    const { reply } = await ask(scriptedModel({ parts: [{ text: 'yes' }] }))
    expect(reply).toMatchObject({ cost: 0 })
    expect(reply!.usage.input).toBeGreaterThan(5)
    const price = { input: 1, output: 1, cacheRead: 1, cacheWrite: 1 }
    const dear = await ask(scriptedModel({ price, parts: [{ text: 'yes', usage: { input: 1e6, output: 1e6 } }] }))
    expect(dear.reply?.cost).toBe(2)
  })

  it('costs what the script says, and nothing without a price', () => {
    const { price } = scriptedModel({ parts: [], price: { input: 1000, output: 2000 } })
    expect(price).toEqual({ input: 1000, output: 2000, cacheRead: 0, cacheWrite: 0 })
    expect(scriptedModel({ parts: [] }).price).toEqual({ input: 0, output: 0, cacheRead: 0, cacheWrite: 0 })
  })

  it('shows the request when no part matches, and why each unused part did not match', async () => {
    const parts = [
      { agent: 'lead', when: { user: 'goodbye' }, text: 'x' },
      { when: { result: { tool: 'bash', text: 'ok' } }, text: 'x' },
    ]
    const turns = [said('x'), answered, got('bash', 'not found'), said('hello')]
    const { error } = await ask(scriptedModel({ parts }), { ...request, turns })
    const { message, fault } = error as ModelFailure
    expect(fault).toBe('script')
    for (const piece of [
      'lead (answer 2',
      '"hello"',
      'bash: "not found"',
      'part 1: the user turn does not contain "goodbye"',
      'part 2: no result of bash contains "ok"',
    ])
      expect(message).toContain(piece)
  })

  it('yields to the event loop before each answer, so that an endless script can be stopped', async () => {
    const model = scriptedModel({ parts: [{ times: 'always', text: 'again' }] })
    let isStopped = false
    setImmediate(() => {
      isStopped = true
    })
    let answers = 0
    for (; answers < 100 && !isStopped; answers++) await ask(model)
    expect(answers).toBe(1)
  })

  it('never returns an empty answer', async () => {
    expect((await ask(scriptedModel({ parts: [{ delay: 0 }] }))).error).toMatchObject({ fault: 'empty' })
  })

  it('computes answers in a script that is a program', async () => {
    const parts = [{ compose: ({ turns }: { turns: readonly Turn[] }) => ({ text: `${turns.length} turns` }) }]
    expect(await say(parts, [said('x'), answered, said('y')])).toBe('3 turns')
  })

  it('waits for a composed answer, and stops waiting when its signal aborts', async () => {
    const stop = new AbortController()
    const later = scriptedModel({ parts: [{ compose: async () => ({ text: 'later' }) }] })
    expect(textOf((await ask(later)).reply?.turn)).toBe('later')
    const never = scriptedModel({
      parts: [{ compose: (_, signal) => new Promise((_, reject) => (signal.onabort = () => reject(signal.reason))) }],
    })
    const answer = ask(never, request, { signal: stop.signal })
    setImmediate(() => setImmediate(() => stop.abort('enough')))
    expect((await answer).error).toBe('enough')
  })

  it('gives a call its id and an answer its cost where the script names them', async () => {
    const parts = [{ calls: [{ tool: 'bash', id: 'a' }, { tool: 'bash' }], cost: null }]
    const { reply } = await ask(scriptedModel({ parts }))
    expect(reply?.turn.content).toMatchObject([{ toolCallId: 'a' }, { toolCallId: 'call_1_2' }])
    expect(reply?.cost).toBeNull()
  })

  it('reports where a script is invalid', () => {
    const script = { parts: [{ text: 'x', tmies: 3 }] } as unknown as Script
    expect(() => scriptedModel(script)).toThrow(/parts\.0.*scripted-model\.md/)
  })
})

describe('a script in a file', () => {
  let dir: string
  beforeEach(() => {
    dir = mkdtempSync(join(tmpdir(), 'deskmates-script-'))
  })
  afterEach(() => rmSync(dir, { recursive: true, force: true }))

  it.each([
    ['script.json', '{ "parts": [{ "text": "from a file" }] }'],
    ['script.mjs', 'export default { parts: [{ text: "from a file" }] }'],
  ])('is read from %s by -m scripted:FILE', async (name, text) => {
    writeFileSync(join(dir, name), text)
    const model = await resolveModel(`scripted:${join(dir, name)}`, {}, {}, instantServices())
    expect(textOf((await ask(model)).reply?.turn)).toBe('from a file')
  })

  it('that is missing or not JSON is an error that names the file', async () => {
    await expect(resolveModel(`scripted:${join(dir, 'gone.json')}`, {})).rejects.toThrow(/gone\.json/)
    writeFileSync(join(dir, 'bad.json'), '{ "parts": [')
    await expect(resolveModel(`scripted:${join(dir, 'bad.json')}`, {})).rejects.toThrow(/bad\.json/)
  })
})
