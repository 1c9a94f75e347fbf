import { describe, expect, it } from 'vitest'
import { decode, encode } from './line.ts'
import { withTrailer } from './trailer.ts'

describe('a line', () => {
  it('has a record between newlines, with v first and sum last', () => {
    const text = encode({ tries: 1, extra: 'é\n', after: 'x', id: 'a' })!.bytes.toString()
    expect(text).toMatch(/^\n\{"v":1,"id":"a","after":"x","tries":1,"extra":"é\\n","sum":"[0-9a-f]{16}"\}\n$/)
  }) // F9

  it('reads back what was written, and leaves the bytes as they were', () => {
    const bytes = encode({ id: 'a', deep: { list: [1, 'ü'] } })!.bytes
    const before = Buffer.from(bytes)
    expect(decode(bytes, 1, bytes.length - 1)).toMatchObject({ record: { id: 'a', deep: { list: [1, 'ü'] } } })
    expect(bytes).toEqual(before)
  })

  it('is torn wherever its writer stopped, unless that looks like damage', () => {
    const bytes = encode({ id: 'a', after: 'b', text: 'x'.repeat(40) })!.bytes.subarray(1, -1)
    for (let length = 1; length < bytes.length - 1; length++) expect(decode(bytes, 0, length).flaw).toBe('torn')
    expect(decode(bytes, 0, bytes.length - 1).flaw).toBe('damaged')
  })

  it('is damaged, never torn, when one byte of it was changed', () => {
    const whole = encode({ id: 'a', after: 'b', text: 'héllo' })!.bytes.subarray(1, -1)
    for (let at = 0; at < whole.length; at++) {
      for (let bit = 0; bit < 8; bit++) {
        const bytes = Buffer.from(whole)
        bytes[at]! ^= 1 << bit
        expect(decode(bytes, 0, bytes.length).flaw).toBe('damaged')
      }
    }
  })

  it.each([
    ['{"v":2,"id":"a"', 'has format 2: install a newer deskmates'],
    ['{"v":2,"id":"a","needs":["plans@0.8.0"]', 'needs plans: install deskmates 0.8.0 or newer'],
  ])('of a later format says what to install: %s', (body, detail) => {
    const bytes = signed(body)
    expect(decode(bytes, 0, bytes.length)).toEqual({ flaw: 'needs newer', detail })
  })

  it.each([
    '{"v":1,"id":7',
    '{"v":1,"id":""',
    '{"v":1,"id":"a","after":3',
    '{"v":1,"x":2',
    '["v",1',
    '{"id":"a"',
    '{"v":1,"id"',
  ])('that is no record is damaged, even if its sum fits: %s', (body) => {
    const bytes = signed(body)
    expect(decode(bytes, 0, bytes.length).flaw).toBe('damaged')
  })

  it('may have its members in another order', () => {
    const bytes = signed('{"id":"a","v":1,"x":2')
    expect(decode(bytes, 0, bytes.length)).toMatchObject({ record: { id: 'a', x: 2 } })
  })

  it('is not written when it is longer than 16 MB', () => {
    expect(encode({ id: 'a', text: 'x'.repeat(16 * 1024 * 1024) })).toBeUndefined()
  })
})

function signed(body: string): Buffer {
  return Buffer.from(withTrailer(body).text)
}
