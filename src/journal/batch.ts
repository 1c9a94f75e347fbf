import { type Answer, answerUnchanged } from '../team/answers/answer.ts'
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

/** Something that waits to be written. */
export interface PendingWrite {
  readonly id: string
  readonly by: Author
  readonly what: Write
  readonly arrival: number
  /** How often it lost against another process's decision. */
  readonly tries: number
  /** Its promise resolves once it is written; it becomes durable with the next sync. */
  readonly resolveOnWrite?: boolean | undefined
  /** Which events of its record are its own, from and to; without it all of them. */
  part?: readonly [number, number] | undefined
  result?: Result
  settle(result: Result): void
  fail(error: unknown): void
}

/** With `mayRepeat` its id was chosen by the caller, under which it may have been carried out before. */
export type Write =
  | { readonly command: Command; readonly mayRepeat: boolean }
  | { readonly letter: MessageDraft; readonly mayRepeat: boolean }
  | { readonly facts: readonly TeamEvent[] }

export type Result = Answer | Refusal | readonly Effect[]

export interface Batch {
  readonly records: readonly LogRecord[]
  /** Who waits for each record: one, or all letters or steps of one author in one tick. */
  readonly entries: readonly (readonly PendingWrite[])[]
  /** What needs no record. One that `rests` on decisions of this batch holds only if those are accepted. */
  readonly answers: readonly {
    readonly entry: PendingWrite
    readonly result: Answer | Refusal
    readonly rests: boolean
  }[]
}

/** How many characters of what was written, and how many letters, one record of letters may hold. */
const LETTERS_LENGTH = 256 * 1024
const LETTERS_IN_A_RECORD = 256
const STEPS_IN_A_RECORD = 8

/** Steps of one's own work: small, and without an effect on anybody's mail. */
const STEPS = new Set<Command['type']>(['task.claim', 'task.complete', 'task.renew', 'task.release'])

/** Decides all in order, each on the state that the ones before it will leave, and chains what is to be written. */
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
  let letters: Letters | undefined
  let steps: Steps | undefined
  // Of all decisions only taking mail looks at what was just sent.
  const minds = waiting.some(({ what }) => 'command' in what && what.command.type === 'mail.take')

  state.trial.run(() => {
    for (const entry of waiting) {
      const name = memberNamed(state, entry.by.name)?.name ?? entry.by.name
      const circumstances = { ...about, id: entry.id, by: { ...entry.by, name } }
      if ('command' in entry.what) decideOne(entry, entry.what.command, circumstances)
      else if ('facts' in entry.what) put(entry, entry.what.facts, circumstances)
      else sendOne(entry, entry.what.letter, circumstances)
    }
  })
  return { records, entries, answers }

  function decideOne(entry: PendingWrite, command: Command, circumstances: Circumstances): void {
    if (!due) {
      due = overdue(state, circumstances)
      assume(state, due, circumstances)
    }
    const decision = decide(state, command, circumstances)
    if (isRefusal(decision)) return say(entry, decision)
    if (decision.events.length === 0) {
      return say(entry, answerUnchanged(state, command, circumstances.by.name, decision.note))
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

  function sendOne(entry: PendingWrite, letter: MessageDraft, circumstances: Circumstances): void {
    const refusal = checkMessage(state, letter, circumstances.by)
    if (refusal) return say(entry, refusal)
    const message = messageFrom(letter, circumstances.by.name, circumstances)
    const event: TeamEvent = { type: 'message.sent', message }
    const size = letter.content.length + (letter.extra ? JSON.stringify(letter.extra).length : 0)
    if (!letters?.takes(entry, size)) {
      put(entry, [event], circumstances)
      letters = isPlain(entry) ? openLetters(entry, size) : undefined
      return
    }
    // Five letters of one tick are one line instead of five that every other process has to read.
    const events = records.at(-1)?.events as unknown as TeamEvent[]
    events.push(event)
    entries.at(-1)?.push(entry)
    if (minds) assume(state, [event], circumstances)
  }

  function say(entry: PendingWrite, result: Answer | Refusal): void {
    answers.push({ entry, result, rests: after !== cursor.last })
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
    letters = undefined
    steps = undefined
    if (entry !== waiting.at(-1) && (minds || condition.after !== undefined)) assume(state, events, circumstances)
  }
}

/** The record written last, while it holds letters of one author and has room for more. */
interface Letters {
  /** Takes one more in, if it may stand with the others. */
  takes(entry: PendingWrite, size: number): boolean
}

function openLetters({ by }: PendingWrite, first: number): Letters {
  let room = LETTERS_LENGTH - first
  let left = LETTERS_IN_A_RECORD - 1
  return {
    takes(entry, size) {
      if (left === 0 || size > room || !isPlain(entry) || !isSameAuthor(entry.by, by)) return false
      room -= size
      left--
      return true
    },
  }
}

/** The record written last, while it holds steps of one author's work. */
interface Steps {
  takes(entry: PendingWrite): boolean
}

function openSteps({ by }: PendingWrite): Steps {
  let left = STEPS_IN_A_RECORD - 1
  return { takes: (entry) => isSameAuthor(entry.by, by) && left-- > 0 }
}

function isSameAuthor(one: Author, other: Author): boolean {
  return one.name === other.name && one.generation === other.generation && one.epoch === other.epoch
}

/** What has an id of its caller's own stands alone: it is looked up by the id of its record. */
function isPlain({ what }: PendingWrite): boolean {
  return 'mayRepeat' in what && !what.mayRepeat
}
