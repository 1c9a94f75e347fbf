import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { contentHash, fingerprintText, readFingerprint } from './hash.ts'

describe('the fingerprint of a message', () => {
  it('is written as in every snapshot and repaired journal so far', () => {
    const text = fingerprintText(contentHash({ type: 'message', from: 'ada', content: 'Grüße, 你好' }))
    expect(text).toBe('ktrf34.l')
  })

  it('is the same after it was written down, however long the message', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), fc.constantFrom(1, 1000, 300_000), (content, times) => {
        const print = contentHash({ type: 'message', from: 'ada', content: content.repeat(times) })
        expect(readFingerprint(fingerprintText(print))).toBe(print)
      }),
      { numRuns: 30 },
    )
  })

  it('tells other words, another sender and another type apart', () => {
    const message = { type: 'message', from: 'ada', content: 'done' } as const
    const others = [{ content: 'dome' }, { content: 'done ' }, { from: 'bob' }, { type: 'broadcast' as const }]
    for (const other of others) expect(contentHash({ ...message, ...other })).not.toBe(contentHash(message))
  })
})
