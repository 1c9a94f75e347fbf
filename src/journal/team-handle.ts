import type { Eraser } from '../redaction/eraser.ts'
import type { Answer } from '../team/answers/answer.ts'
import type { Applied } from '../team/apply.ts'
import { type Command, isCommandId, type MessageDraft } from '../team/command.ts'
import type { Author, TeamEvent } from '../team/event.ts'
import type { Effect } from '../team/message.ts'
import { nameKey } from '../team/name.ts'
import { isRefusal, type Refusal, refuse } from '../team/refusal.ts'
import type { TeamState } from '../team/state.ts'
import type { EarlierAttempt } from '../team/task.ts'
import { openAppender, type Until } from './appender.ts'
import { type Clock, systemClock } from './clock.ts'
import { foldTo } from './fold/fold.ts'
import { describeLoss, type JournalLoss } from './fold/rewound.ts'
import { createIds } from './ids.ts'
import type { Cursor } from './log/cursor.ts'
import type { Log, Store } from './log/store.ts'
import type { Order } from './replay/order.ts'
import { type Ended, earlierAttempts } from './transcripts/earlier-attempts.ts'
import { ingestMail } from './views/ingest-mail.ts'
import { openViewWriter } from './views/view-writer.ts'

/** This process's handle on one team: its state, and the only way to change it. */
export interface TeamHandle extends AsyncDisposable {
  readonly name: string
  /** As folded so far; `refresh` folds on. Never changed but by folding. */
  readonly state: TeamState
  readonly cursor: Cursor
  readonly log: Log
  /** Only where the run is recorded or replayed. */
  readonly order?: Order | undefined
  refresh(): Promise<void>
  /** Resolves when every event in `state` that a model may read is durable: a power cut must not take back what it builds on. */
  syncState(): Promise<void>
  /**
   * Decides and appends; resolves when the answer is durable, or `written`. A repeated `commandId` gets the first answer.
   * The answer to a claim names earlier attempts, whichever command claimed.
   */
  run(command: Command, as?: Running): Promise<Answer | Refusal>
  /** What the record of a command did; undefined where no record with this id was accepted. */
  eventsOf(commandId: string): Promise<readonly TeamEvent[] | undefined>
  /** Sends a message; the effects say, for each recipient, what the log made of it. */
  send(message: MessageDraft, as?: Acting): Promise<readonly Effect[] | Refusal>
  /** The reader has these messages. An effect says `ignored` where another reader was assigned meanwhile. */
  acknowledge(member: string, ids: readonly string[], take: string | null, as?: Reading): Promise<readonly Effect[]>
  /** Appends facts as they are. */
  report(events: readonly TeamEvent[], as?: Reporting): Promise<readonly Effect[]>
  /** Brings in what foreign programs left in the mailbox files. */
  ingest(): Promise<void>
  /** What other members had done for a task before this owner got it. */
  earlierAttempts(task: Ended, owner: string): Promise<readonly EarlierAttempt[]>
  /** What is taken from `state` and shown to a person or a model goes through this: long texts may be tickets there. */
  loadLongTexts<T>(value: T): Promise<T>
  /**
   * `seen` learns of every record as soon as this process has folded it, own or foreign; returns how to stop that. After the
   * journal lost its end and was folded again, it is called once without an id.
   */
  watch(seen: (applied: Applied) => void): () => void
  /** Resolves when the team may have changed, after `atMost` milliseconds, or when `signal` aborts. */
  changed(atMost: number, signal?: AbortSignal): Promise<void>
  close(): Promise<void>
}

/** On whose behalf, and under which id a command is written; by default the user's, under a new one. */
export interface Acting {
  readonly by?: Author
  readonly commandId?: string
}

export interface Reporting extends Acting {
  /** `written`: a power cut may still take it back, until anything later is durable. By default `durable`. */
  readonly until?: Until
}

export interface Running extends Reporting {
  /** No command had this `commandId` before, so no first answer is looked for. */
  readonly isFirst?: boolean
}

export interface Reading extends Reporting {
  /** The record of the reader's transcript in which the messages stand. */
  readonly turn?: string | undefined
}

export interface TeamOptions {
  readonly clock?: Clock
  readonly newId?: () => string
  /**
   * Only in a database: a server took over that did not have the end of the journal. It was folded again and continues;
   * the store has warned of it.
   */
  readonly onRewound?: (loss: JournalLoss) => void
  /** Takes secrets out of everything this process writes to the journal. */
  readonly eraser?: Pick<Eraser, 'value'> | undefined
}

