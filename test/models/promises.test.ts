import { describe, expect, it } from 'vitest'
import { ModelFailure } from '../../src/models/model.ts'
import { modelFrom } from '../../src/models/providers/model-from.ts'
import { withRetries } from '../../src/models/retry.ts'
import { ask, instantServices, shownText } from './harness.ts'
import { finish, streaming, text } from './providers/streaming.ts'

describe('the answer of a model', () => {
  it('does not retry an answer once part of it was shown', async () => {
    const broken = [...text('Half a sen'), { type: 'error', error: { type: 'overloaded_error', message: 'Full' } }]
    const languageModel = streaming(broken, [...text('Half a sentence.'), finish('stop')])
    const { events, error } = await ask(withRetries([modelFrom(languageModel)], instantServices()))
    expect(shownText(events)).toBe('Half a sen')
    expect(error).toBeInstanceOf(ModelFailure)
    expect(error).toMatchObject({ fault: 'overloaded', emitted: true })
    expect(languageModel.calls).toHaveLength(1)
  }) // F35

  it('never treats an empty answer as a success', async () => {
    const languageModel = streaming([finish('stop')])
    const { reply, error } = await ask(withRetries([modelFrom(languageModel)], instantServices()))
    expect(reply).toBeUndefined()
    expect(error).toMatchObject({ fault: 'empty', emitted: false })
    expect(languageModel.calls.length).toBeGreaterThan(1)
  }) // F35, F37
})
