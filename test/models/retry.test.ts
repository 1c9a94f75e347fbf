import { describe, expect, it } from 'vitest'
import type { ModelFault } from '../../src/models/model.ts'
import { modelFrom } from '../../src/models/providers/model-from.ts'
import { withRetries } from '../../src/models/retry.ts'
import { scriptedModel } from '../../src/models/scripted/scripted-model.ts'
import { ask, instantServices } from './harness.ts'
import { streaming, text } from './providers/streaming.ts'

const fails = (fault: Exclude<ModelFault, 'script'>, retryAfter?: number, times: number | 'always' = 'always') =>
  scriptedModel(
    { parts: [{ times, error: { fault, ...(retryAfter !== undefined && { retryAfter }) } }] },
    { name: fault },
  )
const answers = scriptedModel({ parts: [{ times: 'always', text: 'yes' }] }, { name: 'fallback' })

describe('a retry', () => {
  it('waits twice as long each time, with jitter', async () => {
    const services = instantServices()
    await ask(withRetries([fails('overloaded')], services))
    expect(services.pauses).toEqual([0.75, 1.5, 3, 6, 12])
  }) // F35

  it('waits at least as long as the provider asks', async () => {
    const services = instantServices()
    const { events } = await ask(withRetries([fails('overloaded', 20)], services))
    expect(services.pauses).toHaveLength(5)
    expect(Math.min(...services.pauses)).toBeGreaterThanOrEqual(20)
    expect(events[0]).toMatchObject({ type: 'waiting', provider: 'scripted', seconds: 21 })
  }) // F35

  it('does not happen when the provider asks for a wait of an hour', async () => {
    const services = instantServices()
    const { error } = await ask(withRetries([fails('rate limit', 3600)], services))
    expect(error).toMatchObject({ fault: 'rate limit', retryAfter: 3600 })
    expect(services.pauses).toEqual([])
  })

  it.each(['key', 'request', 'too long', 'refused'] as const)('does not happen after the fault %s', async (fault) => {
    const services = instantServices()
    const { error } = await ask(withRetries([fails(fault)], services))
    expect(error).toMatchObject({ fault })
    expect(services.pauses).toEqual([])
  })

  it('reports in the failure how often the model was called', async () => {
    const { error } = await ask(withRetries([modelFrom(streaming([]))], instantServices()))
    expect(error).toMatchObject({ fault: 'cut off', message: expect.stringContaining('Tried 4 times') })
  })

  it('ends at once with the reason of an abort', async () => {
    const stop = new AbortController()
    const services = { ...instantServices(), pause: async () => stop.abort(new Error('enough')) }
    const { error } = await ask(withRetries([fails('server')], services), undefined, { signal: stop.signal })
    expect(error).toMatchObject({ message: 'enough' })
  })
})

describe('a chain of models', () => {
  it('calls the next model when one has failed for good, and reports the fallback', async () => {
    const { reply, events } = await ask(withRetries([fails('key'), answers], instantServices()))
    expect(events[0]).toMatchObject({ type: 'fallback', from: 'key', to: 'fallback' })
    expect(reply).toMatchObject({ model: 'fallback' })
  }) // F35

  it('throws the last failure when no model is left', async () => {
    const { error } = await ask(withRetries([fails('key'), fails('server')], instantServices()))
    expect(error).toMatchObject({ fault: 'server', model: 'server' })
  }) // F35

  it('does not call the next model when the conversation is too long and has to be compacted', async () => {
    const { error } = await ask(withRetries([fails('too long'), answers], instantServices()))
    expect(error).toMatchObject({ fault: 'too long' })
  })

  it('does not call the next model once part of an answer was shown', async () => {
    const broken = modelFrom(streaming([...text('Half'), { type: 'error', error: new Error('gone') }]))
    const { error, events } = await ask(withRetries([broken, answers], instantServices()))
    expect(error).toMatchObject({ emitted: true })
    expect(events).toEqual([{ type: 'text', delta: 'Half' }])
  }) // F35
})
