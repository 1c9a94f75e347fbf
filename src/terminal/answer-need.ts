import type { Need } from '../view/needs-person.ts'
import { draw } from './drawing/drawn.ts'
import { type Host, isDone, tell } from './host.ts'
import { offerSaving } from './save-rule.ts'
import { type NeedKey, needKeys, needOwner, wholeNeed } from './team-panel/needs.ts'
import { mailLines } from './views/mail-lines.ts'
import type { OpenView } from './views/open-view.ts'

/** Does what the key means for this need. Keys that a need does not have do nothing. */
export async function answerNeed(host: Host, need: Need, key: NeedKey, feedback = ''): Promise<void> {
  if (!needKeys(need).some(([own]) => own === key)) return
  if (key === 'v') return host.open(needView(host, need))
  switch (need.kind) {
    case 'question': {
      if (key === 's') return offerSaving(host, need.question)
      const answer =
        key === 'n'
          ? { allowed: false as const, ...(feedback !== '' && { why: feedback }) }
          : { allowed: true as const, ...(key === 'a' && { always: true }) }
      const outcome = await host.control.answer(need.question.id, answer)
      if (isDone(host, outcome) && outcome === 'late') tell(host, 'This question was answered before.')
      return
    }
    case 'request':
      isDone(host, await host.control.answerRequest(need.id, key === 'y', feedback))
      return
    case 'failed_task': {
      host.hideNeed(need)
      if (key === 'n') return
      const words = feedback === '' ? '' : ` ${feedback}`
      isDone(host, await host.control.prompt(`Task #${need.task} failed. Reopen it and have it done again.${words}`))
      return
    }
    case 'mail':
      return host.hideNeed(need)
    default:
      need satisfies never
  }
}

/** All of it, on a screen of its own, where it can be answered too. */
export function needView(host: Host, need: Need): OpenView {
  return {
    title: draw`${needOwner(need)}`,
    lines: (columns: number) =>
      need.kind === 'mail'
        ? mailLines(
            host.view.mail.filter(({ message }) => message.to === 'user'),
            columns,
          )
        : wholeNeed(need, columns),
    keys: needKeys(need)
      .filter(([key]) => key !== 'v')
      .map(([key, what]) => `${key} ${what}`)
      .join(' · '),
    followsEnd: false,
  }
}