/** Events that people and the runtime read, but no model. */
const NOT_FOR_MODELS = new Set<TeamEvent['type']>(['member.activity', 'agent.health', 'usage', 'message.delivered'])

export const USER: Author = { name: 'user' }

export async function openTeam(store: Store, name: string, options: TeamOptions = {}): Promise<TeamHandle> {
  const { clock = systemClock, newId = createIds() } = options
  const clean = <T>(value: T): T => options.eraser?.value(value) ?? value
  const appender = await openAppender({
    log: await store.log(`${name}/journal`, { longTexts: true }),
    presence: store.presence,
    clock,
    onRewound(fault, lost) {
      const loss = describeLoss(name, fault, lost)
      store.warn?.(loss.message)
      options.onRewound?.(loss)
    },
  })
  const views = store.views?.(name)
  const viewWriter = openViewWriter(views, appender)
  const { fold } = appender
  let modelEventAt = fold.cursor.seq
  appender.watchers.add(({ events }) => {
    if (!events.every(({ type }) => NOT_FOR_MODELS.has(type))) modelEventAt = fold.cursor.seq
  })

  async function report(
    events: readonly TeamEvent[],
    { by = USER, commandId, until = 'durable' }: Reporting = {},
  ): Promise<readonly Effect[]> {
    const effects = await appender.report(clean(events), { id: commandId ?? newId(), by, until })
    viewWriter.schedule()
    return effects
  }

  const team: TeamHandle = {
    name,
    get log() {
      return appender.log
    },
    get state() {
      return fold.state
    },
    get cursor() {
      return fold.cursor
    },
    refresh: () => appender.refresh(),
    syncState: () => appender.log.sync(modelEventAt),
    async run(command, { by = USER, commandId, until = 'durable', isFirst = false } = {}) {
      if (commandId !== undefined && !isCommandId(commandId)) return noCommandId(commandId)
      const chosen = { mayRepeat: commandId !== undefined && !isFirst, hasOwnRecord: isFirst }
      const answer = await appender.run(clean(command), { id: commandId ?? newId(), by, ...chosen, until })
      if (!isRefusal(answer) && answer.note === undefined) viewWriter.schedule()
      const whole = await appender.log.whole(answer)
      if (isRefusal(whole) || !isClaim(command)) return whole
      const held =
        whole.next ?? whole.tasks?.find(({ status, owner }) => status === 'in_progress' && isSame(owner ?? '', by.name))
      const earlier = held ? await earlierAttempts(store, team, held, by.name) : []
      return earlier.length === 0 ? whole : { ...whole, earlierAttempts: earlier }
    },
    async eventsOf(commandId) {
      await appender.refresh()
      return appender.alone(async () => {
        if (!(await appender.log.knows(commandId))) return undefined
        return (await foldTo(appender.log, commandId))?.applied.events
      })
    },
    async send(message, { by = USER, commandId } = {}) {
      if (commandId !== undefined && !isCommandId(commandId)) return noCommandId(commandId)
      const effects = await appender.send(clean(message), {
        id: commandId ?? newId(),
        by,
        mayRepeat: commandId !== undefined,
      })
      if (!isRefusal(effects)) viewWriter.schedule()
      return effects
    },
    acknowledge(member, ids, take, { turn, ...as } = {}) {
      const inTurn = turn !== undefined && { turn }
      return report([{ type: 'message.delivered', member, ids: [...ids], take, ...inTurn }], as)
    },
    report,
    async ingest() {
      if (views) await ingestMail(views, team)
    },
    earlierAttempts: async (task, owner) =>
      earlierAttempts(store, team, { id: task.id, ended: await appender.log.whole(task.ended) }, owner),
    loadLongTexts: (value) => appender.log.whole(value),
    watch(seen) {
      appender.watchers.add(seen)
      return () => void appender.watchers.delete(seen)
    },
    changed: (atMost, signal) => appender.log.changed(fold.cursor, atMost, signal),
    async close() {
      await appender.idle()
      try {
        await viewWriter.flush()
      } finally {
        await appender.log.close()
      }
    },
    [Symbol.asyncDispose]: () => team.close(),
  }
  return team
}

function isClaim(command: Command): boolean {
  if (command.type === 'task.complete' || command.type === 'task.fail') return command.next === true
  return command.type === 'task.claim' || (command.type === 'task.update' && command.status === 'in_progress')
}

function isSame(one: string, other: string): boolean {
  return nameKey(one) === nameKey(other)
}

function noCommandId(text: string): Refusal {
  return refuse('invalid', { problem: 'command_id', id: text })
}
