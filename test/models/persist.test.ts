import { describe, expect, it } from 'vitest'
import type { ModelFault } from '../../src/models/model.ts'
import { modelFrom } from '../../src/models/model-from.ts'
import { persist } from '../../src/models/persist.ts'
import { scriptedModel } from '../../src/models/scripted/scripted-model.ts'
import { ask, instantWorld } from './asking.ts'
import { streaming, text } from './streaming.ts'

const fails = (fault: Exclude<ModelFault, 'script'>, retryAfter?: number, times: number | 'always' = 'always') =>
  scriptedModel(
    { parts: [{ times, error: { fault, ...(retryAfter !== undefined && { retryAfter }) } }] },
    { name: fault },
  )
const answers = scriptedModel({ parts: [{ times: 'always', text: 'yes' }] }, { name: 'spare' })

describe('trying again', () => {
  it('waits longer each time, by half and chance', async () => {
    const world = instantWorld()
    await ask(persist([fails('overloaded')], world))
    expect(world.pauses).toEqual([0.75, 1.5, 3, 6, 12])
  }) // F35

  it('waits as long as the provider asks, never less', async () => {
    const world = instantWorld()
    const { events } = await ask(persist([fails('overloaded', 20)], world))
    expect(world.pauses).toHaveLength(5)
    expect(Math.min(...world.pauses)).toBeGreaterThanOrEqual(20)
    expect(events[0]).toMatchObject({ type: 'waiting', provider: 'scripted', seconds: 21 })
  }) // F35

  it('does not wait for a provider that wants to be left alone for an hour', async () => {
    const world = instantWorld()
    const { error } = await ask(persist([fails('rate limit', 3600)], world))
    expect(error).toMatchObject({ fault: 'rate limit', retryAfter: 3600 })
    expect(world.pauses).toEqual([])
  })

  it.each(['key', 'request', 'too long', 'refused'] as const)('is no use after %s', async (fault) => {
    const world = instantWorld()
    const { error } = await ask(persist([fails(fault)], world))
    expect(error).toMatchObject({ fault })
    expect(world.pauses).toEqual([])
  })

  it('says how often it tried', async () => {
    const { error } = await ask(persist([modelFrom(streaming([]))], instantWorld()))
    expect(error).toMatchObject({ fault: 'cut off', message: expect.stringContaining('Tried 4 times') })
  })

  it('ends at once with the reason of an abort', async () => {
    const stop = new AbortController()
    const world = { ...instantWorld(), pause: async () => stop.abort(new Error('enough')) }
    const { error } = await ask(persist([fails('server')], world), undefined, { signal: stop.signal })
    expect(error).toMatchObject({ message: 'enough' })
  })
})

describe('a chain of models', () => {
  it('asks the next when one has failed for good, and says so', async () => {
    const { reply, events } = await ask(persist([fails('key'), answers], instantWorld()))
    expect(events[0]).toMatchObject({ type: 'fallback', from: 'key', to: 'spare' })
    expect(reply).toMatchObject({ model: 'spare' })
  }) // F35

  it('ends in the last failure when none is left', async () => {
    const { error } = await ask(persist([fails('key'), fails('server')], instantWorld()))
    expect(error).toMatchObject({ fault: 'server', model: 'server' })
  }) // F35

  it('does not ask the next when the conversation is too long: it has to be compacted', async () => {
    const { error } = await ask(persist([fails('too long'), answers], instantWorld()))
    expect(error).toMatchObject({ fault: 'too long' })
  })

  it('does not ask the next once something was shown', async () => {
    const broken = modelFrom(streaming([...text('Half'), { type: 'error', error: new Error('gone') }]))
    const { error, events } = await ask(persist([broken, answers], instantWorld()))
    expect(error).toMatchObject({ emitted: true })
    expect(events).toEqual([{ type: 'text', delta: 'Half' }])
  }) // F35
})
