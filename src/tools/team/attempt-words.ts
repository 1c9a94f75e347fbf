import type { EarlierAttempt } from '../../team/task.ts'
import { beginning } from '../results/excerpt.ts'

/** What the next owner of a task is told of earlier attempts: who held it, why that ended, what each had done. */
export function attemptWords(task: string, attempts: readonly EarlierAttempt[]): string {
  if (attempts.length === 0) return ''
  const told = attempts.map(({ owner, end, reason, lastCalls }) => {
    const why = reason === undefined ? end : `${end}: ${inOneLine(reason)}`
    const list = lastCalls.map((call) => `\n- ${call}`).join('')
    const done =
      lastCalls.length > 0 ? `Its last tool calls while it held the task:${list}` : 'What it did is not on record.'
    return `${owner} held this task before you; the claim ended (${why}). ${done}`
  })
  const look = 'Some of this may have taken effect: look at the state of files and tasks before you do any of it again.'
  return `<earlier-attempt task="${task}">\n${told.join('\n')}\n${look}\n</earlier-attempt>`
}

/** An agent may have written it: it stays on its line and begins no element of ours. */
function inOneLine(text: string): string {
  return beginning(text.replace(/\s+/g, ' ').replaceAll('<', '&lt;'), 300)
}
