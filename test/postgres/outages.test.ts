import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openPostgresStore } from '../../src/stores/postgres/store.ts'
import { figure } from '../storms/place.ts'
import { askOnce, useDatabase } from './database.ts'
import { openProxy } from './proxy.ts'
import { type PostgresServer, startPostgres } from './server.mjs'
import { startWriters, type Writers } from './writers.ts'

const OUTAGES = figure('OUTAGES', 10, 100)

const database = useDatabase()

describe('four writers, two of decisions and two of mail, keep every promise', () => {
  it(`${OUTAGES} times all their connections are ended`, { timeout: 600_000 }, async () => {
    const { url, schema } = database.place()
    const writers = await startWriters(url)
    for (let i = 0; i < OUTAGES; i++) {
      await database.sql(END_ALL)
      await writers.progress()
    }
    await judge('connections ended', writers, database.server.url, schema)
  }) // B58, F1, F2, F22

  it(`${OUTAGES} times the server is killed and comes back`, { timeout: 600_000 }, async () => {
    const { url, schema } = database.place()
    const writers = await startWriters(url)
    for (let i = 0; i < OUTAGES; i++) {
      await database.server.kill()
      await database.server.start()
      await writers.progress()
    }
    await judge('server killed', writers, database.server.url, schema)
  }) // B58, F1, F2, F22

  it(`${OUTAGES} times the link is cut, every other time in the middle of an answer`, {
    timeout: 600_000,
  }, async () => {
    const { url, schema } = database.place()
    await using proxy = await openProxy(database.server)
    const writers = await startWriters(through(url, [proxy.port]))
    for (let i = 0; i < OUTAGES; i++) {
      if (i % 2 === 0) proxy.cut()
      else await proxy.cutInAnswer()
      await writers.progress()
      proxy.abandon()
    }
    await judge('link cut', writers, database.server.url, schema)
  }) // B58, F1, F2, F22
})

describe('with a standby that must confirm', () => {
  let primary: PostgresServer
  let standby: PostgresServer
  const gone: Promise<void>[] = []
  beforeAll(async () => {
    primary = await startPostgres({ settings: { synchronous_standby_names: 'standby' }, walSegment: 1 })
    standby = await primary.standby()
  })
  afterAll(() => Promise.all([primary.stop(), standby.stop(), ...gone]))

  it('an unconfirmed record is not acknowledged, also when it is sent again', async () => {
    await using store = await openPostgresStore({ url: `${primary.url}?schema=doubtful` })
    const log = await store.log('web/journal')
    await log.append([{ id: 'made', after: '' }])
    await standby.kill()
    let isAnswered = false
    const sent = log.append([{ id: 'mail' }]).finally(() => {
      isAnswered = true
    })
    const waiting = async (but = 0): Promise<number> => {
      const query = `select pid from pg_stat_activity where wait_event = 'SyncRep' and pid <> ${but}`
      for (let looks = 0; looks < 1000 && !isAnswered; looks++) {
        const [found] = await askOnce(primary.url, query)
        if (found) return Number(found.pid)
      }
      throw new Error('Nothing waits for the standby.')
    }
    const pid = await waiting()
    await askOnce(primary.url, `select pg_terminate_backend(${pid})`)
    // It was committed here, is found when it comes again, and has to wait again.
    await waiting(pid)
    await standby.start()
    expect((await sent).outcomes).toEqual(['accepted'])
  }) // B58, F1

  it(`${OUTAGES} times it takes over from a server that is gone`, { timeout: 600_000 }, async () => {
    const places = [primary, standby].map(({ host, port }) => ({ host, port }))
    await using one = await openProxy(places[0]!)
    await using other = await openProxy(places[1]!)
    const writers = await startWriters(through(`${primary.url}?schema=teams`, [one.port, other.port]))
    for (let i = 0; i < OUTAGES; i++) {
      await primary.kill()
      await standby.promote()
      // Its folder may go while the next one is made.
      gone.push(primary.discard())
      primary = standby
      standby = await primary.standby()
      places[i % 2]!.port = standby.port
      await writers.progress()
    }
    await judge('standby promoted', writers, primary.url, 'teams')
    // The last one has it all as well, and shows it once it has replayed it.
    const missing = async () => {
      const there = new Set(await idsIn(standby.url, 'teams'))
      return writers.acknowledged.filter((id) => !there.has(id))
    }
    for (let looks = 0; looks < 500 && (await missing()).length > 0; looks++) await sleep(20)
    expect(await missing()).toEqual([])
  }) // B58, F1, F2, F22
})

const END_ALL = `select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'deskmates'`

function through(url: string, ports: readonly number[]): string {
  return url.replace(/127\.0\.0\.1:\d+/, ports.map((port) => `127.0.0.1:${port}`).join(','))
}

/** Stops the writers and compares the acknowledged records with the records in the database. */
async function judge(what: string, writers: Writers, url: string, schema: string): Promise<void> {
  await writers.stop()
  const { acknowledged, unknown } = writers
  const written = await idsIn(url, schema)
  const said = await textsIn(url, schema)
  const lost = acknowledged.filter((id) => !written.includes(id))
  const doubled = said.filter((text, i) => said.indexOf(text) !== i)
  const unresolved = [...unknown].filter((id) => written.filter((other) => other === id).length !== 1)
  console.log(
    `outages: ${what} ${OUTAGES} times, acknowledged ${acknowledged.length}, lost ${lost.length}, doubled ` +
      `${doubled.length}, unknown ${unknown.size}, of these resolved ${unknown.size - unresolved.length}`,
  )
  expect(lost).toEqual([])
  expect(doubled).toEqual([])
  expect(unresolved).toEqual([])
  // Every record in the database was acknowledged: each writer got all of its answers.
  expect(said.toSorted()).toEqual([...acknowledged].sort())
}

async function idsIn(url: string, schema: string): Promise<string[]> {
  return (await askOnce(url, `select id from ${schema}.records order by seq`)).map(({ id }) => id)
}

/** What was decided and sent, by its text: two records of different ids that say the same are one too many. */
async function textsIn(url: string, schema: string): Promise<string[]> {
  const texts = `select coalesce(e ->> 'description', e -> 'message' ->> 'content') as text
    from ${schema}.records r, json_array_elements(r.body::json -> 'events') e
    where e ->> 'type' in ('task.updated', 'message.sent') order by r.seq`
  return (await askOnce(url, texts)).map(({ text }) => text)
}
