import type { EarlierAttempt } from '../team/task.ts'
import { oneLine } from '../team/wording.ts'

const MAX_REASON_LENGTH = 300

/** What the next owner of a task reads about earlier attempts: who held it, why that ended, what each had done. */
export function earlierAttemptsText(task: string, attempts: readonly EarlierAttempt[]): string {
  if (attempts.length === 0) return ''
  const texts = attempts.map(({ owner, end, reason, lastCalls }) => {
    const why = reason === undefined ? end : `${end}: ${oneLine(reason, MAX_REASON_LENGTH)}`
    const calls = lastCalls.map((call) => `\n- ${call}`).join('')
    const done =
      lastCalls.length > 0 ? `Its last tool calls while it held the task:${calls}` : 'What it did is not on record.'
    return `${owner} held this task before you; the claim ended (${why}). ${done}`
  })
  const advice =
    'Some of this may have taken effect: look at the state of files and tasks before you do any of it again.'
  return `<earlier-attempt task="${task}">\n${texts.join('\n')}\n${advice}\n</earlier-attempt>`
}
