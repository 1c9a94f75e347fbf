import { fork } from 'node:child_process'
import { once } from 'node:events'
import { setTimeout as pause } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { openPostgresStore } from '../../dist/index.js'
import { median } from '../verdict.mjs'
import { query } from './server.mjs'

const program = fileURLToPath(new URL('./workers/reader.mjs', import.meta.url))
const MESSAGES = 40
let logs = 0

/** Appends some messages, one after the other, while `processes` × `handles` readers follow the log. */
export async function follow(server, { processes, handles, size }) {
  const url = `${server.url}?schema=readers${logs++}`
  const store = await openPostgresStore({ url })
  const log = await store.log('bench/journal', { longTexts: true })
  await log.append([{ id: 'made', after: '' }])
  const before = await transactions(server)
  const readers = Array.from({ length: processes }, () => fork(program, [url, handles]))
  const onSeen = new Map()
  for (const reader of readers) reader.on('message', ({ id, at }) => onSeen.get(id)?.(at.map(BigInt)))
  await Promise.all(readers.map((reader) => once(reader, 'message')))
  const latencies = []
  for (let i = 0; i < MESSAGES; i++) {
    // Apart, so that each message is announced by itself.
    await pause(25)
    const all = allOf(readers.length, `message${i}`)
    const sent = process.hrtime.bigint()
    await log.append([{ id: `message${i}`, text: 'x'.repeat(size) }])
    for (const at of await all) latencies.push(Number(at - sent) / 1e6)
  }
  const ended = Promise.all(readers.map((reader) => once(reader, 'exit')))
  for (const reader of readers) reader.disconnect()
  await ended
  await store[Symbol.asyncDispose]()
  return { latency: median(latencies), transactions: ((await transactions(server)) - before) / MESSAGES }

  function allOf(count, id) {
    const times = []
    return new Promise((resolve) => {
      onSeen.set(id, (at) => {
        times.push(...at)
        if (--count === 0) resolve(times)
      })
    })
  }
}

/** Transactions that the server has run. It counts those of a client at the latest when the client has disconnected. */
async function transactions(server) {
  const clients = "select count(*)::int as count from pg_stat_activity where application_name = 'deskmates'"
  for (let checks = 0; checks < 100 && (await query(server, clients))[0].count > 1; checks++) await pause(10)
  const [{ count }] = await query(
    server,
    `select (xact_commit + xact_rollback)::int as count from pg_stat_database where datname = 'postgres'`,
  )
  return count
}
