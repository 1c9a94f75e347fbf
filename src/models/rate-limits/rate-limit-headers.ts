import type { RateLimit } from '../model.ts'

export type Headers = Readonly<Record<string, string | undefined>>

/** In how many seconds the provider wants to be asked again, if it said so. `now` in seconds since 1970. */
export function readRetryAfter(headers: Headers, now: number): number | undefined {
  const milliseconds = Number(headers['retry-after-ms'] ?? Number.NaN)
  if (milliseconds >= 0) return milliseconds / 1000
  const said = headers['retry-after']
  const waiting = said === undefined ? undefined : secondsUntil(said, now)
  if (waiting !== undefined) return waiting
  const used = readRateLimits(headers, now).filter(({ left }) => left <= 0)
  return used.length > 0 ? Math.max(...used.map(({ seconds }) => seconds)) : undefined
}

/** What the headers of an answer say about what is left; anthropic's and openai's names, which others copy. */
export function readRateLimits(headers: Headers, now: number): RateLimit[] {
  const found: RateLimit[] = []
  for (const { of, left, reset } of headerNames) {
    const leftText = headers[left]
    const resetText = headers[reset]
    if (leftText === undefined || resetText === undefined) continue
    const seconds = secondsUntil(resetText, now)
    const count = Number(leftText)
    if (seconds !== undefined && Number.isFinite(count)) found.push({ of, left: count, seconds })
  }
  return found
}

const headerNames: readonly { of: RateLimit['of']; left: string; reset: string }[] = [
  ...(['requests', 'tokens', 'input-tokens', 'output-tokens'] as const).map((what) => ({
    of: what === 'requests' ? ('requests' as const) : ('tokens' as const),
    left: `anthropic-ratelimit-${what}-remaining`,
    reset: `anthropic-ratelimit-${what}-reset`,
  })),
  ...(['requests', 'tokens'] as const).map((what) => ({
    of: what,
    left: `x-ratelimit-remaining-${what}`,
    reset: `x-ratelimit-reset-${what}`,
  })),
  { of: 'requests', left: 'x-ratelimit-remaining', reset: 'x-ratelimit-reset' },
]

/** '12', '1m30.5s', '20ms', 'Wed, 21 Oct 2026 07:28:00 GMT', '2026-10-21T07:28:00Z', or seconds or milliseconds since 1970. */
function secondsUntil(text: string, now: number): number | undefined {
  const number = Number(text)
  if (Number.isFinite(number)) {
    if (number > 1e11) return Math.max(0, number / 1000 - now)
    if (number > 1e9) return Math.max(0, number - now)
    return Math.max(0, number)
  }
  const duration = /^(?:(\d+)h)?(?:(\d+)m(?!s))?(?:([\d.]+)s)?(?:([\d.]+)ms)?$/.exec(text)
  if (duration) {
    const [, hours = 0, minutes = 0, seconds = 0, milliseconds = 0] = duration
    return Number(hours) * 3600 + Number(minutes) * 60 + Number(seconds) + Number(milliseconds) / 1000
  }
  const date = Date.parse(text) / 1000
  return Number.isNaN(date) ? undefined : Math.max(0, date - now)
}
