import { afterEach, describe, expect, it, vi } from 'vitest'
import { useDatabase } from '../../../test/postgres/database.ts'
import { advance, START } from '../../journal/log/cursor.ts'
import type { Log } from '../../journal/log/store.ts'
import { Superseded } from '../../journal/log/store-errors.ts'
import { openTeam } from '../../journal/team-handle.ts'
import { idsOf, readAll } from '../../testing/contracts/read-all.ts'
import { parseAddress } from './connection/address.ts'
import type { Row } from './connection/connection.ts'
import { type ConnectionPool, createConnectionPool } from './connection/connection-pool.ts'
import { createPostgresLog } from './log/log.ts'
import { createNotifications } from './log/notifications.ts'
import { createLogReader } from './log/reader.ts'
import { openPresence } from './presence.ts'
import { ensureSchema } from './schema/schema.ts'
import { createStatements } from './schema/statements.ts'
import { openPostgresStore } from './store.ts'

const database = useDatabase({ synchronous_commit: 'off', wal_writer_delay: '10s' })
const LONG = 'x'.repeat(100_000)

describe('the tables of a PostgreSQL store', () => {
  it('are created once when eight stores open at the same moment', async () => {
    const { url, schema } = database.place()
    const stores = await Promise.all(Array.from({ length: 8 }, () => openPostgresStore({ url })))
    const logs = await Promise.all(stores.map((store) => store.log('web/journal')))
    const made = await Promise.all(logs.map((log, i) => log.append([{ id: `maker${i}`, after: '' }])))
    expect(made.filter(({ outcomes }) => outcomes[0] === 'accepted')).toHaveLength(1)
    expect(await database.sql(`select version from ${schema}.version`)).toEqual([{ version: 1 }])
    for (const store of stores) await store[Symbol.asyncDispose]()
  })

  it('are refused if their version is newer, with the version to install', async () => {
    const { url, schema } = database.place()
    await (await openPostgresStore({ url }))[Symbol.asyncDispose]()
    await database.sql(`update ${schema}.version set version = 2, needs = '0.9.0'`)
    await expect(openPostgresStore({ url })).rejects.toMatchObject({
      code: 'store_too_new',
      message: expect.stringContaining('Install deskmates 0.9.0'),
    })
  })

  it('keep the rows of a removed team, and none of a purged one', async () => {
    const { url, schema } = database.place()
    await using store = await openPostgresStore({ url })
    for (const purge of [false, true]) {
      const log = await store.log('web/journal')
      await log.append([{ id: 'made', after: '', text: LONG }])
      await (await store.log('web/transcripts/ada')).append([{ id: 'turn' }])
      await log.save(1, { seq: 1, id: 'made', last: 'made' }, () => 'state')
      await store.remove('web', purge)
    }
    const count = (table: string) => `(select count(*)::int from ${schema}.${table}) as ${table}`
    const counted = await database.sql(`select ${['logs', 'records', 'bodies', 'snapshots'].map(count).join(', ')}`)
    expect(counted).toEqual([{ logs: 2, records: 2, bodies: 1, snapshots: 1 }])
  })
})

describe('a long text', () => {
  it('is stored once and sent to readers only on request', async () => {
    const { url, schema } = database.place()
    await using store = await openPostgresStore({ url })
    const log = await store.log('web/journal', { longTexts: true })
    await log.append([{ id: 'mail', text: LONG, short: 'short' }])
    const [read] = await readAll(log)
    expect(read?.record.short).toBe('short')
    expect(String(read?.record.text).length).toBeLessThan(100)
    expect(await log.whole(read?.record.text)).toBe(LONG)
    const sizes = await database.sql(
      `select max(length(r.body))::int as record, max(length(b.body))::int as text, count(*)::int
       from ${schema}.records r join ${schema}.bodies b using (log, id)`,
    )
    expect(sizes).toEqual([{ record: expect.any(Number), text: LONG.length + 2, count: 1 }])
    expect(sizes[0].record).toBeLessThan(200)
  })
})

