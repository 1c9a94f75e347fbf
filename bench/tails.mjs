import { fork } from 'node:child_process'
import { once } from 'node:events'
import { setTimeout as pause } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { openPostgresStore } from '../dist/index.js'
import { median } from './place.mjs'
import { ask } from './postgres.mjs'

const program = fileURLToPath(new URL('./workers/postgres-tails.mjs', import.meta.url))
const MESSAGES = 40
let logs = 0

/** Appends some messages, one after the other, while `processes` × `handles` readers follow the log. */
export async function tail(server, { processes, handles, size }) {
  const url = `${server.url}?schema=tails${logs++}`
  const store = await openPostgresStore({ url })
  const log = await store.log('bench/journal', { longTexts: true })
  await log.append([{ id: 'made', after: '' }])
  const before = await statements(server)
  const readers = Array.from({ length: processes }, () => fork(program, [url, handles]))
  const heard = new Map()
  for (const reader of readers) reader.on('message', ({ id, at }) => heard.get(id)?.(at.map(BigInt)))
  await Promise.all(readers.map((reader) => once(reader, 'message')))
  const latencies = []
  for (let i = 0; i < MESSAGES; i++) {
    // So that each is told of by itself, as mail is that comes now and then.
    await pause(25)
    const all = allOf(readers.length, `mail${i}`)
    const sent = process.hrtime.bigint()
    await log.append([{ id: `mail${i}`, text: 'x'.repeat(size) }])
    for (const at of await all) latencies.push(Number(at - sent) / 1e6)
  }
  const ended = Promise.all(readers.map((reader) => once(reader, 'exit')))
  for (const reader of readers) reader.disconnect()
  await ended
  await store[Symbol.asyncDispose]()
  return { latency: median(latencies), statements: ((await statements(server)) - before) / MESSAGES }

  function allOf(count, id) {
    const times = []
    return new Promise((resolve) => {
      heard.set(id, (at) => {
        times.push(...at)
        if (--count === 0) resolve(times)
      })
    })
  }
}

/** Transactions that the server has carried out; a client's are counted for certain when it has gone. */
async function statements(server) {
  const clients = "select count(*)::int as count from pg_stat_activity where application_name = 'deskmates'"
  for (let looks = 0; looks < 100 && (await ask(server, clients))[0].count > 1; looks++) await pause(10)
  const [{ count }] = await ask(
    server,
    `select (xact_commit + xact_rollback)::int as count from pg_stat_database where datname = 'postgres'`,
  )
  return count
}
