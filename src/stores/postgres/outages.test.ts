import { describe, expect, it, onTestFinished } from 'vitest'
import { useDatabase } from '../../../test/postgres/database.ts'
import { openProxy } from '../../../test/postgres/proxy.ts'
import { caughtUp, holdHead, idle, waitingForLock } from '../../../test/postgres/waits.ts'
import { advance, START } from '../../journal/log/cursor.ts'
import type { Log } from '../../journal/log/store.ts'
import { idsOf, readAll } from '../../testing/contracts/read-all.ts'
import { parseAddress } from './connection/address.ts'
import { openConnection } from './connection/connection.ts'
import { createStatements } from './schema/statements.ts'
import { openPostgresStore } from './store.ts'

const database = useDatabase()

describe('when a connection is lost', () => {
  it('every acknowledged record is there once, whichever connections end during writes', async () => {
    const { url } = database.place()
    await using store = await openPostgresStore({ url })
    const log = await store.log('web/journal')
    await log.append([{ id: 'made', after: '' }])
    const acknowledged: string[] = []
    let last = 'made'
    for (let i = 0; i < 60; i++) {
      const mail = log.append([{ id: `mail${i}` }])
      const claim = log.append([{ id: `claim${i}`, after: last }])
      if (i % 3 === 0) await database.sql(END_ALL)
      expect((await mail).outcomes).toEqual(['accepted'])
      expect((await claim).outcomes).toEqual(['accepted'])
      last = `claim${i}`
      acknowledged.push(`mail${i}`, `claim${i}`)
    }
    expect(idsOf(await readAll(log)).toSorted()).toEqual([...acknowledged, 'made'].toSorted())
  })

  it('a statement that arrives after it was sent again counts once, with the same outcome', async () => {
    const { url, schema } = database.place()
    await using proxy = await openProxy(database.server)
    await using store = await openPostgresStore({ url: through(url, proxy.port) })
    const log = await store.log('web/journal')
    await log.append([{ id: 'made', after: '' }])
    const stalled = await holdHead(database, schema)
    const batch = [{ id: 'claim', after: 'made' }, { id: 'mail' }, { id: 'late', after: '' }]
    const appended = log.append(batch)
    await waitingForLock(database, 1)
    proxy.cut()
    await waitingForLock(database, 2)
    await stalled.release()
    expect((await appended).outcomes).toEqual(['accepted', 'accepted', 'conflict'])
    await waitingForLock(database, 0)
    proxy.abandon()
    expect(idsOf(await readAll(log))).toEqual(['made', 'claim', 'mail'])
    expect((await log.append(batch)).outcomes).toEqual(['repeated', 'repeated', 'conflict'])
  })

  it('a waiting reader reconnects and misses nothing', async () => {
    const { url } = database.place()
    await using store = await openPostgresStore({ url })
    await using proxy = await openProxy(database.server)
    await using waiting = await openPostgresStore({ url: through(url, proxy.port), warn() {} })
    const [a, b] = [await store.log('web/journal'), await waiting.log('web/journal')]
    const stop = new AbortController()
    const tail = b.tail(START, stop.signal)[Symbol.asyncIterator]()
    for (let i = 0; i < 5; i++) {
      const next = tail.next()
      await a.append([{ id: `mail${i}` }])
      expect(idsOf((await next).value ?? [])).toEqual([`mail${i}`])
      proxy.cut()
      proxy.abandon()
    }
    stop.abort()
  })

  it('a link that answers nothing is closed, and the statement is sent again', async () => {
    const { url } = database.place()
    await using proxy = await openProxy(database.server)
    const timeouts = { statement: 300, connect: 300 }
    await using store = await openPostgresStore({ url: through(url, proxy.port), timeouts })
    const log = await store.log('web/journal')
    await log.append([{ id: 'made', after: '' }])
    await idle(database)
    proxy.stall()
    expect((await log.append([{ id: 'claim', after: 'made' }])).outcomes).toEqual(['accepted'])
    expect(idsOf(await readAll(log))).toEqual(['made', 'claim'])
  })
})

