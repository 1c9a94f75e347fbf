import { describe, expect, it } from 'vitest'
import { readRateLimits, readRetryAfter } from './rate-limit-headers.ts'

const NOW = Date.parse('2026-10-21T07:00:00Z') / 1000

describe('the time until the next try', () => {
  it.each([
    [{ 'retry-after': '12' }, 12],
    [{ 'retry-after': 'Wed, 21 Oct 2026 07:00:30 GMT' }, 30],
    [{ 'retry-after': 'Wed, 21 Oct 2026 06:00:00 GMT' }, 0],
    [{ 'retry-after-ms': '1500', 'retry-after': '9' }, 1.5],
    [{ 'x-ratelimit-remaining-tokens': '0', 'x-ratelimit-reset-tokens': '6m30s' }, 390],
    [{ 'x-ratelimit-remaining-requests': '0', 'x-ratelimit-reset-requests': '20ms' }, 0.02],
    [{ 'x-ratelimit-remaining-requests': '5', 'x-ratelimit-reset-requests': '1h' }, undefined],
    [{ 'anthropic-ratelimit-tokens-remaining': '0', 'anthropic-ratelimit-tokens-reset': '2026-10-21T07:01:00Z' }, 60],
    [{ 'x-ratelimit-remaining': '0', 'x-ratelimit-reset': String((NOW + 8) * 1000) }, 8],
    [{ 'retry-after': 'soon' }, undefined],
    [{}, undefined],
  ])('is read from %j', (headers, seconds) => {
    const found = readRetryAfter(headers as Record<string, string>, NOW)
    if (seconds === undefined) expect(found).toBeUndefined()
    else expect(found).toBeCloseTo(seconds, 3)
  })
})

it('rate limits are read from the headers of anthropic and openai, in pairs only', () => {
  const headers = {
    'anthropic-ratelimit-requests-remaining': '49',
    'anthropic-ratelimit-requests-reset': '2026-10-21T07:00:02Z',
    'anthropic-ratelimit-input-tokens-remaining': '1000',
    'anthropic-ratelimit-input-tokens-reset': '2026-10-21T07:00:05Z',
    'x-ratelimit-remaining-tokens': '7',
  }
  expect(readRateLimits(headers, NOW)).toEqual([
    { of: 'requests', left: 49, seconds: 2 },
    { of: 'tokens', left: 1000, seconds: 5 },
  ])
})
