import { PassThrough } from 'node:stream'
import { expect, it } from 'vitest'
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
