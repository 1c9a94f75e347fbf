import { z } from 'zod'
import { nameKey } from '../name.ts'
import { Timestamp } from '../task.ts'

/** Different agents lost within `WINDOW_S` that open the breaker; after `PAUSE_S` it admits one agent as a probe. */
const MAX_LOST_AGENTS = 2
/** An agent that was lost so often within `WINDOW_S` is not brought back before the pause is over. */
const MAX_LOST_TIMES = 2
const WINDOW_S = 300
export const PAUSE_S = 120
/** The time a probe has to show that it works, anew from each sign of life. */
export const PROBE_S = 60
/** A probe that gives signs of life is recorded so often, not with each of them. */
const SIGN_S = PROBE_S / 2

/**
 * closed     teammates are spawned
 * open       too many were lost: subagents do the work instead
 * half-open  one teammate is admitted; if it works the breaker closes, if not it opens again
 */
export const Breaker = z.object({
  state: z.enum(['closed', 'open', 'half-open']),
  openedAt: Timestamp.nullable(),
  /** Which teammates were lost, and when, the newest last. Older versions wrote the time alone. */
  losses: z.array(z.union([z.object({ name: z.string(), at: Timestamp }), Timestamp])),
  /** The teammate that was admitted, and when, or when its model last sent something. */
  probe: z.object({ name: z.string(), since: Timestamp }).nullable(),
})
export type Breaker = z.infer<typeof Breaker>

export const CLOSED: Breaker = { state: 'closed', openedAt: null, losses: [], probe: null }

/** Counts a lost teammate. One agent that is lost repeatedly does not open the breaker for the others. */
export function lost(breaker: Breaker, name: string, now: number): Breaker {
  const losses = [...recent(breaker, now), { name, at: now }]
  const isProbe = breaker.state === 'half-open' && breaker.probe?.name === name
  const agents = new Set(losses.map((loss) => nameKey(nameOf(loss))))
  if (isProbe || agents.size >= MAX_LOST_AGENTS) return { state: 'open', openedAt: now, losses, probe: null }
  return { ...breaker, losses }
}

/** This agent was lost too often lately to be brought back before the pause is over, whatever the others do. */
export function failsRepeatedly(breaker: Breaker, name: string, now: number): boolean {
  const own = recent(breaker, now).filter((loss) => nameKey(nameOf(loss)) === nameKey(name))
  return own.length >= MAX_LOST_TIMES && own.some((loss) => timeOf(loss) > now - PAUSE_S)
}

/** How many teammates were lost lately, as the breaker counts them. */
export function failureCount({ losses }: Breaker): number {
  return losses.length
}

type Loss = Breaker['losses'][number]

function recent({ losses }: Breaker, now: number): Loss[] {
  return losses.filter((loss) => timeOf(loss) > now - WINDOW_S)
}

function timeOf(loss: Loss): number {
  return typeof loss === 'number' ? loss : loss.at
}

function nameOf(loss: Loss): string {
  return typeof loss === 'number' ? '' : loss.name
}

/** A teammate has done something: if it was the probe, the breaker closes. */
export function worked(breaker: Breaker, name: string): Breaker {
  return breaker.state === 'half-open' && breaker.probe?.name === name ? CLOSED : breaker
}

/** The model of a teammate sends something: a probe has its time again, because a long answer is no silence. */
export function alive(breaker: Breaker, name: string, now: number): Breaker {
  const { state, probe } = breaker
  if (state !== 'half-open' || probe?.name !== name || now < probe.since + SIGN_S) return breaker
  return { ...breaker, probe: { name, since: now } }
}

/** May a teammate be spawned or brought back now? The one admitted by a half-open breaker becomes its probe. */
export function admit(breaker: Breaker, name: string, now: number): { breaker: Breaker; isAdmitted: boolean } {
  const current = settled(breaker, now)
  if (current.state === 'closed') return { breaker: current, isAdmitted: true }
  if (current.state === 'open' || current.probe !== null) return { breaker: current, isAdmitted: false }
  return { breaker: { ...current, probe: { name, since: now } }, isAdmitted: true }
}

/** The breaker at this time, without anything else having happened. */
export function settled(breaker: Breaker, now: number): Breaker {
  if (breaker.state === 'open' && now >= (breaker.openedAt ?? 0) + PAUSE_S)
    return { ...breaker, state: 'half-open', probe: null }
  if (breaker.state === 'half-open' && breaker.probe && now >= breaker.probe.since + PROBE_S)
    return { ...breaker, state: 'open', openedAt: now, probe: null }
  return breaker
}
