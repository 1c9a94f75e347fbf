import { setTimeout as sleep } from 'node:timers/promises'
import { type Clock, systemClock } from '../journal/clock.ts'
import { createGovernor, type Governor } from './governor.ts'
import { type StartTimer, startSystemTimer } from './transport/fetch.ts'

/** Resolves after so many seconds; throws the signal's reason as soon as that aborts. */
export type Pause = (seconds: number, signal: AbortSignal) => Promise<void>

/** What calling and trying again needs of the world; a test hands in its own. */
export interface ModelWorld {
  readonly clock: Clock
  readonly pause: Pause
  readonly startTimer: StartTimer
  /** From 0 up to 1. */
  readonly random: () => number
  /** All calls of a process go through one, so that agents who share a key share its limits. */
  readonly governor: Governor
  /** The workspace: a recording is replayed wherever it lies. */
  readonly root?: string
}

export const systemPause: Pause = async (seconds, signal) => {
  await sleep(seconds * 1000, undefined, { signal }).catch(() => signal.throwIfAborted())
}

/** The real one. Made once a process. */
export const systemWorld: ModelWorld = {
  clock: systemClock,
  pause: systemPause,
  startTimer: startSystemTimer,
  random: Math.random,
  governor: createGovernor(systemClock, systemPause),
}
