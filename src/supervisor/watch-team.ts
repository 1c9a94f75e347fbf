import type { AlarmClock } from '../journal/clock.ts'
import type { TeamHandle } from '../journal/team-handle.ts'

/** How long a change may go unnoticed when no event reports it. */
const POLL_MS = 2000

/**
 * Folds what other processes write; what this process writes is folded as it is written. It continues after a failure,
 * which is reported once until it is over: a server or a disk may come back, and nothing else would wake idle agents.
 */
export async function watchTeam(
  { team, clock, reportProblem }: { team: TeamHandle; clock: AlarmClock; reportProblem(error: unknown): void },
  closing: AbortSignal,
): Promise<void> {
  let ingestedAt = performance.now()
  let isFailing = false
  while (!closing.aborted) {
    try {
      await team.changed(POLL_MS, closing)
      if (closing.aborted) return
      await team.refresh()
      // Writes of this process end the wait too, but add no line to the mailbox files.
      if (performance.now() - ingestedAt >= POLL_MS / 2) {
        await team.ingest()
        ingestedAt = performance.now()
      }
      isFailing = false
    } catch (error) {
      if (!isFailing) reportProblem(error)
      isFailing = true
      await pause(clock, closing)
    }
  }
}

/** Without it, `changed` would resolve at once as long as the change cannot be folded. */
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
