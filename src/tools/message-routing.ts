import type { MessageDraft } from '../team/command.ts'
import type { OpenEscalation } from '../team/mail/escalations.ts'
import type { HandOffDraft } from '../team/phases/phase.ts'
import type { Refusal } from '../team/refusal.ts'
import type { TeamState } from '../team/state.ts'

/** The rules of an organisation for messages inside of one team. They are asked before anything is delivered. */
export interface MessageRouting {
  /** Types of hand-offs that the organisation adds to those of the team. */
  readonly addedTypes: readonly string[]
  /** How a message travels, or why it does not. */
  route(message: RoutedMessage, state: TeamState): Route | Refusal
  /** What the final answer of a one-shot agent hands over, or why it is no valid hand-off; undefined for one that is none. */
  checkAnswer?(given: GivenAnswer, state: TeamState): HandedOver | Refusal | undefined
  /** The member that a member asks first when it is blocked; undefined where the organisation names none. */
  superiorOf?(name: string, state: TeamState): string | undefined
  readonly escalation?: EscalationTimeouts
  /** Records a hand-off where all departments see it, once per `commandId`; without it, in the journal of the sender's team. */
  record?(handOff: HandOffDraft, commandId?: string): Promise<object | Refusal>
}

export interface GivenAnswer {
  /** The one-shot member, or the role of a subagent, which is in no roster. */
  readonly from: string
  readonly isMember: boolean
  readonly answer: string
}

/**
 * message  a member of the team gets it as mail
 * journal  the team has no such member: it is recorded in the journal of the team
 * file     it leaves the team: it is recorded where all departments see it
 */
export type HandedOver =
  | { readonly via: 'message'; readonly message: MessageDraft }
  | { readonly via: 'journal' | 'file'; readonly handOff: HandOffDraft }

/** What becomes of an escalation that is not answered. */
export interface EscalationTimeouts {
  readonly timeoutSeconds: number
  /** Where it goes next, with `why` as further evidence; undefined where no level is left. */
  next(escalation: OpenEscalation, state: TeamState, why: string): NextLevel | undefined
}

/**
 * to       a member of the team gets it, with this content
 * handOff  it leaves the team: it is recorded for the owner, and the user is told
 */
export type NextLevel =
  | { readonly to: string; readonly content: string }
  | { readonly handOff: HandOffDraft; readonly issue: string }

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
