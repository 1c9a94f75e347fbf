import { TeamError } from '../../team/errors.ts'
import type { TeamEvent } from '../../team/event.ts'
import type { TeamState } from '../../team/state.ts'
import { recordBatches } from '../log/record-batches.ts'
import { MailNotBroughtIn } from '../log/store-errors.ts'
import type { Views } from '../views.ts'

/** The part of a team handle that reading mailbox files needs. */
interface Journal {
  readonly state: TeamState
  refresh(): Promise<void>
  report(events: readonly TeamEvent[]): Promise<unknown>
}

/** Writes the lines that programs left in the mailbox files to the journal. A file is read before the journal is folded. */
export async function ingestMail(views: Views, team: Journal): Promise<void> {
  // A handle that has folded nothing knows no member, and would leave every line in its file.
  await team.refresh()
  for (;;) {
    const incoming = await named(() => views.collect(team.state))
    if (!incoming) return
    await team.refresh()
    const facts = await named(() => incoming.facts(team.state))
    for (const batch of recordBatches(facts)) await team.report(batch)
    await named(() => incoming.settle(team.state))
    if (facts.length === 0) return
  }
}

async function named<T>(read: () => T | Promise<T>): Promise<T> {
  try {
    return await read()
  } catch (error) {
    throw error instanceof TeamError ? error : new MailNotBroughtIn(error)
  }
}
