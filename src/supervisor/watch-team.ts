import type { AlarmClock } from '../journal/clock.ts'
import type { TeamHandle } from '../journal/team-handle.ts'

/** Milliseconds: how long a change may go unnoticed if nothing tells of it. */
const POLL_MS = 2000

/**
 * Somebody else's writing is noticed by watching; ours is folded and looked at as it is written. It goes on after
 * trouble, which is told once until it is over: a server or a disk may come back, and nobody else would wake those who
 * rest.
 */
export async function watchTeam(
  { team, clock, trouble }: { team: TeamHandle; clock: AlarmClock; trouble(error: unknown): void },
  closing: AbortSignal,
): Promise<void> {
  let looked = performance.now()
  let isTroubled = false
  while (!closing.aborted) {
    try {
      await team.changed(POLL_MS, closing)
      if (closing.aborted) return
      await team.refresh()
      // Our own writing wakes us too; the mailbox files are no fuller for it.
      if (performance.now() - looked >= POLL_MS / 2) {
        await team.ingest()
        looked = performance.now()
      }
      isTroubled = false
    } catch (error) {
      if (!isTroubled) trouble(error)
      isTroubled = true
      await pause(clock, closing)
    }
  }
}

/** What was not folded is still there and would wake us at once. */
function pause(clock: AlarmClock, closing: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const done = () => {
      cancel()
      closing.removeEventListener('abort', done)
      resolve()
    }
    const cancel = clock.in(POLL_MS / 1000, done)
    closing.addEventListener('abort', done)
    if (closing.aborted) done()
  })
}
