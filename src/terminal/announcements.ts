import { agentRows } from '../view/agent-rows.ts'
import { type Need, precedesQuestion } from '../view/needs-person.ts'
import type { ShownMessage, View } from '../view/view.ts'
import { draw, EMPTY, paint } from './drawing/drawn.ts'
import type { Block } from './drawing/scrollback-tui.ts'
import { wrappedLines } from './drawing/text-lines.ts'
import { needId, needText } from './team-panel/needs.ts'
import { announcedMail } from './views/mail-lines.ts'

/** What is printed when it happens: mail, the end of the team, the end of a run that failed. Each once. */
export class Announcements {
  readonly #announced = new WeakSet<ShownMessage>()
  #hadTeammates = false
  #wasWorking = false

  take(view: View, now: number): Block[] {
    return [...this.#mail(view), ...this.#teamEnd(view, now), ...this.#runEnd(view)]
  }

  #mail({ mail }: View): Block[] {
    const fresh = mail.filter((message) => !this.#announced.has(message))
    for (const message of fresh) this.#announced.add(message)
    // Notices that an agent became idle are for the lead; a person sees the team, and the prompt stands in the conversation.
    const isTalk = ({ message }: ShownMessage) =>
      message.type !== 'idle_notification' && !(message.prompt === true && message.from === 'user')
    const talk = fresh.filter(isTalk)
    return talk.map((message) => ({ lines: (columns) => announcedMail(message, columns) }))
  }

  #teamEnd(view: View, now: number): Block[] {
    const hasTeammates = agentRows(view, now).some(({ name }) => name !== 'lead')
    const isOver = this.#hadTeammates && !hasTeammates
    this.#hadTeammates = hasTeammates
    return isOver ? [{ lines: () => [paint.dim(draw`[all teammates shut down]`)] }] : []
  }

  #runEnd({ run: { isWorking, error } }: View): Block[] {
    const isOver = this.#wasWorking && !isWorking
    this.#wasWorking = isWorking
    if (!isOver || error === null) return []
    return [{ lines: (columns) => [EMPTY, ...wrappedLines(error, columns).map(paint.red)] }]
  }
}

/** For the bell and the desktop: a person is needed, or all is done. Each once. */
export class Notices {
  readonly #notified = new Set<string>()
  #wasWorking = false

  take({ run }: View, needs: readonly Need[]): string[] {
    const fresh = needs.filter((need) => !precedesQuestion(need) && !this.#notified.has(needId(need)))
    for (const need of fresh) this.#notified.add(needId(need))
    const isOver = this.#wasWorking && !run.isWorking
    this.#wasWorking = run.isWorking
    const end = run.error === null ? 'All is done.' : `The run ended: ${run.error}`
    return [...fresh.map((need) => needText(need).bare), ...(isOver ? [end] : [])]
  }
}
