import { TeamError } from '../team/errors.ts'
import { recordBatches } from './record-batches.ts'
import { MailNotBroughtIn } from './store-errors.ts'
import type { TeamHandle } from './team-handle.ts'
import type { Views } from './views.ts'

/** What programs left in the mailbox files becomes part of the journal; a file is read before the journal is folded. */
export async function ingestMail(mirror: Views, team: Pick<TeamHandle, 'state' | 'refresh' | 'report'>): Promise<void> {
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
