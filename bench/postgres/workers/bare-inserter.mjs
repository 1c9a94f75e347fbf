// The limit: one row and one commit per record, nothing else. The server syncs each commit.
import postgres from 'postgres'
import { runRounds } from '../../worker-rounds.mjs'

const body = 'x'.repeat(330)
let sql
process.once('disconnect', () => sql?.end())

await runRounds(async ({ url, count }) => {
  sql ??= postgres(url, { max: 1, fetch_types: false })
  await sql`select 1`
  return async () => {
    for (let i = 0; i < count; i++) await sql`insert into bare (body) values (${body})`
    return count
  }
})
