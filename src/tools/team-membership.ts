import type { Answer } from '../team/answer.ts'
import type { Command, MessageDraft } from '../team/command.ts'
import type { Effect, Message } from '../team/message.ts'
import type { Refusal } from '../team/refusal.ts'
import type { TeamState } from '../team/state.ts'

/** A member's place in a team. What it does there is signed by the runtime, never by the model. */
export interface TeamMembership {
  readonly team: string
  readonly name: string
  /** As folded so far: to look at, never to decide on. */
  readonly state: TeamState
  refresh(): Promise<void>
  run(command: Command): Promise<Answer | Refusal>
  send(letter: MessageDraft): Promise<readonly Effect[] | Refusal>
  /** What is taken from `state` and shown goes through this: long texts may be tickets there. */
  loadLongTexts<T>(value: T): Promise<T>
  /**
   * Mail that was not delivered yet, in words. A call that shows it names its ids in `ToolResult.mail`: the result is
   * the delivery.
   */
  unread(): Promise<readonly UnreadMessage[]>
}

/** A message that waits, and how it is put to a model. */
export interface UnreadMessage {
  readonly message: Message
  readonly text: string
  /** The words with head and tail of the content only, and the path under which all of it was kept. */
  excerpt(keep: (content: string, about: string) => string): { readonly words: string; readonly path: string }
}
