import type { Json } from './data/json.ts'
import type { Author, TeamEvent } from './event.ts'
import type { MemberKind, Profile } from './members/member.ts'
import type { SessionFolder } from './members/session-folder.ts'
import type { Message, MessageType } from './message.ts'
import type { HandOffDraft, StepChange } from './phases/phase.ts'
import type { PlanDraft } from './plans/plan.ts'
import type { Refusal } from './refusal.ts'
import type { RequestAnswer, RequestKind } from './request.ts'
import type { TaskDraft, TaskId } from './task.ts'

/** What a caller wants to happen. `decide` says whether it may. */
export type Command =
  | { readonly type: 'team.create'; readonly team: string; readonly description?: string; readonly session?: string }
  /** The lead of this team begins or stops leading that team too. */
  | { readonly type: 'team.lead'; readonly team: string; readonly leads: boolean }
  | { readonly type: 'team.delete' }
  | { readonly type: 'supervise'; readonly runtime: string; readonly force?: boolean; readonly folder?: SessionFolder }
  /** This process stops supervising the team and goes on running: the next supervisor need not wait for its end. */
  | { readonly type: 'supervise.end'; readonly runtime: string; readonly reason?: string | undefined }
  | {
      readonly type: 'member.join'
      readonly name: string
      readonly role: string
      readonly kind?: Exclude<MemberKind, 'agent'>
      /** Of the token that it gets when it joins; without it the member has the token it had before, or none. */
      readonly tokenHash?: string
    }
  /** A new token for an external or human member; the token before it is void. */
  | { readonly type: 'token.issue'; readonly member: string; readonly hash: string }
  | {
      readonly type: 'member.spawn'
      readonly name: string
      readonly role: string
      readonly runtime: string
      /** Becomes its first message. */
      readonly prompt?: string
      readonly profile?: Profile
      /** Claimed for it in the same record; if it cannot be, no teammate is spawned. */
      readonly task?: TaskId
      /** The member whose tasks it may claim: one that was lost, and in whose place it works. */
      readonly inPlaceOf?: string
    }
  /**
   * A script or person leaves, or the lead stops an agent: claims are released, unread mail returns to its senders. With
   * `generation` only that generation is stopped; a newer one stays.
   */
  | { readonly type: 'member.stop'; readonly name: string; readonly generation?: number; readonly reason?: string }
  /** Only the supervisor says so; the next generation finds the mail again. */
  | { readonly type: 'member.lose'; readonly name: string; readonly reason: string }
  /** The run of a member ends in good order in the middle of its work; the next run continues it. Only for the supervisor. */
  | { readonly type: 'member.park'; readonly name: string; readonly reason: string }
  | { readonly type: 'task.add'; readonly tasks: readonly TaskDraft[] }
  | ({ readonly type: 'task.update'; readonly id: TaskId } & TaskChanges)
  /** With `isHandOver` the member has just ended its own task, and the rules of a hand-over apply. */
  | {
      readonly type: 'task.claim'
      readonly id?: TaskId
      readonly lease?: number
      readonly isHandOver?: boolean
      readonly inPlaceOf?: string
    }
  | { readonly type: 'task.renew'; readonly id: TaskId; readonly lease?: number }
  | { readonly type: 'task.release'; readonly id: TaskId; readonly force?: boolean; readonly reason?: string }
  | ({
      readonly type: 'task.complete'
      readonly id: TaskId
      readonly result?: string
      readonly commit?: string
      /** Sent to the lead in the same record, as the result of the task. */
      readonly report?: string
    } & HandOver)
  | ({ readonly type: 'task.fail'; readonly id: TaskId; readonly reason: string; readonly commit?: string } & HandOver)
  | { readonly type: 'plan.load'; readonly plan: PlanDraft }
  /** With `force` a step that is completed or skipped is started again. `escalation` is mailed in the same record. */
  | {
      readonly type: 'step.change'
      readonly change: StepChange
      readonly force?: boolean
      readonly escalation?: { readonly to: string; readonly content: string }
    }
  | { readonly type: 'handoff.record'; readonly handOff: HandOffDraft }
  | {
      readonly type: 'request.open'
      readonly kind: RequestKind
      readonly to: string
      readonly content: string
      /** In seconds from now. */
      readonly deadline?: number
    }
  | ({ readonly type: 'request.answer'; readonly id: string } & RequestAnswer)
  /** The sender needs no answer any more. */
  | { readonly type: 'request.withdraw'; readonly id: string; readonly reason: string }
  /** Turns of an agent's transcript are lost: agent and lead get a message, and the mail of those turns is unread again. */
  | {
      readonly type: 'transcript.repair'
      readonly member: string
      readonly archived: string | null
      readonly lost: readonly string[]
      readonly returned: readonly { readonly message: Message; readonly external: boolean }[]
      /** Messages to the agent, and to the lead if that is another one; without it neither gets one. */
      readonly texts?: { readonly agent: string; readonly lead: string }
    }
  | {
      readonly type: 'mail.take'
      readonly member: string
      readonly taker: string
      readonly lease?: number
      readonly limit?: number
    }

interface HandOver {
  /** The owner claims its next task in the same record, if a hand-over gives it one. */
  readonly next?: boolean
}

export interface TaskChanges {
  readonly subject?: string
  readonly description?: string
  readonly activeForm?: string
  readonly role?: string | null
  readonly assignee?: string | null
  readonly priority?: number
  readonly estimate?: number
  readonly files?: readonly string[]
  readonly wakeLead?: boolean
  readonly addBlockedBy?: readonly string[]
  readonly removeBlockedBy?: readonly string[]
  /** `pending` reopens, `deleted` deletes, `in_progress` claims, `completed` completes. */
  readonly status?: string
  readonly detach?: boolean
}

/** Mail is filed under it, and it stands in paths and lists: one word of safe characters. */
export function isCommandId(text: string): boolean {
  return /^[A-Za-z0-9._:-]{1,128}$/.test(text)
}

/** A message before it is sent; the runtime sets `from`. */
export interface MessageDraft {
  readonly to: string
  readonly content: string
  readonly type?: MessageType
  /** Whatever else goes with it; never one of the message's own members. */
  readonly extra?: { readonly [key: string]: Json }
}

/** All that a decision may look at besides the state. */
export interface Circumstances {
  /** Id of the record that is about to be written. */
  readonly id: string
  readonly by: Author
  /** Seconds since 1970, by the clock of the deciding process. */
  readonly now: number
  /** Processes that are certainly gone. */
  readonly dead: ReadonlySet<string>
  /** Processes about which only their lease can tell. */
  readonly unknown: ReadonlySet<string>
  /** The process that decides. */
  readonly self: string
}

/** Events to append, possibly none when everything is already so (`note` says it), or why not. */
export type Decision = { readonly events: readonly TeamEvent[]; readonly note?: string } | Refusal
