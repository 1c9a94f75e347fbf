import fc from 'fast-check'
import { expect, it } from 'vitest'
import { isMessage, Message } from './message.ts'

it('accepts exactly the messages that the schema of messages accepts', () => {
  const member = fc.oneof(
    fc.string(),
    fc.constantFrom('message', 'broadcast', 'result', 'nonsense', 'a b', 'x'.repeat(513)),
    fc.double(),
    fc.constant(null),
    fc.constant(Number.NaN),
    fc.object(),
  )
  const good = { id: 'm1', type: 'message', from: 'ada', to: 'bob', content: 'hi', timestamp: 1.5 }
  const changed = fc
    .dictionary(fc.constantFrom('id', 'type', 'from', 'to', 'content', 'timestamp', 'extra'), member)
    .map((changes): unknown => ({ ...good, ...changes }))
  const missing = fc
    .subarray(Object.keys(good))
    .map((keys): unknown => Object.fromEntries(keys.map((k) => [k, good[k as keyof typeof good]])))
  fc.assert(
    fc.property(fc.oneof(changed, missing, member, fc.array(member)), (value) => {
      expect(isMessage(value)).toBe(Message.safeParse(value).success)
    }),
    { numRuns: 2000 },
  )
  expect(isMessage(good)).toBe(true)
}) // F20
