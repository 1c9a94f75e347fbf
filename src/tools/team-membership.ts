import type { Answer } from '../team/answers/answer.ts'
import type { Command, MessageDraft } from '../team/command.ts'
import type { Effect, Message } from '../team/message.ts'
import type { Refusal } from '../team/refusal.ts'
import type { TeamState } from '../team/state.ts'
import type { MessageRouting } from './message-routing.ts'

/** Who acts in which team. The runtime signs what is done through it, never the model. */
export interface TeamMembership {
  readonly team: string
  readonly name: string
  /** As folded so far: for reading, not for decisions. */
  readonly state: TeamState
  refresh(): Promise<void>
  /** `commandId` names the record; no command had this id before. */
  run(command: Command, commandId?: string): Promise<Answer | Refusal>
  /** Its own task, once it ended, is followed by the next one: only of a teammate that may go on working now. */
  handsOver?(): boolean
  /** Who may write to whom; without it every member may write to every other one. */
  readonly routing?: MessageRouting | undefined
  send(message: MessageDraft): Promise<readonly Effect[] | Refusal>
  /** Loads the long texts in a part of `state` before it is shown: the state may hold references to them. */
  loadLongTexts<T>(value: T): Promise<T>
  /**
   * The messages that were not delivered yet, as text. A call that shows them names their ids in `ToolResult.mail`: the
   * result is the delivery.
   */
  unread(): Promise<readonly UnreadMessage[]>
}

/** An undelivered message, and its text for the model. */
export interface UnreadMessage {
  readonly message: Message
  readonly text: string
  /** The words with head and tail of the content only, and the path under which all of it was kept. */
  excerpt(keep: (content: string, about: string) => string): { readonly words: string; readonly path: string }
}
