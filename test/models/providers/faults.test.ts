import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { ModelFailure, type ModelFault } from '../../../src/models/model.ts'
import { ask, instantServices, modelAt, type Outcome, shownText } from '../harness.ts'
import { type Format, formats } from './formats.ts'
import { type Act, type WireServer, wireServer } from './wire-server.ts'

interface Fault {
  readonly name: string
  act(format: Format): Act
  /** What the failure may be called when it never gets better. */
  readonly as: readonly ModelFault[]
}

const status = (code: number, body: (format: Format) => string, headers = {}) => ({
  act: (format: Format): Act => ({ status: code, headers, body: body(format) }),
})
const before = ({ good, hidden }: Format) => good.slice(0, hidden)
const after = ({ good, hidden }: Format) => good.slice(0, hidden + 2)
const html = '<html><body>Bad gateway</body></html>'

/** Nothing of an answer was shown, so each is asked again. */
const beforeEmission: readonly Fault[] = [
  { name: '429 with retry-after', ...status(429, (f) => f.refusal, { 'retry-after': '3' }), as: ['rate limit'] },
  { name: '429 without a word', ...status(429, () => ''), as: ['rate limit'] },
  {
    name: '529',
    ...status(529, () => '{"type":"error","error":{"type":"overloaded_error","message":"x"}}'),
    as: ['overloaded'],
  },
  {
    name: '503',
    ...status(503, () => '{"error":{"message":"x","code":503,"status":"UNAVAILABLE"}}'),
    as: ['overloaded'],
  },
  { name: '500', ...status(500, () => '{"error":{"message":"x"}}'), as: ['server'] },
  { name: '502 of a proxy', ...status(502, () => html, { 'content-type': 'text/html' }), as: ['server'] },
  { name: 'a connection closed without an answer', act: () => 'hang up', as: ['network'] },
  { name: 'no answer at all', act: () => 'silence', as: ['time-out'] },
  { name: 'silence in the middle', act: (f) => ({ pieces: before(f), ends: 'silent' }), as: ['time-out'] },
  { name: 'a broken connection', act: (f) => ({ pieces: before(f), ends: 'broken' }), as: ['cut off'] },
  { name: 'half a stream', act: (f) => ({ pieces: before(f) }), as: ['cut off'] },
  { name: 'a stream of nothing', act: () => ({ pieces: [] }), as: ['cut off'] },
  {
    name: 'garbage in the stream',
    act: (f) => ({ pieces: [...before(f), 'data: {"type": garb\n\n'] }),
    as: ['unreadable'],
  },
  { name: 'garbage alone', act: () => ({ pieces: ['data: }{\n\n'] }), as: ['unreadable'] },
  { name: 'a web page', ...status(200, () => html, { 'content-type': 'text/html' }), as: ['unreadable'] },
  { name: 'an error in a 200 stream', act: (f) => ({ pieces: [f.error] }), as: ['overloaded', 'server'] },
  {
    name: 'an error after the first events',
    act: (f) => ({ pieces: [...before(f), f.error] }),
    as: ['overloaded', 'server'],
  },
  { name: 'an answer with nothing in it', act: (f) => ({ pieces: f.empty }), as: ['empty'] },
]

/** Something was shown: asking again would say it twice. */
const afterEmission: readonly Fault[] = [
  { name: 'silence in the middle', act: (f) => ({ pieces: after(f), ends: 'silent' }), as: ['time-out'] },
  { name: 'a broken connection', act: (f) => ({ pieces: after(f), ends: 'broken' }), as: ['cut off'] },
  { name: 'half a stream', act: (f) => ({ pieces: after(f) }), as: ['cut off'] },
  {
    name: 'garbage in the stream',
    act: (f) => ({ pieces: [...after(f), 'data: {"type": garb\n\n'] }),
    as: ['unreadable'],
  },
  { name: 'an error in the stream', act: (f) => ({ pieces: [...after(f), f.error] }), as: ['overloaded', 'server'] },
]

let server: WireServer
beforeAll(async () => {
  server = await wireServer()
})
afterAll(() => server[Symbol.asyncDispose]())

/** Asks a model whose time-outs run out only once the server has fallen silent, and something was shown if it should be. */
async function play(format: Format, isShownBefore: boolean, ...acts: readonly Act[]): Promise<Outcome> {
  const world = instantServices()
  const model = await modelAt(format, server.url, world)
  let repeating: NodeJS.Timeout | undefined
  let isSilent = false
  let isShown = !isShownBefore
  const startFiring = () => {
    // Repeats until the model retries or ends: a timer counts only while the model reads the answer.
    if (isSilent && isShown) repeating ??= setInterval(() => world.fireTimers(), 2)
  }
  const stopFiring = () => {
    clearInterval(repeating)
    repeating = undefined
    isSilent = false
  }
  server.onSilence = () => {
    isSilent = true
    startFiring()
  }
  server.play(...acts)
  const outcome = await ask(model, undefined, {
    seen({ type }) {
      if (type === 'waiting') stopFiring()
      if (type === 'text') isShown = true
      startFiring()
    },
  })
  stopFiring()
  return outcome
}

describe.each(formats)('$name', (format) => {
  it.each(beforeEmission)('recovers from $name with a retry', async ({ act }) => {
    const { reply, events, error } = await play(format, false, act(format), { pieces: format.good })
    expect(error).toBeUndefined()
    expect(shownText(events)).toBe('Reading it.')
    expect(reply?.turn.content).toMatchObject([
      { text: 'Reading it.' },
      { toolName: 'read_file', input: { path: 'a.txt' } },
    ])
    expect(server.asked).toHaveLength(2)
    expect(events[0]).toMatchObject({ type: 'waiting' })
  }) // F35

  it.each(beforeEmission)('throws the matching failure when every try ends with $name', async ({ act, as }) => {
    const { reply, events, error } = await play(format, false, act(format))
    expect(reply).toBeUndefined()
    expect(error).toBeInstanceOf(ModelFailure)
    expect(as).toContain((error as ModelFailure).fault)
    expect(error).toMatchObject({ emitted: false, model: format.model })
    expect((error as ModelFailure).message).toContain(format.model)
    expect(shownText(events)).toBe('')
    expect(server.asked.length).toBeGreaterThan(1)
  }) // F35, F37

  it.each(afterEmission)('is not retried when part of the answer was shown before $name', async ({ act, as }) => {
    const { reply, events, error } = await play(format, true, act(format), { pieces: format.good })
    expect(reply).toBeUndefined()
    expect(as).toContain((error as ModelFailure).fault)
    expect(error).toMatchObject({ emitted: true })
    expect(shownText(events)).toMatch(/^Reading /)
    expect(server.asked).toHaveLength(1)
  }) // F35
})

it('the formats are tested with at least 50 sequences of faults', () => {
  expect(formats.length * (2 * beforeEmission.length + afterEmission.length)).toBeGreaterThanOrEqual(50)
})
