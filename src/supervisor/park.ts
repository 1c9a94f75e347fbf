import { MAX_ANSWER_SILENCE_S } from '../agent/silence.ts'
import type { Author } from '../team/event.ts'
import type { Reports } from './reports.ts'
import type { SupervisedTeamOptions } from './supervisor-options.ts'

/** The run stops waiting for it. Its conversation ends in the middle and goes on from there when it is resumed. */
export async function park({ team, lead, emit }: SupervisedTeamOptions, by: Author, reports: Reports): Promise<void> {
  const { name } = by
  const reason = `its model was silent for ${MAX_ANSWER_SILENCE_S} s, and the run had nothing else to wait for`
  const text = `${name} was parked in the middle of an answer: ${reason}. It goes on with it when the session is resumed.`
  await team.report([reports.message('idle_notification', text)], { by })
  await team.run({ type: 'member.park', name, reason }, { by: lead })
  emit({ type: 'problem', agent: name, text })
}
