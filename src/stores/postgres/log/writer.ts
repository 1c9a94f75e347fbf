import { randomBytes } from 'node:crypto'
import { MAX_RECORD_BYTES, whyRefused } from '../../../journal/admission.ts'
import type { Fault, LogRecord, Outcome } from '../../../journal/store.ts'
import { JournalReadOnly, NotWritten, OutcomeUnknown, RecordRefused } from '../../../journal/store-errors.ts'
import { TeamError } from '../../../team/errors.ts'
import type { Parameter, Row } from '../connection/connection.ts'
import { type Lines, plainly } from '../connection/connection-pool.ts'
import { codeOf, isWorthRepeating, LineLost, StoreUnreachable } from '../connection/failures.ts'
import type { Hint } from '../connection/notifications.ts'
import { arrayOf, type Statements } from '../schema/statements.ts'
import type { Floor } from './floor.ts'
import type { Hold } from './head-row-lock.ts'
import { mayHaveToSetAside, type SetAside, setAside } from './long-texts.ts'
import type { SharedLog } from './reader.ts'

export interface WriterOptions {
  readonly shared: SharedLog
  readonly lines: Lines
  readonly statements: Statements
  readonly hold: Hold
  readonly floor: Floor
  readonly knows: ReadonlySet<string>
}

/**
 * Appends a batch in one statement. When the line is lost before the answer came, the very same records are sent again
 * under the same mark, and the answer to that is the answer:
 *
 * - If the first one was carried out, its records are found by their ids and, by the mark, known to be these.
 * - If it was not, the second is carried out in its place. Should the first still arrive (it may lie in a buffer, or
 *   wait for the head row), it finds the ids and changes nothing.
 * - If the second meets a conflict, so will the first whenever it arrives: the last decision never becomes an earlier
 *   one again, because an id counts once. So "conflict" may be told to the decider, who decides anew under the same id.
 *
 * Never is a fresh decision made while the outcome of the old one is unknown.
 */
export function createWriter({ shared, lines, statements, hold, floor, knows }: WriterOptions) {
  const { path, name } = shared
  /** Each call has a mark of its own. */
  const marks = `${randomBytes(9).toString('base64url')}-`
  let made = 0

  return async function append(records: readonly LogRecord[], hint?: Hint): Promise<readonly Outcome[]> {
    const batch = prepare(records)
    const askedAt = shared.answersTaken
    const rows = await send(batch, records, hint)
    const [answer] = rows
    if (answer?.status === 'replaced') throw new JournalReadOnly(lost(answer))
    if (answer?.status === 'newer') throw new JournalReadOnly(shared.stop(String(answer.outcomes), Number(answer.head)))
    const outcomes = [...String(answer?.outcomes)].map((letter) => OUTCOMES[letter]!)
    const accepted = batch.filter((_, i) => outcomes[i] === 'accepted')
    shared.absorbAppend(rows, accepted, askedAt)
    return outcomes
  }

  /** The answer names the log if it is there: then only its end is not. */
  function lost({ log }: Row): Fault {
    if (log === null) return shared.lose('replaced', 'it was removed')
    const { id, seq } = shared.known!
    return shared.lose('rewound', `the record ${id} (number ${seq}) is not there any more`)
  }

  /** Everything that can be refused is refused before anything is sent. */
  function prepare(records: readonly LogRecord[]): Prepared[] {
    if (shared.fault) throw new JournalReadOnly(shared.fault)
    const refusal = whyRefused(records, ASK_THE_SERVER, knows)
    if (refusal) throw new RecordRefused(path, refusal.id, refusal.why)
    return records.map((record) => {
      if (UNSTORABLE.test(record.id)) throw new RecordRefused(path, record.id, 'has an id that is not plain text')
      const whole = JSON.stringify(record)
      const size = Buffer.byteLength(whole)
      if (size > MAX_RECORD_BYTES) throw new RecordRefused(path, record.id, 'is longer than 16 MB')
      if (!mayHaveToSetAside(whole)) return { record, texts: [], size, text: whole }
      const set = setAside(record)
      return { ...set, size, text: set.texts.length > 0 ? JSON.stringify(set.record) : whole }
    })
  }

  async function send(batch: Prepared[], records: readonly LogRecord[], hint?: Hint): Promise<readonly Row[]> {
    const parameters = parametersOf(batch)
    let wasLost = false
    try {
      const turn = [hold, floor].find(({ isHeld }) => isHeld)
      if (turn) {
        try {
          return await turn.append(parameters, hint)
        } catch (error) {
          wasLost = error instanceof LineLost
          if (!wasLost && !isWorthRepeating(codeOf(error) ?? '')) throw error
        }
      }
      return await lines.ask(statements.append, parameters, { wasSent: wasLost, behind: hint })
    } catch (error) {
      if (codeOf(error) === 'DM001') {
        const { detail, message } = error as { detail?: string; message: string }
        throw new RecordRefused(path, detail ?? '', message)
      }
      const ids = records.map(({ id }) => id)
      if (error instanceof StoreUnreachable && error.mayHaveArrived) throw new OutcomeUnknown(path, ids, error)
      throw error instanceof TeamError && !(error instanceof StoreUnreachable)
        ? error
        : new NotWritten(path, plainly(error))
    }
  }

  function parametersOf(batch: readonly Prepared[]): Parameter[] {
    const { known, log } = shared
    const texts = batch.flatMap(({ texts }, i) => texts.map((text) => ({ of: i + 1, text: JSON.stringify(text) })))
    return [
      name,
      log ?? null,
      known?.seq ?? null,
      known?.id ?? null,
      arrayOf([...knows]),
      String(lines.patience.lock),
      `${marks}${(made++).toString(36)}`,
      arrayOf(batch.map(({ record }) => record.id)),
      arrayOf(batch.map(({ record }) => record.after ?? null)),
      arrayOf(batch.map(({ record }) => record.tries ?? 0)),
      arrayOf(batch.map(({ record }) => record.needs?.join('\n') ?? '')),
      arrayOf(batch.map(({ size }) => size)),
      arrayOf(batch.map(({ text }) => text)),
      arrayOf(texts.map(({ of }) => of)),
      arrayOf(texts.map(({ text }) => text)),
    ]
  }
}

interface Prepared extends SetAside {
  /** As it will lie in the database, and its bytes with all its texts. */
  readonly text: string
  readonly size: number
}

const OUTCOMES: Readonly<Record<string, Outcome>> = { a: 'accepted', c: 'conflict', r: 'repeated' }

/** Which ids are in the log only the server knows for certain. */
const ASK_THE_SERVER = { complete: false, last: '', knows: () => false }

/** PostgreSQL keeps no NUL and no half of a pair. */
const UNSTORABLE = /\0|[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/
