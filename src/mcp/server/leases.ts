import type { Clock } from '../../journal/clock.ts'
import type { TeamHandle } from '../../journal/team-handle.ts'
import type { Author } from '../../team/event.ts'
import { heldBy } from '../../team/state.ts'

/** A claim ends so long after the last call of its owner, and its task is free for others. */
export const LEASE_SECONDS = 600

/** A lease that was renewed so short a time ago is not written again: at most this, or a tenth of the lease. */
const RENEWED_AGO_SECONDS = 10

/** Any call of a member renews the lease of its claim. One that is over already is not: the task may have another owner. */
export async function renewLease(team: TeamHandle, by: Author, clock: Clock): Promise<void> {
  const task = heldBy(team.state, by.name)
  if (task?.status !== 'in_progress' || task.lease === null || task.leaseUntil === null) return
  const now = clock.now()
  const since = task.lease - (task.leaseUntil - now)
  if (task.leaseUntil <= now || since < Math.min(RENEWED_AGO_SECONDS, task.lease / 10)) return
  await team.run({ type: 'task.renew', id: task.id }, { by })
}
