import type { Database } from '../postgres/database.ts'
import { makePlace, type Place, TEAM } from './place.ts'
import type { RawJournal, RawRecord } from './raw-journal.ts'

export interface PostgresPlace extends Place {
  readonly schema: string
  /** How many batches were appended, also those that were refused; asked when all others have closed the store. */
  countAppends(): Promise<number>
}

/** The same storm in a database, in a schema of its own. */
export function makePostgresPlace(database: Database): PostgresPlace {
  const { url, schema } = database.place()
  const { dir, beliefs, [Symbol.dispose]: dispose } = makePlace()
  return {
    store: url,
    schema,
    dir,
    beliefs,
    readJournal: () => readRecords(database, schema),
    countAppends: () => countAppends(database, schema),
    [Symbol.dispose]: dispose,
  }
}

/** The server counts the calls of a function (`track_functions`) and tells of them when a client has left. */
async function countAppends({ sql }: Database, schema: string): Promise<number> {
  const clients = `select count(*)::int as count from pg_stat_activity where application_name = 'deskmates'`
  for (let looks = 0; looks < 1000; looks++) if ((await sql(clients))[0].count === 0) break
  const calls = `select calls::int from pg_stat_user_functions where schemaname = '${schema}' and funcname = 'append'`
  return (await sql(calls))[0].calls
}

/** Judges the rows with nothing of ours: they must be what a file would be without its refused lines. */
async function readRecords({ sql }: Database, schema: string): Promise<RawJournal> {
  const rows: { seq: number; id: string; body: string }[] = await sql(
    `select r.seq::int, r.id, r.body from ${schema}.records r join ${schema}.logs l using (log)
     where l.name = '${TEAM}/journal' order by r.seq`,
  )
  const records: RawRecord[] = []
  const malformed: string[] = []
  let last = ''
  for (const [i, { seq, id, body }] of rows.entries()) {
    const record: RawRecord = { ...JSON.parse(body), accepted: true }
    if (seq !== i + 1) malformed.push(`number ${seq} stands where ${i + 1} should`)
    if (record.id !== id) malformed.push(`number ${seq} is ${record.id} and is found as ${id}`)
    if (record.after !== undefined && record.after !== last) malformed.push(`number ${seq} follows ${record.after}`)
    if (record.after !== undefined) last = record.id
    records.push(record)
  }
  return { records, torn: 0, malformed }
}