describe('when the server is unreachable', () => {
  it('writers continue when it comes back, and every acknowledged record is there once', async () => {
    const { url } = database.place()
    await using store = await openPostgresStore({ url })
    await using other = await openPostgresStore({ url, warn() {} })
    const [log, reader] = [await store.log('web/journal'), await other.log('web/journal')]
    await log.append([{ id: 'made', after: '' }])
    const stop = new AbortController()
    const seen = follow(reader, stop.signal, 21)
    let last = 'made'
    for (let round = 0; round < 2; round++) {
      const down = database.server.kill().then(() => database.server.start())
      for (let i = 0; i < 10; i++) {
        const id = `claim${round}.${i}`
        expect((await log.append([{ id, after: last }])).outcomes).toEqual(['accepted'])
        last = id
      }
      await down
    }
    const ids = idsOf(await readAll(log))
    expect(ids).toHaveLength(21)
    expect(await seen).toEqual(ids)
    stop.abort()
  })

  it('an error says whether nothing was written or the outcome is unknown', async () => {
    const { url, schema } = database.place()
    const timeouts = { server: 300, connect: 300 }
    await using store = await openPostgresStore({ url, timeouts })
    const log = await store.log('web/journal')
    await log.append([{ id: 'made', after: '' }])
    await readAll(log)
    await holdHead(database, schema)
    const doubtful = log.append([{ id: 'doubtful' }])
    await waitingForLock(database, 1)
    await database.server.kill()
    await expect(doubtful).rejects.toMatchObject({
      code: 'outcome_unknown',
      message: expect.stringContaining('doubtful'),
    })
    await expect(log.append([{ id: 'certain' }])).rejects.toMatchObject({ code: 'not_written' })
    await expect(log.read(START)).resolves.toHaveLength(1)
    await expect(log.read({ seq: 1, id: 'made', last: 'made' })).rejects.toMatchObject({ code: 'store_unreachable' })
    await expect(openPostgresStore({ url, timeouts })).rejects.toMatchObject({ code: 'store_unreachable' })
    await database.server.start()
    expect((await log.append([{ id: 'doubtful' }, { id: 'certain' }])).outcomes).toEqual(['accepted', 'accepted'])
  })

  it('the next statement finds the host that took over', async () => {
    const { url, schema } = database.place()
    const standby = await database.server.standby()
    onTestFinished(() => standby.stop())
    const hosts = `127.0.0.1:${standby.port},127.0.0.1:${database.server.port}`
    const both = url.replace(/127\.0\.0\.1:\d+/, hosts)
    await using store = await openPostgresStore({ url: `${both}&target_session_attrs=read-write` })
    const log = await store.log('web/journal')
    await log.append([{ id: 'made', after: '' }])
    expect(await database.sql(`select id from ${schema}.records`)).toEqual([{ id: 'made' }])
    await caughtUp(database)
    await database.server.kill()
    await standby.promote()
    expect((await log.append([{ id: 'claim', after: 'made' }])).outcomes).toEqual(['accepted'])
    expect(idsOf(await readAll(log))).toEqual(['made', 'claim'])
    await database.server.start()
    expect(await database.sql(`select id from ${schema}.records`)).toEqual([{ id: 'made' }])
  })
})

