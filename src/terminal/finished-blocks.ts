import type { Entry, View } from '../view/view.ts'
import { Announcements } from './announcements.ts'
import { PrintedConversation } from './conversation/printed-conversation.ts'
import type { Drawn } from './drawing/drawn.ts'
import type { Block } from './drawing/scrollback-tui.ts'

/**
 * What does not change any more and is printed with the next frame: the conversation with the lead, mail and other announcements, in
 * the order of the session's lines. Frames may come between two lines or not; the order does not depend on that.
 */
export class FinishedBlocks {
  readonly #conversation = new PrintedConversation()
  readonly #announcements = new Announcements()
  readonly #waiting: Block[] = []

  /** To be called after each line that may finish something. */
  collect(view: View, now: number): void {
    this.#waiting.push(...this.#conversation.takeFinished(leadEntries(view)), ...this.#announcements.take(view, now))
  }

  take(view: View, now: number): Block[] {
    this.collect(view, now)
    return this.#waiting.splice(0)
  }

  /** What may still change. */
  openLines(view: View, now: number, columns: number): Drawn[] {
    return this.#conversation.openLines(leadEntries(view), now, columns)
  }
}

export function leadEntries({ agents }: View): readonly Entry[] {
  return agents.get('lead')?.conversation ?? []
}