describe('reading a log in PostgreSQL', () => {
  it('costs one query per new record for 64 waiting handles of a process', async () => {
    const { url } = database.place()
    await using writer = await openPostgresStore({ url })
    const log = await writer.log('web/journal')
    await log.append([{ id: 'made', after: '' }])
    const asked: string[] = []
    await using reader = await openCounting(url, asked)
    const stop = new AbortController()
    const tails = Array.from({ length: 64 }, () => reader.log().tail(START, stop.signal)[Symbol.asyncIterator]())
    for (const first of await Promise.all(tails.map((tail) => tail.next())))
      expect(idsOf(first.value)).toEqual(['made'])
    await reader.quiet()
    asked.length = 0
    for (let i = 0; i < 5; i++) {
      const next = Promise.all(tails.map((tail) => tail.next()))
      await log.append([{ id: `mail${i}`, text: LONG }])
      for (const { value } of await next) expect(idsOf(value)).toEqual([`mail${i}`])
    }
    expect(asked.length).toBeGreaterThanOrEqual(5)
    // A burst may be told twice, at its beginning and at its end.
    expect(asked.length).toBeLessThanOrEqual(10)
    stop.abort()
    await Promise.all(tails.map((tail) => tail.next()))
  })

  it('touches as many pages in a long log as in a short one, like appending', async () => {
    const { url, schema } = database.place()
    await using store = await openPostgresStore({ url })
    const log = await store.log('web/journal')
    await log.append([{ id: 'made', after: '' }])
    const pages = async (count: number) => {
      const { readByLog } = createStatements(schema)
      const read = readByLog.replaceAll('$1', '1').replaceAll('$2', String(count - 5))
      const append = (id: string) => `select * from ${schema}.append('web/journal', 1, ${count}, 'r${count}', '{}',
        '1000', '${id}', '{${id}}', null, '{0}', '{""}', '{2}', '{"{}"}', '{}', '{}')`
      return [await pagesOf(read, read), await pagesOf(append('first'), append('second'))]
    }
    /** What a session touches that has done the like before: the first time it also reads what a function is. */
    const pagesOf = async (before: string, statement: string) => {
      const settings = 'set enable_seqscan = off; set enable_bitmapscan = off; set jit = off;'
      const explain = `begin; ${settings} ${before}; explain (analyze, buffers, format json) ${statement}; rollback`
      const results: { 'QUERY PLAN'?: [{ Plan: Record<string, number> }] }[][] = await database.sql(explain)
      const plan = results.flat().find((row) => row['QUERY PLAN'])?.['QUERY PLAN']?.[0].Plan
      return Number(plan?.['Shared Hit Blocks']) + Number(plan?.['Shared Read Blocks'])
    }
    const fill = async (upTo: number) => {
      const [{ seq }] = await database.sql(`select seq::int from ${schema}.logs`)
      await database.sql(`insert into ${schema}.records
        select 1, n, 'r' || n, 'm', 2, '{"id":"r' || n || '"}' from generate_series(${seq + 1}, ${upTo}) n;
        update ${schema}.logs set seq = ${upTo}`)
    }
    await fill(200)
    const short = await pages(200)
    await fill(40_000)
    const long = await pages(40_000)
    for (const [i, count] of long.entries()) expect(count).toBeLessThan(3 * (short[i] ?? 0))
  })

  it('notices that a record it has read is missing or was replaced', async () => {
    const { url, schema } = database.place()
    await using store = await openPostgresStore({ url })
    await using other = await openPostgresStore({ url })
    const [a, b] = [await store.log('web/journal'), await other.log('web/journal')]
    await a.append([{ id: 'made', after: '' }, { id: 'lost' }])
    const end = (await readAll(b)).reduce(advance, START)
    await readAll(a)
    // As after a failover to a standby that was behind.
    await database.sql(`delete from ${schema}.records where id = 'lost'; update ${schema}.logs set seq = 1`)
    await expect(b.read(end)).rejects.toMatchObject({ code: 'journal_replaced' })
    expect(b.faults()).toMatchObject([{ kind: 'rewound', detail: expect.stringContaining('lost') }])
    await expect(b.append([{ id: 'late' }])).rejects.toMatchObject({ code: 'journal_read_only' })
    const fresh = await other.log('web/journal')
    await fresh.append([{ id: 'instead' }])
    expect(idsOf(await readAll(fresh))).toEqual(['made', 'instead'])
    await expect(a.append([{ id: 'late' }])).rejects.toMatchObject({ code: 'journal_read_only' })
    expect(idsOf(await readAll(fresh))).toEqual(['made', 'instead'])
  })
})

