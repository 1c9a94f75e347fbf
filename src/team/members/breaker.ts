import { z } from 'zod'
import { nameKey } from '../name.ts'
import { Timestamp } from '../task.ts'

/** So many different agents lost within `WINDOW` seconds open it; after `PAUSE` seconds one probe is let through. */
const AGENTS = 2
/** One agent that was lost so often within `WINDOW` is not brought back before the pause is over. */
const LOSSES_OF_ONE = 2
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
  /** Which teammates were lost, and when, the newest last. Older versions wrote the time alone. */
  losses: z.array(z.union([z.object({ name: z.string(), at: Timestamp }), Timestamp])),
  /** Who is being tried, since when. */
  probe: z.object({ name: z.string(), since: Timestamp }).nullable(),
})
export type Breaker = z.infer<typeof Breaker>

export const CLOSED: Breaker = { state: 'closed', openedAt: null, losses: [], probe: null }

/** A teammate was lost. One that is lost again and again says nothing about the others. */
export function lost(breaker: Breaker, name: string, now: number): Breaker {
  const losses = [...recent(breaker, now), { name, at: now }]
  const isProbe = breaker.state === 'half-open' && breaker.probe?.name === name
  const agents = new Set(losses.map((loss) => nameKey(nameOf(loss))))
  if (isProbe || agents.size >= AGENTS) return { state: 'open', openedAt: now, losses, probe: null }
  return { ...breaker, losses }
}

/** This agent was lost too often lately to be brought back before the pause is over, whatever the others do. */
export function failsRepeatedly(breaker: Breaker, name: string, now: number): boolean {
  const own = recent(breaker, now).filter((loss) => nameKey(nameOf(loss)) === nameKey(name))
  return own.length >= LOSSES_OF_ONE && own.some((loss) => timeOf(loss) > now - PAUSE)
}

type Loss = Breaker['losses'][number]

function recent({ losses }: Breaker, now: number): Loss[] {
  return losses.filter((loss) => timeOf(loss) > now - WINDOW)
}

function timeOf(loss: Loss): number {
  return typeof loss === 'number' ? loss : loss.at
}

function nameOf(loss: Loss): string {
  return typeof loss === 'number' ? '' : loss.name
}

/** A teammate has done something: if it was the probe, all is well again. */
export function worked(breaker: Breaker, name: string): Breaker {
  return breaker.state === 'half-open' && breaker.probe?.name === name ? CLOSED : breaker
}

/** May a teammate be spawned or brought back now? The one admitted by a half-open breaker becomes its probe. */
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
