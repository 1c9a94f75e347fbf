import type { HandOffDraft } from '../team/phases/phase.ts'
import type { Refusal } from '../team/refusal.ts'
import type { TeamState } from '../team/state.ts'

/** The rules of an organisation for messages inside of one team. They are asked before anything is delivered. */
export interface MessageRouting {
  /** Types of hand-offs that the organisation adds to those of the team. */
  readonly addedTypes: readonly string[]
  /** How a message travels, or why it does not. */
  route(message: RoutedMessage, state: TeamState): Route | Refusal
  /** Records a hand-off where all departments see it; without it, in the journal of the sender's team. */
  record?(handOff: HandOffDraft): Promise<object | Refusal>
}

export interface RoutedMessage {
  readonly from: string
  /** `all` for a broadcast. */
  readonly to: string
  readonly type: string
  readonly content: string
}

/**
 * message  delivered as mail
 * file     recorded in the journal, and written to a file of the phase by the runtime; nothing is delivered
 */
export type Route =
  | {
      readonly via: 'message'
      /** It breaks a rule that the organisation only warns about. */
      readonly violation?: Refusal | undefined
    }
  | { readonly via: 'file'; readonly handOff: HandOffDraft; readonly file: string | undefined }