describe('when another session has locked the head row', () => {
  it('a writer waits no longer than the time-out, reports that nothing was written, and continues later', async () => {
    const { url, schema } = database.place()
    await using store = await openPostgresStore({ url, timeouts: { lock: 200 } })
    const log = await store.log('web/journal')
    await log.append([{ id: 'made', after: '' }])
    const stalled = await holdHead(database, schema)
    await expect(log.append([{ id: 'mail' }])).rejects.toMatchObject({
      code: 'not_written',
      message: expect.stringMatching(/web\/journal: another transaction has held it/),
    })
    expect(idsOf(await readAll(log))).toEqual(['made'])
    await log.holdBack(5)
    await stalled.release()
    expect((await log.append([{ id: 'mail' }])).outcomes).toEqual(['accepted'])
  })

  it('two waiting writers keep to their own time-outs, report them, and continue later', async () => {
    const { url, schema } = database.place()
    await using patient = await openPostgresStore({ url, timeouts: { lock: 30_000, statement: 40_000 } })
    await using hasty = await openPostgresStore({ url, timeouts: { lock: 300 } })
    const [a, b] = [await patient.log('web/journal'), await hasty.log('web/journal')]
    await a.append([{ id: 'made', after: '' }])
    await readAll(b)
    const stalled = await holdHead(database, schema)
    const first = a.append([{ id: 'first' }])
    await waitingForLock(database, 1)
    const second = b.append([{ id: 'second', after: 'made' }])
    second.catch(() => {})
    // The first still waits and the lock is still held: the second has waited for neither.
    const isFirst = await Promise.race([first.then(() => 'first'), second.then(String, () => 'second')])
    expect(isFirst).toBe('second')
    await expect(second).rejects.toMatchObject({
      code: 'not_written',
      message: expect.stringMatching(/web\/journal: another transaction has held it/),
    })
    await waitingForLock(database, 1)
    await stalled.release()
    expect((await first).outcomes).toEqual(['accepted'])
    expect((await b.append([{ id: 'second', after: 'made' }])).outcomes).toEqual(['accepted'])
  })

  it('the server ends a stalled transaction of ours, and both waiting writers succeed', async () => {
    const { url } = database.place()
    const timeouts = { connect: 5000, statement: 40_000, lock: 30_000, idle: 300, server: 15_000 }
    await using store = await openPostgresStore({ url, timeouts })
    await using other = await openPostgresStore({ url, timeouts })
    const [a, b] = [await store.log('web/journal'), await other.log('web/journal')]
    await a.append([{ id: 'made', after: '' }])
    const address = parseAddress(url)
    const stalled = await openConnection(address, address.hosts[0]!, timeouts)
    onTestFinished(stalled.end)
    await stalled.run(`begin; select from ${address.schema}.logs for update`, [], 'plain')
    const sent = await Promise.all([a.append([{ id: 'one' }]), b.append([{ id: 'two' }])])
    expect(sent.map(({ outcomes }) => outcomes)).toEqual([['accepted'], ['accepted']])
    await expect(stalled.run('select 1', [], 'plain')).rejects.toThrow()
  })

  it('an append waits for the lock of the writers too, no longer than the time-out', async () => {
    const { url, schema } = database.place()
    await using store = await openPostgresStore({ url, timeouts: { lock: 200 } })
    const log = await store.log('web/journal')
    await log.append([{ id: 'made', after: '' }])
    const [{ number }] = await database.sql(`select log::int as number from ${schema}.logs`)
    const address = parseAddress(url)
    const timeouts = { connect: 30_000, statement: 30_000, lock: 30_000, idle: 30_000, server: 30_000 }
    const holder = await openConnection(address, address.hosts[0]!, timeouts)
    onTestFinished(holder.end)
    await holder.run(`begin; ${createStatements(schema).takeLock(number)}`, [], 'plain')
    await expect(log.append([{ id: 'mail' }])).rejects.toMatchObject({ code: 'not_written' })
    await holder.run('commit', [], 'plain')
    expect((await log.append([{ id: 'mail' }])).outcomes).toEqual(['accepted'])
  })

  it('a writer that takes the lock of the writers and writes nothing loses it', async () => {
    const { url } = database.place()
    await using store = await openPostgresStore({ url })
    await using other = await openPostgresStore({ url })
    const [slow, fast] = [await store.log('web/journal'), await other.log('web/journal')]
    await slow.append([{ id: 'made', after: '' }])
    await readAll(slow)
    await slow.holdBack(3)
    expect((await fast.append([{ id: 'claim', after: 'made' }])).outcomes).toEqual(['accepted'])
    expect((await slow.append([{ id: 'slow', after: 'made', tries: 3 }])).outcomes).toEqual(['conflict'])
  })

  it('a writer that took the lock of the writers wins against all others', async () => {
    const { url } = database.place()
    await using store = await openPostgresStore({ url })
    await using other = await openPostgresStore({ url })
    const [slow, fast] = [await store.log('web/journal'), await other.log('web/journal')]
    await slow.append([{ id: 'made', after: '' }])
    await readAll(slow)
    await fast.append([{ id: 'first', after: 'made' }])
    await slow.holdBack(3)
    const meanwhile = fast.append([{ id: 'second', after: 'first' }])
    const { last } = (await readAll(slow)).reduce(advance, START)
    expect((await slow.append([{ id: 'slow', after: last, tries: 3 }])).outcomes).toEqual(['accepted'])
    expect((await meanwhile).outcomes).toEqual(['conflict'])
  })
})

describe('an error of the PostgreSQL store', () => {
  it.each([
    ['postgres://ada:s3cret@127.0.0.1:1/teams', 'store_unreachable'],
    ['postgres://ada:s3cret@127.0.0.1:1/teams?schema=My-Teams', 'bad_store_address'],
    ['postgres://ada:s3cret@127.0.0.1:99999/teams', 'bad_store_address'],
    ['postgres://ada:s3cret@127.0.0.1:1/teams?target_session_attrs=standby', 'bad_store_address'],
    ['postgres://ada:s3cret%@127.0.0.1:1/teams', 'bad_store_address'],
    ['postgres://ada:s3cret@/x y:z?sslmode=what', 'bad_store_address'],
    ['SERVER/nowhere', 'store_refused'],
  ])('never shows the password: %s', async (text, code) => {
    const url = text.replace('SERVER', `postgres://reader:s3cret@127.0.0.1:${database.server.port}`)
    const error = await openPostgresStore({ url, timeouts: { connect: 200 } }).catch((error: unknown) => error)
    expect(error).toMatchObject({ code })
    expect(JSON.stringify(describeAll(error))).not.toContain('s3cret')
  })
})

const END_ALL = `select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'deskmates'`

/** Everything an error says, down to its first cause. */
function describeAll(error: unknown): unknown {
  if (!(error instanceof Error)) return error
  const own = Object.getOwnPropertyNames(error).map((name) => [name, String(error[name as keyof Error])])
  return [error.message, own, describeAll(error.cause)]
}

function through(url: string, port: number): string {
  return url.replace(/127\.0\.0\.1:\d+/, `127.0.0.1:${port}`)
}

async function follow(log: Log, signal: AbortSignal, count: number): Promise<string[]> {
  const seen: string[] = []
  for await (const batch of log.tail(START, signal)) {
    seen.push(...idsOf(batch))
    if (seen.length >= count) break
  }
  return seen
}