describe('behind a pooler', () => {
  it('a store neither listens nor prepares, and readers still see new records', async () => {
    const { url } = database.place('&pooler=1')
    await using store = await openPostgresStore({ url, poll: 20 })
    await using other = await openPostgresStore({ url, poll: 20 })
    const [a, b] = [await store.log('web/journal'), await other.log('web/journal')]
    const first = b.tail(START, new AbortController().signal)[Symbol.asyncIterator]().next()
    expect((await a.append([{ id: 'made', after: '' }])).outcomes).toEqual(['accepted'])
    expect(idsOf((await first).value ?? [])).toEqual(['made'])
    const pool = await database.sql(`select query from pg_stat_activity where application_name = 'deskmates'`)
    expect(pool.length).toBeGreaterThan(0)
    expect(pool.filter(({ query }) => /^listen/.test(query))).toEqual([])
    expect(createConnectionPool(parseAddress(url), TIMEOUTS).address.pooler).toBe(true)
  })
})

describe('presence in PostgreSQL', () => {
  it('is a lease by the clock of the server', async () => {
    const { url, schema } = database.place()
    await using store = await openPostgresStore({ url })
    const other = await openPostgresStore({ url })
    const { self } = other.presence
    expect(await store.presence.look(self)).toBe('alive')
    await other.presence.announce('web')
    await other.presence.renew('web')
    expect(await store.presence.look(self)).toBe('alive')
    await database.sql(`update ${schema}.leases set until = now() - interval '1 second'`)
    expect(await store.presence.look(self)).toBe('dead')
    await other.presence.renew('web')
    expect(await store.presence.look(self)).toBe('alive')
    await other[Symbol.asyncDispose]()
    expect(await store.presence.look(self)).toBe('dead')
    expect(await store.presence.look('r-of-another-store')).toBe('dead')
    // One that never wrote anything is waited for no longer than its first lease.
    expect(await store.presence.look('p-1000000000000-1-0123456789ab')).toBe('dead')
    expect(await store.presence.look('p-999999999999999-1-0123456789ab')).toBe('dead')
  })
})

describe('a process that confirms its lease before it acts', () => {
  /** Its own clocks, set by hand; the lease itself is the server's. */
  async function leased(lease: number) {
    const { url, schema } = database.place()
    await using first = await openPostgresStore({ url })
    expect(await first.teams()).toEqual([])
    const pool = createConnectionPool(parseAddress(url), TIMEOUTS)
    const clock = { wall: 0, steady: 0 }
    /** So many milliseconds pass until an answer of the server is there. */
    const late = { by: 0 }
    const slow: typeof pool = {
      ...pool,
      async ask(...question) {
        const answer = await pool.ask(...question)
        clock.steady += late.by
        return answer
      },
    }
    const presence = await openPresence(slow, createStatements(schema), lease, () => ({ ...clock }))
    const other = await openPresence(pool, createStatements(schema), lease)
    await presence.announce('web')
    const isHeld = async () => {
      const [row] = await pool.ask(createStatements(schema).look, [presence.self])
      return Number(row?.until) > Number(row?.now)
    }
    const expire = () => database.sql(`update ${schema}.leases set until = now() - interval '1 second'`)
    const end = async () => {
      await presence.leave()
      await other.leave()
      pool.close()
    }
    return { presence, other, clock, late, isHeld, expire, end }
  }

  it.for(['wall', 'steady'] as const)('renews it when the %s clock says that it may have ended', async (which) => {
    const { presence, clock, isHeld, expire, end } = await leased(600_000)
    await expire()
    clock[which] += 1000
    await presence.confirm()
    expect(await isHeld()).toBe(false)
    clock[which] += 600_000
    await presence.confirm()
    expect(await isHeld()).toBe(true)
    await end()
  }) // T47

  it('counts the time of its lease from the question to the server, however late the answer comes', async () => {
    const { presence, clock, isHeld, expire, end, late } = await leased(600_000)
    late.by = 200_000
    await presence.renew('')
    late.by = 0
    await expire()
    clock.steady += 150_000
    await presence.confirm()
    expect(await isHeld()).toBe(true)
    await end()
  }) // T47

  it('is superseded when another process judged it dead, also before that one has written', async () => {
    const { presence, other, clock, isHeld, expire, end } = await leased(600_000)
    await expire()
    expect(await other.look(presence.self)).toBe('dead')
    clock.steady += 600_000
    await expect(presence.confirm()).rejects.toThrow(Superseded)
    await expect(presence.announce('web')).rejects.toThrow(Superseded)
    expect(await isHeld()).toBe(false)
    await end()
  }) // T47

  it('keeps a lease that it renewed before another process judged it', async () => {
    const { presence, other, clock, isHeld, expire, end } = await leased(600_000)
    await expire()
    clock.steady += 600_000
    await presence.confirm()
    expect(await other.look(presence.self)).toBe('alive')
    await presence.announce('web')
    expect(await isHeld()).toBe(true)
    await end()
  }) // T47
})

