import { describe, expect, it } from 'vitest'
import { toModelFailure } from './provider-failure.ts'

describe('a failure of a provider', () => {
  it('hides a key wherever a provider repeats it', () => {
    const error = Object.assign(new Error('wrong key blue-elephant (sent as blue-elephant)'), { statusCode: 401 })
    const circumstances = { model: 'x/y', emitted: false, now: 0, secrets: ['blue-elephant'] }
    expect(toModelFailure(error, circumstances).message).not.toContain('blue-elephant')
  })
})
