import type { Mirror } from '../ports/mirror.ts'
import { MailNotBroughtIn } from '../ports/store-errors.ts'
import { TeamError } from '../team/errors.ts'
import type { TeamEvent } from '../team/event.ts'
import type { Team } from './team.ts'

/** A record stays far below the 16 MB a line may have. */
const RECORD_BYTES = 4 * 1024 * 1024

/** What programs left in the mailbox files becomes part of the journal; a file is read before the journal is folded. */
export async function ingestMail(mirror: Mirror, team: Pick<Team, 'state' | 'refresh' | 'report'>): Promise<void> {
  // A handle that has folded nothing knows of no member, and would leave everything where it is.
  await team.refresh()
  for (;;) {
    const harvest = await named(() => mirror.collect(team.state))
    if (!harvest) return
    await team.refresh()
    const facts = await named(() => harvest.facts(team.state))
    for (const batch of batches(facts)) await team.report(batch)
    await named(() => harvest.settle(team.state))
    if (facts.length === 0) return
  }
}

async function named<T>(look: () => T | Promise<T>): Promise<T> {
  try {
    return await look()
  } catch (error) {
    throw error instanceof TeamError ? error : new MailNotBroughtIn(error)
  }
}

function* batches(events: readonly TeamEvent[]): Generator<readonly TeamEvent[]> {
  let batch: TeamEvent[] = []
  let bytes = 0
  for (const event of events) {
    const size = JSON.stringify(event).length
    if (batch.length > 0 && bytes + size > RECORD_BYTES) {
      yield batch
      batch = []
      bytes = 0
    }
    batch.push(event)
    bytes += size
  }
  if (batch.length > 0) yield batch
}
