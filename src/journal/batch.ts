import { type Answer, answerUnchanged } from '../team/answers/answer.ts'
import { settlePaths } from '../team/board/remaining-path.ts'
import type { Circumstances, Command, MessageDraft } from '../team/command.ts'
import type { Json } from '../team/data/json.ts'
import { assume, decide } from '../team/decide.ts'
import type { Author, TeamEvent } from '../team/event.ts'
import { checkMessage, messageFrom } from '../team/mail/decide-mail.ts'
import type { Effect } from '../team/message.ts'
import { isRefusal, type Refusal } from '../team/refusal.ts'
import { overdue } from '../team/requests/overdue.ts'
import { memberNamed, type TeamState } from '../team/state.ts'
import type { Cursor } from './log/cursor.ts'
import type { LogRecord } from './log/store.ts'

/** A write that waits in the queue or is being written. */
export interface PendingWrite {
  readonly id: string
  readonly by: Author
  readonly what: Write
  readonly arrival: number
  /** How often another process decided first. */
  readonly tries: number
  /** Its promise resolves once it is written; it becomes durable with the next sync. */
  readonly resolveOnWrite?: boolean | undefined
  /** From and to: the events of its record that are its own. Without it all of them. */
  part?: readonly [number, number] | undefined
  result?: Result
  settle(result: Result): void
  fail(error: unknown): void
}

/**
 * With `mayRepeat` the caller chose the id, so the write may have been carried out before. With `hasOwnRecord` the caller
 * chose it for the first time: the record is found by it later.
 */
export type Write =
  | { readonly command: Command; readonly mayRepeat: boolean; readonly hasOwnRecord?: boolean | undefined }
  | { readonly message: MessageDraft; readonly mayRepeat: boolean }
  | { readonly facts: readonly TeamEvent[] }

export type Result = Answer | Refusal | readonly Effect[]

export interface Batch {
  readonly records: readonly LogRecord[]
  /** The writes in each record: one, or all messages or steps of one author in one tick. */
  readonly entries: readonly (readonly PendingWrite[])[]
  /** Answers without a record. One with `needsBatch` depends on decisions of this batch and holds only if those are accepted. */
  readonly answers: readonly {
    readonly entry: PendingWrite
    readonly result: Answer | Refusal
    readonly needsBatch: boolean
  }[]
}

/** The most characters, and the most messages, in one record of messages. */
const MAX_MESSAGE_CHARACTERS = 256 * 1024
const MAX_MESSAGES_IN_A_RECORD = 256
const MAX_STEPS_IN_A_RECORD = 8

/** Commands by which many tasks come in and none is claimed. */
const ADDITIONS = new Set<Command['type']>(['task.add', 'plan.load'])

/** Commands by which a member reports its own work: their records are small and change no mailbox. */
const STEPS = new Set<Command['type']>(['task.claim', 'task.complete', 'task.renew', 'task.release'])

