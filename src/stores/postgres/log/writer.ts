import { randomBytes } from 'node:crypto'
import { MAX_RECORD_BYTES, whyRefused } from '../../../journal/log/admission.ts'
import type { Fault, LogRecord, Outcome } from '../../../journal/log/store.ts'
import { JournalReadOnly, NotWritten, OutcomeUnknown, RecordRefused } from '../../../journal/log/store-errors.ts'
import { TeamError } from '../../../team/errors.ts'
import type { Parameter, Row } from '../connection/connection.ts'
import { type ConnectionPool, readableError } from '../connection/connection-pool.ts'
import { ConnectionLost, codeOf, isRolledBack, StoreUnreachable } from '../connection/failures.ts'
import { arrayOf, type Statements } from '../schema/statements.ts'
import { type ExtractedTexts, extractLongTexts, mayHoldLongText } from './long-texts.ts'
import type { SendHint } from './notifications.ts'
import type { LogReader } from './reader.ts'
import type { WritersLock } from './writers-lock.ts'

export interface WriterOptions {
  readonly reader: LogReader
  readonly pool: ConnectionPool
  readonly statements: Statements
  readonly writersLock: WritersLock
  readonly knows: ReadonlySet<string>
}

/**
 * Appends a batch in one statement. If the connection is lost before the answer arrives, the same records are sent again
 * under the same mark, and the second answer is the outcome:
 *
 * - If the first statement was carried out, the second finds its records by their ids and recognises them by the mark.
 * - If it was not, the second is carried out in its place. If the first still arrives later (from a buffer, or after a
 *   wait for the head row), it finds the ids and changes nothing.
 * - If the second meets a conflict, so will the first whenever it arrives: an id counts once, so the last decision never
 *   becomes an earlier one again. The caller may therefore decide again under the same id.
 *
 * No new decision is made while the outcome of the old one is unknown.
 */
export function createWriter({ reader, pool, statements, writersLock, knows }: WriterOptions) {
  const { path, name } = reader
  /** Each call gets its own mark. */
  const marks = `${randomBytes(9).toString('base64url')}-`
  let made = 0

  return async function append(records: readonly LogRecord[], sendHint?: SendHint): Promise<readonly Outcome[]> {
    const batch = prepare(records)
    const askedAt = reader.answersTaken
    const rows = await send(batch, records, sendHint)
    const [answer] = rows
    if (answer?.status === 'replaced') throw new JournalReadOnly(lost(answer))
    if (answer?.status === 'newer') throw new JournalReadOnly(reader.stop(String(answer.outcomes), Number(answer.head)))
    const outcomes = [...String(answer?.outcomes)].map((code) => OUTCOMES[code]!)
    const accepted = batch.filter((_, i) => outcomes[i] === 'accepted')
    reader.absorbAppend(rows, accepted, askedAt)
    return outcomes
  }

  /** The answer names the log if it still exists: then only its end is missing. */
  function lost({ log }: Row): Fault {
    if (log === null) return reader.lose('replaced', 'it was removed')
    const { id, seq } = reader.known!
    return reader.lose('rewound', `the record ${id} (number ${seq}) is not there any more`)
  }

  /** Refuses whatever can be refused before anything is sent. */
  function prepare(records: readonly LogRecord[]): Prepared[] {
    if (reader.fault) throw new JournalReadOnly(reader.fault)
    const refusal = whyRefused(records, ASK_THE_SERVER, knows)
    if (refusal) throw new RecordRefused(path, refusal.id, refusal.why)
    return records.map((record) => {
      if (UNSTORABLE.test(record.id)) throw new RecordRefused(path, record.id, 'has an id that is not plain text')
      const whole = JSON.stringify(record)
      const size = Buffer.byteLength(whole)
      if (size > MAX_RECORD_BYTES) throw new RecordRefused(path, record.id, 'is longer than 16 MB')
      if (!mayHoldLongText(whole)) return { record, texts: [], size, text: whole }
      const set = extractLongTexts(record)
      return { ...set, size, text: set.texts.length > 0 ? JSON.stringify(set.record) : whole }
    })
  }

  async function send(batch: Prepared[], records: readonly LogRecord[], sendHint?: SendHint): Promise<readonly Row[]> {
    const parameters = parametersOf(batch)
    let wasLost = false
    try {
      if (writersLock.isHeld) {
        try {
          return await writersLock.append(parameters, sendHint)
        } catch (error) {
          wasLost = error instanceof ConnectionLost
          if (!wasLost && !isRolledBack(codeOf(error) ?? '')) throw error
        }
      }
      return await pool.ask(statements.append, parameters, { wasSent: wasLost, afterSending: sendHint })
    } catch (error) {
      if (codeOf(error) === 'DM001') {
        const { detail, message } = error as { detail?: string; message: string }
        throw new RecordRefused(path, detail ?? '', message)
      }
      const ids = records.map(({ id }) => id)
      if (error instanceof StoreUnreachable && error.mayHaveArrived) throw new OutcomeUnknown(path, ids, error)
      throw error instanceof TeamError && !(error instanceof StoreUnreachable)
        ? error
        : new NotWritten(path, readableError(error))
    }
  }

  function parametersOf(batch: readonly Prepared[]): Parameter[] {
    const { known, log } = reader
    const texts = batch.flatMap(({ texts }, i) => texts.map((text) => ({ of: i + 1, text: JSON.stringify(text) })))
    return [
      name,
      log ?? null,
      known?.seq ?? null,
      known?.id ?? null,
      arrayOf([...knows]),
      String(pool.timeouts.lock),
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

interface Prepared extends ExtractedTexts {
  /** The JSON to store; `size` is the bytes of the record with all its texts. */
  readonly text: string
  readonly size: number
}

const OUTCOMES: Readonly<Record<string, Outcome>> = { a: 'accepted', c: 'conflict', r: 'repeated' }

/** Only the server knows which ids are in the log. */
const ASK_THE_SERVER = { complete: false, last: '', knows: () => false }

/** PostgreSQL stores neither NUL nor half of a surrogate pair. */
const UNSTORABLE = /\0|[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/
