import postgres from 'postgres'
import { onTestFinished } from 'vitest'
import type { Database } from './database.ts'

/** A client that locks the heads of all logs and then does nothing, until the test is over. */
export async function holdHead({ server }: Database, schema: string) {
  const sql = postgres(server.url, { max: 1, onnotice() {}, fetch_types: false })
  onTestFinished(() => sql.end({ timeout: 0 }))
  await sql.unsafe(`begin; select from ${schema}.logs for update`)
  return { release: () => sql.unsafe('commit') }
}

/** Resolves when so many statements of the store wait for a transaction of another client. */
export function waitingForLock(database: Database, count: number, looks = LOOKS): Promise<void> {
  const waiting = `select count(*)::int as count from pg_stat_activity
    where application_name = 'deskmates' and wait_event_type = 'Lock'`
  return untilCount(database, waiting, count, `There were never ${count} statements waiting.`, looks)
}

/** Resolves when no statement of the store is being carried out. */
export function idle(database: Database): Promise<void> {
  const busy = `select count(*)::int as count from pg_stat_activity
    where application_name = 'deskmates' and state <> 'idle'`
  return untilCount(database, busy, 0, 'There was always a statement being carried out.')
}

/** Resolves when the standby has everything. */
export function caughtUp(database: Database): Promise<void> {
  const there = `select count(*)::int as count from pg_stat_replication where replay_lsn >= pg_current_wal_lsn()`
  return untilCount(database, there, 1, 'The standby never caught up.')
}

/** How often a wait queries the database before it fails. */
const LOOKS = 5000

async function untilCount({ sql }: Database, query: string, count: number, never: string, looks = LOOKS) {
  for (let look = 0; look < looks; look++) if ((await sql(query))[0].count === count) return
  throw new Error(never)
}
