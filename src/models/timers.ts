import { setTimeout as sleep } from 'node:timers/promises'

/** Resolves after so many seconds; throws the signal's reason as soon as that aborts. */
export type Pause = (seconds: number, signal: AbortSignal) => Promise<void>

export const systemPause: Pause = async (seconds, signal) => {
  await sleep(seconds * 1000, undefined, { signal }).catch(() => signal.throwIfAborted())
}

/** A timer that fires once after so many seconds without a `refresh`. */
export interface Timer {
  refresh(): void
  stop(): void
}
export type StartTimer = (seconds: number, fire: () => void) => Timer

export const startSystemTimer: StartTimer = (seconds, fire) => {
  const timer = setTimeout(fire, seconds * 1000)
  return { refresh: () => void timer.refresh(), stop: () => clearTimeout(timer) }
}
