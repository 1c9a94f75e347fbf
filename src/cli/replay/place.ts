import type { Replay } from '../../session/replay/open-replay.ts'
import { Misused, Refused } from '../program/failure.ts'

/** A place in a replay as a person writes it. */
export type Place =
  | { readonly kind: 'step'; readonly step: number }
  | { readonly kind: 'record'; readonly id: string }
  /** Seconds since the first step. */
  | { readonly kind: 'after'; readonly seconds: number }
  | { readonly kind: 'time'; readonly at: number }
  /** Of the day of the first step, or a later one. */
  | { readonly kind: 'clock'; readonly hours: number; readonly minutes: number; readonly seconds: number }

/** A step, the id of a record, `+90s`, `10:41:07`, or a date with a time. */
export function place(text: string): Place {
  if (/^\d{1,9}$/.test(text)) return { kind: 'step', step: Number(text) }
  const [, amount, unit = 's'] = /^\+(\d{1,9})([smhd]?)$/.exec(text) ?? []
  if (amount !== undefined) return { kind: 'after', seconds: Number(amount) * UNIT[unit || 's']! }
  const [, hours, minutes, seconds = '0'] = /^([01]?\d|2[0-3]):([0-5]\d)(?::([0-5]\d))?$/.exec(text) ?? []
  if (hours !== undefined)
    return { kind: 'clock', hours: Number(hours), minutes: Number(minutes), seconds: Number(seconds) }
  const time = /^\d{4}-\d\d-\d\d([ T]|$)/.test(text) ? Date.parse(text.replace(' ', 'T')) : Number.NaN
  if (!Number.isNaN(time)) return { kind: 'time', at: time / 1000 }
  if (/^[A-Za-z0-9._:-]{4,128}$/.test(text)) return { kind: 'record', id: text }
  throw new Misused(
    `${JSON.stringify(text.slice(0, 80))} is not a place. Write a step (120), a time (10:41:07, 2026-03-01T10:41:07), a time since the start (+90s, +10m) or the id of a record.`,
  )
}

const UNIT: Record<string, number> = { s: 1, m: 60, h: 3600, d: 86_400 }

/** `first`: the first step that is not before this place. `last`: the last one that is not behind it; 0 if all are. */
export async function stepAt(replay: Replay, wanted: Place, side: 'first' | 'last'): Promise<number> {
  switch (wanted.kind) {
    case 'step':
      return Math.min(replay.count, wanted.step)
    case 'record': {
      const step = await replay.stepOf(wanted.id)
      if (step !== undefined) return step
      throw new Refused({
        code: 'unknown_record',
        message: `${replay.session} has no record ${wanted.id}. See: deskmates log --json --team ${replay.session}`,
      })
    }
    case 'after':
      return stepAtTime(replay, replay.timeOf(1) + wanted.seconds, side)
    case 'time':
      return stepAtTime(replay, wanted.at, side)
    case 'clock': {
      const day = new Date(replay.timeOf(1) * 1000)
      // Up to the end of that second.
      day.setHours(wanted.hours, wanted.minutes, wanted.seconds, side === 'last' ? 999 : 0)
      // A session may go on after midnight.
      const isBefore = day.getTime() / 1000 < Math.floor(replay.timeOf(1))
      const isNextDay = isBefore && day.getTime() / 1000 + DAY_S <= replay.timeOf(replay.count)
      return stepAtTime(replay, day.getTime() / 1000 + (isNextDay ? DAY_S : 0), side)
    }
    default:
      return wanted satisfies never
  }
}

const DAY_S = 86_400

function stepAtTime({ count, timeOf }: Replay, at: number, side: 'first' | 'last'): number {
  const isBefore = (step: number) => (side === 'first' ? timeOf(step) < at : timeOf(step) <= at)
  let [low, high] = [0, count]
  while (low < high) {
    const middle = Math.ceil((low + high) / 2)
    if (isBefore(middle)) low = middle
    else high = middle - 1
  }
  return side === 'first' ? Math.min(count, low + 1) : low
}
