import type { Membership } from '../agent/membership.ts'
import type { SessionContext } from '../agent/session-context.ts'
import { MAX_ANSWER_SILENCE_S } from '../agent/silence.ts'
import type { Author } from '../team/event.ts'
import type { Reports } from './reports.ts'

/** The run stops waiting for a teammate. Its conversation ends in the middle and continues when it is resumed. */
export async function park(
  { run }: Pick<SessionContext, 'run'>,
  lead: Membership,
  by: Author,
  reports: Reports,
): Promise<void> {
  const { name } = by
  const reason = `its model was silent for ${MAX_ANSWER_SILENCE_S} s, and the run had nothing else to wait for`
  const text = `${name} was parked in the middle of an answer: ${reason}. It continues when the session is resumed.`
  await lead.team.report([reports.message('idle_notification', text)], { by })
  await lead.team.run({ type: 'member.park', name, reason }, { by: lead.by })
  run.emit({ type: 'problem', agent: name, text })
}
