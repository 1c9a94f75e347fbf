import type { AlarmClock } from '../../journal/clock.ts'
import type { Presence } from '../../journal/log/store.ts'
import type { TeamHandle } from '../../journal/team-handle.ts'

export interface AwaitLeaseOptions {
  readonly team: TeamHandle
  readonly presence: Presence
  readonly clock: AlarmClock
  readonly signal?: AbortSignal | undefined
  readonly warn: (message: string) => void
}

const POLL_INTERVAL_S = 1

/**
 * Waits until the lease of the process that runs the team ends: true. False if that process renews it, so it is alive,
 * and where there is no lease to wait for: on files, or for a process of this machine.
 */
export async function awaitLease({ team, presence, clock, signal, warn }: AwaitLeaseOptions): Promise<boolean> {
  const { runtime } = team.state.supervisor.get()
  const first = runtime === null ? undefined : await presence.leaseOf?.(runtime)
  if (!first) return false
  const seconds = Math.max(1, Math.ceil(first.left))
  warn(
    `A process on another machine or in another container works on ${team.name}, or was killed there. Waiting up to ${seconds} s for its lease to end.`,
  )
  for (let { left } = first; left > 0; ) {
    await pause(clock, Math.min(left, POLL_INTERVAL_S), signal)
    signal?.throwIfAborted()
    const now = await presence.leaseOf?.(runtime!)
    if (!now || now.until > first.until) return false
    left = now.left
  }
  return true
}

function pause(clock: AlarmClock, seconds: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const stop = clock.in(seconds, done)
    signal?.addEventListener('abort', done, { once: true })
    function done(): void {
      stop()
      signal?.removeEventListener('abort', done)
      resolve()
    }
  })
}
