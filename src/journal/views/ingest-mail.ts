import { TeamError } from '../../team/errors.ts'
import type { TeamEvent } from '../../team/event.ts'
import type { TeamState } from '../../team/state.ts'
import { recordBatches } from '../log/record-batches.ts'
import { MailNotBroughtIn } from '../log/store-errors.ts'
import type { Views } from '../views.ts'

/** What bringing in mail needs of a team handle. */
interface Journal {
  readonly state: TeamState
  refresh(): Promise<void>
  report(events: readonly TeamEvent[]): Promise<unknown>
}

/** What programs left in the mailbox files becomes part of the journal; a file is read before the journal is folded. */
export async function ingestMail(mirror: Views, team: Journal): Promise<void> {
  // A handle that has folded nothing knows of no member, and would leave everything where it is.
  await team.refresh()
  for (;;) {
    const harvest = await named(() => mirror.collect(team.state))
    if (!harvest) return
    await team.refresh()
    const facts = await named(() => harvest.facts(team.state))
    for (const batch of recordBatches(facts)) await team.report(batch)
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
