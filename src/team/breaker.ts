import { z } from 'zod'
import { Timestamp } from './task.ts'

/** Seconds: so many losses within `WINDOW` open it; after `PAUSE` one probe is let through. */
const LOSSES = 2
const WINDOW = 300
export const PAUSE = 120
/** Seconds a probe has to show that it works. */
const PROBE = 60

/**
 * closed     teammates are made as asked
 * open       too many were lost: work is done by errands instead
 * half-open  one teammate is tried; if it works all is well again, if not the breaker opens anew
 */
export const Breaker = z.object({
  state: z.enum(['closed', 'open', 'half-open']),
  openedAt: Timestamp.nullable(),
  /** When teammates were lost, the newest last. */
  losses: z.array(Timestamp),
  /** Who is being tried, since when. */
  probe: z.object({ name: z.string(), since: Timestamp }).nullable(),
})
export type Breaker = z.infer<typeof Breaker>

export const CLOSED: Breaker = { state: 'closed', openedAt: null, losses: [], probe: null }

/** A teammate was lost. */
export function lost(breaker: Breaker, name: string, now: number): Breaker {
  const losses = [...breaker.losses.filter((at) => at > now - WINDOW), now]
  const isProbe = breaker.state === 'half-open' && breaker.probe?.name === name
  if (isProbe || losses.length >= LOSSES) return { state: 'open', openedAt: now, losses, probe: null }
  return { ...breaker, losses }
}

/** A teammate has done something: if it was the probe, all is well again. */
export function worked(breaker: Breaker, name: string): Breaker {
  return breaker.state === 'half-open' && breaker.probe?.name === name ? CLOSED : breaker
}

/** May a teammate be made or brought back now? Whoever is let through a half-open breaker becomes its probe. */
export function admit(breaker: Breaker, name: string, now: number): { breaker: Breaker; isAdmitted: boolean } {
  const current = settled(breaker, now)
  if (current.state === 'closed') return { breaker: current, isAdmitted: true }
  if (current.state === 'open' || current.probe !== null) return { breaker: current, isAdmitted: false }
  return { breaker: { ...current, probe: { name, since: now } }, isAdmitted: true }
}

/** What time alone has made of it. */
export function settled(breaker: Breaker, now: number): Breaker {
  if (breaker.state === 'open' && now >= (breaker.openedAt ?? 0) + PAUSE)
    return { ...breaker, state: 'half-open', probe: null }
  if (breaker.state === 'half-open' && breaker.probe && now >= breaker.probe.since + PROBE)
    return { ...breaker, state: 'open', openedAt: now, probe: null }
  return breaker
}
