import type { SessionControl } from '../session/control/session-control.ts'
import type { TimedLine } from '../session/wire/live-line.ts'

/** Lines of an earlier conversation that are shown when a terminal opens it. */
const HISTORY_LINES = 400

/**
 * The conversation of an agent so far, then every line of the session as it is written. A line that was written in
 * between, and is in both, comes once. `onEnd` is called with the reason when no line follows. Returns how to stop it.
 */
export async function follow(
  control: SessionControl,
  agent: string,
  onLine: (timed: TimedLine) => void,
  onEnd: (why: string) => void = () => {},
): Promise<() => void> {
  const early: TimedLine[] = []
  let isCaughtUp = false
  const stop = control.subscribe((timed) => {
    if (isCaughtUp) onLine(timed)
    else early.push(timed)
  }, onEnd)
  try {
    const past = await control.history(agent, HISTORY_LINES)
    const known = new Set(early.length > 0 ? past.map(nameOf) : [])
    for (const timed of past) onLine(timed)
    for (const timed of early) if (!known.has(nameOf(timed))) onLine(timed)
    isCaughtUp = true
    return stop
  } catch (error) {
    stop()
    throw error
  }
}

export interface Follower {
  onLine(timed: TimedLine): void
  onEnd(why: string): void
  /** Everything that was said before is shown. */
  onCaughtUp(): void
  /** The session cannot be read. */
  onFailure(error: unknown): void
}

/** The same for a caller that does not wait. Returns how to stop it. */
export function followLater(control: SessionControl, agent: string, follower: Follower): () => void {
  const following = follow(control, agent, follower.onLine, follower.onEnd)
  following.then(follower.onCaughtUp, follower.onFailure)
  return () => {
    following.then(
      (stop) => stop(),
      () => {},
    )
  }
}

function nameOf({ at, line }: TimedLine): string {
  return `${at} ${JSON.stringify(line)}`
}