/** Decides the writes in order, each on the state that the ones before it will leave, and chains their records. */
export function decideAll(
  { state, cursor }: { readonly state: TeamState; readonly cursor: Cursor },
  waiting: readonly PendingWrite[],
  about: Omit<Circumstances, 'id' | 'by'>,
): Batch {
  const records: LogRecord[] = []
  const entries: PendingWrite[][] = []
  const answers: Batch['answers'][number][] = []
  let after = cursor.last
  let due: readonly TeamEvent[] | undefined
  let messages: OpenMessages | undefined
  let steps: OpenSteps | undefined
  // Only taking mail depends on messages that were just sent.
  const takesMail = waiting.some(({ what }) => 'command' in what && what.command.type === 'mail.take')

  // What is computed here is not computed in the trial and taken back.
  if (waiting.some(mayClaim)) settlePaths(state)
  state.trial.run(() => {
    for (const entry of waiting) {
      const name = memberNamed(state, entry.by.name)?.name ?? entry.by.name
      const circumstances = { ...about, id: entry.id, by: { ...entry.by, name } }
      if ('command' in entry.what) decideOne(entry, entry.what.command, circumstances)
      else if ('facts' in entry.what) put(entry, entry.what.facts, circumstances)
      else sendOne(entry, entry.what.message, circumstances)
    }
  })
  return { records, entries, answers }

  function decideOne(entry: PendingWrite, command: Command, circumstances: Circumstances): void {
    if (!due) {
      due = overdue(state, circumstances)
      assume(state, due, circumstances)
    }
    const decision = decide(state, command, circumstances)
    if (isRefusal(decision)) return answer(entry, decision)
    if (decision.events.length === 0) {
      return answer(entry, answerUnchanged(state, command, circumstances.by.name, decision.note))
    }
    const isStep = STEPS.has(command.type) && isPlain(entry)
    if (isStep && steps?.takes(entry)) return addStep(entry, decision.events, circumstances)
    const { tries } = entry
    const from = due.length
    put(entry, decision.events, circumstances, { after, ...(tries > 0 && { tries }), command: command.type }, due)
    steps = isStep ? openSteps(entry) : undefined
    if (isStep) entry.part = [from, from + decision.events.length]
    after = entry.id
    due = []
  }

  /** Completing a task and claiming the next is one line instead of two that every other process has to read. */
  function addStep(entry: PendingWrite, own: readonly TeamEvent[], circumstances: Circumstances): void {
    const events = records.at(-1)?.events as unknown as TeamEvent[]
    entry.part = [events.length, events.push(...own)]
    entries.at(-1)?.push(entry)
    if (entry !== waiting.at(-1)) assume(state, own, circumstances)
  }

  function sendOne(entry: PendingWrite, draft: MessageDraft, circumstances: Circumstances): void {
    const refusal = checkMessage(state, draft, circumstances.by)
    if (refusal) return answer(entry, refusal)
    const message = messageFrom(draft, circumstances.by.name, circumstances)
    const event: TeamEvent = { type: 'message.sent', message }
    const size = draft.content.length + (draft.extra ? JSON.stringify(draft.extra).length : 0)
    if (!messages?.takes(entry, size)) {
      put(entry, [event], circumstances)
      messages = isPlain(entry) ? openMessages(entry, size) : undefined
      return
    }
    // Five messages of one tick are one line instead of five that every other process has to read.
    const events = records.at(-1)?.events as unknown as TeamEvent[]
    events.push(event)
    entries.at(-1)?.push(entry)
    if (takesMail) assume(state, [event], circumstances)
  }

  function answer(entry: PendingWrite, result: Answer | Refusal): void {
    answers.push({ entry, result, needsBatch: after !== cursor.last })
  }

  function put(
    entry: PendingWrite,
    events: readonly TeamEvent[],
    circumstances: Circumstances,
    condition: Partial<Pick<LogRecord, 'after' | 'tries' | 'command'>> = {},
    first: readonly TeamEvent[] = [],
  ): void {
    const by = circumstances.by as unknown as Json
    records.push({ id: entry.id, ...condition, at: about.now, by, events: [...first, ...events] as unknown as Json })
    entries.push([entry])
    entry.part = undefined
    messages = undefined
    steps = undefined
    if (entry !== waiting.at(-1) && (takesMail || condition.after !== undefined)) assume(state, events, circumstances)
  }
}

/** The newest record, while it holds messages of one author and more fit into it. */
interface OpenMessages {
  /** Counts one more message, if it may be in the same record. */
  takes(entry: PendingWrite, size: number): boolean
}

function openMessages({ by }: PendingWrite, first: number): OpenMessages {
  let charactersLeft = MAX_MESSAGE_CHARACTERS - first
  let left = MAX_MESSAGES_IN_A_RECORD - 1
  return {
    takes(entry, size) {
      if (left === 0 || size > charactersLeft || !isPlain(entry) || !isSameAuthor(entry.by, by)) return false
      charactersLeft -= size
      left--
      return true
    },
  }
}

/** The newest record, while it holds steps of one author. */
interface OpenSteps {
  takes(entry: PendingWrite): boolean
}

function openSteps({ by }: PendingWrite): OpenSteps {
  let left = MAX_STEPS_IN_A_RECORD - 1
  return { takes: (entry) => isSameAuthor(entry.by, by) && left-- > 0 }
}

function mayClaim({ what }: PendingWrite): boolean {
  return 'command' in what && !ADDITIONS.has(what.command.type)
}

function isSameAuthor(one: Author, other: Author): boolean {
  return one.name === other.name && one.generation === other.generation && one.epoch === other.epoch
}

/** A write whose id the caller chose has a record of its own: its repeat is found by the id of the record. */
function isPlain({ what }: PendingWrite): boolean {
  return 'mayRepeat' in what && !what.mayRepeat && !('hasOwnRecord' in what && what.hasOwnRecord)
}