describe('machines whose clocks differ by hours', () => {
  afterEach(() => void vi.useRealTimers())
  const hours = (count: number) => vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + count * 3_600_000 })

  it('agree on which process is alive and may be replaced', async () => {
    const { url, schema } = database.place()
    const lease = 600_000
    hours(6)
    const ahead = await openPostgresStore({ url, lease })
    const team = await openTeam(ahead, 'web')
    await team.run({ type: 'team.create', team: 'web' })
    await ahead.presence.announce('web')
    await team.run({ type: 'supervise', runtime: ahead.presence.self })

    vi.useRealTimers()
    for (const off of [-6, 12]) {
      hours(off)
      await using store = await openPostgresStore({ url, lease })
      await using other = await openTeam(store, 'web')
      expect(await store.presence.look(ahead.presence.self)).toBe('alive')
      expect(await ahead.presence.look(store.presence.self)).toBe('alive')
      const taking = { type: 'supervise', runtime: store.presence.self } as const
      expect(await other.run(taking)).toMatchObject({ code: 'supervised' })
      vi.useRealTimers()
    }

    // It has been silent for longer than its lease, by the server's clock.
    await database.sql(`update ${schema}.leases set until = now() - interval '1 second'`)
    hours(-6)
    await using behind = await openPostgresStore({ url, lease })
    await using heir = await openTeam(behind, 'web')
    expect(await heir.run({ type: 'supervise', runtime: behind.presence.self })).not.toHaveProperty('code')
    await ahead[Symbol.asyncDispose]()
  }) // F33
})

describe('an acknowledged record', () => {
  it('survives a crash of a server whose synchronous_commit is off', async () => {
    const { url, schema } = database.place()
    await using store = await openPostgresStore({ url })
    const log = await store.log('web/journal')
    await log.append([{ id: 'made', after: '' }])
    await (await log.append([{ id: 'kept' }])).durable
    await database.server.kill()
    await database.server.start()
    expect(await database.sql(`select id from ${schema}.records order by seq`)).toEqual([
      { id: 'made' },
      { id: 'kept' },
    ])
  })
})

const TIMEOUTS = { connect: 5000, statement: 10_000, lock: 5000, idle: 2000, server: 15_000 }

/** A store of one log, whose statements are noted down. */
async function openCounting(url: string, asked: string[]) {
  const pool = createConnectionPool(parseAddress(url), TIMEOUTS)
  await ensureSchema(pool)
  let inFlight = 0
  const counting: ConnectionPool = {
    ...pool,
    async ask(text, parameters): Promise<readonly Row[]> {
      asked.push(text)
      inFlight++
      try {
        return await pool.ask(text, parameters)
      } finally {
        inFlight--
      }
    },
  }
  const statements = createStatements(pool.address.schema)
  const notifications = createNotifications(pool, statements, () => {})
  const knows = new Set<string>()
  const options = { pool: counting, statements, notifications, knows, poll: 60_000 }
  const reader = createLogReader({ ...options, name: 'web/journal', path: 'web/journal' })
  const reopen = () => Promise.reject(new Error('Nothing was lost here.'))
  return {
    log: (): Log =>
      createPostgresLog({ ...options, reader, longTexts: true, warn() {}, onWrite() {}, reopen, onClose() {} }),
    /** Resolves when listening has begun and all it led to was read. */
    async quiet(): Promise<void> {
      await new Promise<void>((resolve) => {
        const unsubscribe = notifications.subscribe(() => {
          unsubscribe()
          resolve()
        })
        notifications.notify(0)
      })
      while (inFlight > 0) await new Promise((resolve) => setImmediate(resolve))
    },
    async [Symbol.asyncDispose]() {
      notifications.close()
      pool.close()
    },
  }
}
