import type { Membership } from '../../agent/membership.ts'
import type { SessionContext } from '../../agent/session-context.ts'
import { MAX_ANSWER_SILENCE_S } from '../../agent/silence.ts'
import { parkedText, silentModelText } from '../../prompts/reports.ts'
import type { Author } from '../../team/event.ts'
import type { Reports } from './reports.ts'

/** The run stops waiting for a teammate. Its turn is cut off and continues when it is resumed. */
export async function park(
  { run }: Pick<SessionContext, 'run'>,
  lead: Membership,
  by: Author,
  reports: Reports,
): Promise<void> {
  const { name } = by
  const reason = silentModelText(MAX_ANSWER_SILENCE_S)
  const text = parkedText(name, reason)
  await lead.team.report([reports.message('idle_notification', text)], { by })
  await lead.team.run({ type: 'member.park', name, reason }, { by: lead.by })
  run.emit({ type: 'problem', agent: name, text })
}
