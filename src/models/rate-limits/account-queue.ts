import type { Clock } from '../../journal/clock.ts'
import type { Usage } from '../../team/members/usage.ts'
import type { RateLimit } from '../model.ts'
import type { Pause } from '../timers.ts'

/** The calls of one account: running ones, and those that wait until its limits allow them. */
export interface AccountQueue {
  /** The most urgent waiting call goes first; among equally urgent ones the agents take turns. */
  enqueue(agent: string, urgency?: number): QueuedCall
  /** Why the next call has to wait, and at least how long. */
  waitReason(): { seconds: number; why: string }
  admission(): Admission
}

export interface QueuedCall {
  readonly isAdmitted: boolean
  /** Resolves when the call is admitted or the reason for its wait has changed. */
  changed(): Promise<void>
  wake(): void
  cancel(): void
}

/** The right to make one call. */
export interface Admission {
  /** The provider reported how much is left. */
  updateLimits(limits: readonly RateLimit[]): void
  /** The provider refused the call because of its limits: no call for so many seconds, and fewer at a time after that. */
  refused(seconds: number): void
  succeeded(usage: Usage): void
  /** The call has ended. */
  release(): void
}

interface Waiter {
  readonly urgency: number
  isAdmitted: boolean
  wake: () => void
}

interface Remaining {
  count: number
  readonly until: number
}

/** Some limits count by the day. After this time a call is made anyway, and the provider's answer says what is wrong. */
const MAX_WAIT_SECONDS = 300

/**
 * Tracks three limits: until when a refusal forbids calls, how much the headers say is left until a known time, and how
 * many calls at a time succeed (halved by every refusal, growing slowly with every success).
 */
export function createAccountQueue(clock: Clock, pause: Pause): AccountQueue {
  let running = 0
  let maxRunning = Number.POSITIVE_INFINITY
  let closedUntil = 0
  let tokensPerCall = 0
  let timer: AbortController | undefined
  const remaining = new Map<RateLimit['of'], Remaining>()
  // By agent; the agent that was served last is last.
  const waiting = new Map<string, Waiter[]>()

  function cost(of: RateLimit['of']): number {
    return of === 'requests' ? 1 : Math.max(1, tokensPerCall)
  }

  /** Undefined: the next call may be made. Infinity: it may be made when another has ended. */
  function blockedUntil(): { until: number; why: string } | undefined {
    const now = clock.now()
    let blocked = closedUntil > now ? { until: closedUntil, why: 'its limit is reached' } : undefined
    for (const [of, { count, until }] of remaining) {
      if (until <= now) remaining.delete(of)
      // A single call is always made: an estimate must not prevent the call that could correct it.
      else if (count < cost(of) && (running > 0 || count <= 0) && until > (blocked?.until ?? 0))
        blocked = { until, why: `its ${of} are used up for now` }
    }
    if (blocked === undefined && running >= Math.floor(maxRunning))
      blocked = { until: Number.POSITIVE_INFINITY, why: `it allows ${Math.floor(maxRunning)} at a time` }
    return blocked
  }

  function admitNext(): void {
    timer?.abort()
    timer = undefined
    let blocked = blockedUntil()
    while (blocked === undefined && waiting.size > 0) {
      admitFirst()
      blocked = blockedUntil()
    }
    if (waiting.size === 0 || blocked === undefined) return
    if (Number.isFinite(blocked.until)) admitNextAt(blocked.until)
    for (const waiters of waiting.values()) for (const waiter of waiters) waiter.wake()
  }

  function admitFirst(): void {
    const [agent, waiters] = [...waiting].reduce((first, next) =>
      next[1][0]!.urgency > first[1][0]!.urgency ? next : first,
    )
    const waiter = waiters.shift()!
    waiting.delete(agent)
    if (waiters.length > 0) waiting.set(agent, waiters)
    start(waiter)
    waiter.wake()
  }

  function start(waiter: Waiter): void {
    waiter.isAdmitted = true
    running++
    for (const [of, known] of remaining) known.count -= cost(of)
  }

  function admitNextAt(time: number): void {
    timer = new AbortController()
    pause(Math.max(0, time - clock.now()), timer.signal).then(admitNext, () => {})
  }

  function removeWaiter(agent: string, waiter: Waiter): void {
    const others = waiting.get(agent)?.filter((other) => other !== waiter) ?? []
    if (others.length > 0) waiting.set(agent, others)
    else waiting.delete(agent)
  }

  return {
    enqueue(agent, urgency = 0) {
      const waiter: Waiter = { urgency, isAdmitted: false, wake: () => {} }
      if (waiting.size === 0 && blockedUntil() === undefined) {
        start(waiter)
      } else {
        waiting.set(agent, [...(waiting.get(agent) ?? []), waiter])
        admitNext()
      }
      return {
        get isAdmitted() {
          return waiter.isAdmitted
        },
        changed: () =>
          new Promise((resolve) => {
            waiter.wake = resolve
          }),
        wake: () => waiter.wake(),
        cancel() {
          if (waiter.isAdmitted) running--
          else removeWaiter(agent, waiter)
          admitNext()
        },
      }
    },
    waitReason() {
      const blocked = blockedUntil()
      const seconds = blocked && Number.isFinite(blocked.until) ? Math.max(0, blocked.until - clock.now()) : 0
      return { seconds, why: blocked?.why ?? 'other calls go first' }
    },
    admission: () => ({
      updateLimits(limits) {
        // Of several limits of one kind the tightest counts, so it is set last.
        for (const { of, left, seconds } of [...limits].sort((a, b) => b.left - a.left))
          remaining.set(of, { count: left, until: clock.now() + Math.min(seconds, MAX_WAIT_SECONDS) })
      },
      refused(seconds) {
        closedUntil = Math.max(closedUntil, clock.now() + seconds)
        maxRunning = Math.max(1, Math.floor(Math.min(maxRunning, running) / 2))
      },
      succeeded(usage) {
        if (Number.isFinite(maxRunning)) maxRunning += 1 / maxRunning
        const tokens = usage.input + usage.cacheWrite + usage.output
        tokensPerCall = tokensPerCall === 0 ? tokens : tokensPerCall * 0.8 + tokens * 0.2
      },
      release() {
        running--
        if (waiting.size > 0) admitNext()
      },
    }),
  }
}
