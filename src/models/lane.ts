import type { Clock } from '../journal/clock.ts'
import type { Admission } from './governor.ts'
import type { RateLimit } from './model.ts'
import type { Pause } from './world.ts'

/** The calls of one account: those under way, and those that wait for their turn. */
export interface Lane {
  /** Of those who wait the most urgent goes first, and among equals the agents in turn. */
  enter(agent: string, urgency?: number): Place
  /** What holds the next call back, and at least how long. */
  hold(): { seconds: number; why: string }
  admission(): Admission
}

/** Somebody's place in the line. */
export interface Place {
  readonly isAdmitted: boolean
  /** Resolves when it is admitted or what it waits for has changed. */
  news(): Promise<void>
  wake(): void
  giveUp(): void
}

interface Waiter {
  readonly urgency: number
  isAdmitted: boolean
  wake: () => void
}

interface Left {
  left: number
  readonly until: number
}

/** Seconds. Some count by the day: who waited so long tries, and hears from the provider what is wrong. */
const LONGEST_HOLD = 300

/**
 * Learns three things: until when nobody may call (a refusal said so), how much is left until a known moment (headers
 * say so), and how many calls at a time go well (halved by every refusal, growing slowly by every success).
 */
export function createLane(clock: Clock, pause: Pause): Lane {
  let underWay = 0
  let atATime = Number.POSITIVE_INFINITY
  let openAt = 0
  let tokensACall = 0
  let alarm: AbortController | undefined
  const left = new Map<RateLimit['of'], Left>()
  // The agent who was served last stands last.
  const line = new Map<string, Waiter[]>()

  function cost(of: RateLimit['of']): number {
    return of === 'requests' ? 1 : Math.max(1, tokensACall)
  }

  /** Undefined: the next call may go. Infinity: when another has ended. */
  function heldUntil(): { until: number; why: string } | undefined {
    const now = clock.now()
    let held = openAt > now ? { until: openAt, why: 'its limit is reached' } : undefined
    for (const [of, { left: count, until }] of left) {
      if (until <= now) left.delete(of)
      // A single call may always try: an estimate must never stop the last one that could correct it.
      else if (count < cost(of) && (underWay > 0 || count <= 0) && until > (held?.until ?? 0))
        held = { until, why: `its ${of} are used up for now` }
    }
    if (held === undefined && underWay >= Math.floor(atATime))
      held = { until: Number.POSITIVE_INFINITY, why: `${Math.floor(atATime)} at a time, others go first` }
    return held
  }

  function settle(): void {
    alarm?.abort()
    alarm = undefined
    let held = heldUntil()
    while (held === undefined && line.size > 0) {
      admit()
      held = heldUntil()
    }
    if (line.size === 0 || held === undefined) return
    if (Number.isFinite(held.until)) wakeAt(held.until)
    for (const waiters of line.values()) for (const waiter of waiters) waiter.wake()
  }

  function admit(): void {
    const [agent, waiters] = [...line].reduce((first, next) =>
      next[1][0]!.urgency > first[1][0]!.urgency ? next : first,
    )
    const waiter = waiters.shift()!
    line.delete(agent)
    if (waiters.length > 0) line.set(agent, waiters)
    waiter.isAdmitted = true
    begin()
    waiter.wake()
  }

  function begin(): void {
    underWay++
    for (const [of, known] of left) known.left -= cost(of)
  }

  function wakeAt(moment: number): void {
    alarm = new AbortController()
    const { signal } = alarm
    pause(Math.max(0, moment - clock.now()), signal).then(settle, () => {})
  }

  function leaveLine(agent: string, waiter: Waiter): void {
    const others = line.get(agent)?.filter((other) => other !== waiter) ?? []
    if (others.length > 0) line.set(agent, others)
    else line.delete(agent)
  }

  return {
    enter(agent, urgency = 0) {
      const waiter: Waiter = { urgency, isAdmitted: false, wake: () => {} }
      if (line.size === 0 && heldUntil() === undefined) {
        waiter.isAdmitted = true
        begin()
      } else {
        line.set(agent, [...(line.get(agent) ?? []), waiter])
        settle()
      }
      return {
        get isAdmitted() {
          return waiter.isAdmitted
        },
        news: () =>
          new Promise((resolve) => {
            waiter.wake = resolve
          }),
        wake: () => waiter.wake(),
        giveUp() {
          if (waiter.isAdmitted) underWay--
          else leaveLine(agent, waiter)
          settle()
        },
      }
    },
    hold() {
      const held = heldUntil()
      const seconds = held && Number.isFinite(held.until) ? Math.max(0, held.until - clock.now()) : 0
      return { seconds, why: held?.why ?? 'others go first' }
    },
    admission: () => ({
      heed(limits) {
        // Of several limits of one kind the tightest counts, so it is set last.
        for (const { of, left: count, seconds } of [...limits].sort((a, b) => b.left - a.left))
          left.set(of, { left: count, until: clock.now() + Math.min(seconds, LONGEST_HOLD) })
      },
      refused(seconds) {
        openAt = Math.max(openAt, clock.now() + seconds)
        atATime = Math.max(1, Math.floor(Math.min(atATime, underWay) / 2))
      },
      succeeded(usage) {
        if (Number.isFinite(atATime)) atATime += 1 / atATime
        const tokens = usage.input + usage.cacheWrite + usage.output
        tokensACall = tokensACall === 0 ? tokens : tokensACall * 0.8 + tokens * 0.2
      },
      leave() {
        underWay--
        if (line.size > 0) settle()
      },
    }),
  }
}
