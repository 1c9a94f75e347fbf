import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { contentHash, fingerprintText, readFingerprint } from './hash.ts'

describe('the fingerprint of a message', () => {
  it('is written as in every earlier snapshot and repaired journal', () => {
    const text = fingerprintText(contentHash({ type: 'message', from: 'ada', content: 'Grüße, 你好' }))
    expect(text).toBe('ktrf34.l')
  })

  it('survives writing and reading, however long the message is', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), fc.constantFrom(1, 1000, 300_000), (content, times) => {
        const print = contentHash({ type: 'message', from: 'ada', content: content.repeat(times) })
        expect(readFingerprint(fingerprintText(print))).toBe(print)
      }),
      { numRuns: 30 },
    )
  })

  it('differs when the text, the sender or the type differs', () => {
    const message = { type: 'message', from: 'ada', content: 'done' } as const
    const others = [{ content: 'dome' }, { content: 'done ' }, { from: 'bob' }, { type: 'broadcast' as const }]
    for (const other of others) expect(contentHash({ ...message, ...other })).not.toBe(contentHash(message))
  })
})
