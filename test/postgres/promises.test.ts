import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import { advance, START } from '../../src/journal/log/cursor.ts'
import { createStatements } from '../../src/stores/postgres/schema/statements.ts'
import { openPostgresStore } from '../../src/stores/postgres/store.ts'
import { idsOf, readAll } from '../../src/testing/contracts/read-all.ts'
import { openClient, useDatabase } from './database.ts'
import { loseEnd } from './lose-end.ts'
import { openProxy } from './proxy.ts'
import { failedAppends } from './server-log.ts'
import { waitingForLock } from './waits.ts'

const database = useDatabase()

describe('a log in PostgreSQL', () => {
  it('appends a record in one attempt while another client writes', async () => {
    const { url, schema } = await makeLog()
    await using store = await openPostgresStore({ url })
    const log = await store.log('web/journal')
    await readAll(log)
    await using other = await beginAppend(schema, 'other')
    const sent = log.append([{ id: 'mail' }])
    await waiting(1)
    await other.commit()
    expect((await sent).outcomes).toEqual(['accepted'])
    expect(idsOf(await readAll(log))).toEqual(['made', 'other', 'mail'])
    expect(await failedAppends(database, schema)).toEqual([])
  }) // B58, F1

  it('shows a record to every reader, however late it is committed', async () => {
    const { url, schema } = await makeLog()
    await using store = await openPostgresStore({ url })
    await using other = await openPostgresStore({ url })
    const [log, reader] = [await store.log('web/journal'), await other.log('web/journal')]
    await using late = await beginAppend(schema, 'late')
    const early = log.append([{ id: 'early' }])
    await Promise.race([early, waiting(1)])
    const seen = await readAll(reader)
    await late.commit()
    await early
    const { seq, record } = seen.at(-1)!
    const after = await reader.read({ seq, id: record.id, last: 'made' })
    expect(idsOf([...seen, ...after]).toSorted()).toEqual(['early', 'late', 'made'])
  }) // B58, F1

  it('finds a new record by polling when no notification comes', async () => {
    const { url, schema } = await makeLog()
    await using store = await openPostgresStore({ url, poll: 20 })
    const log = await store.log('web/journal')
    const stop = new AbortController()
    const tail = log.tail(START, stop.signal)[Symbol.asyncIterator]()
    expect(idsOf((await tail.next()).value)).toEqual(['made'])
    // The first may still be met by the look that follows the beginning of listening.
    for (const id of ['first', 'second', 'third']) {
      const next = tail.next().then(({ value }) => idsOf(value))
      await using unheard = await beginAppend(schema, id)
      await unheard.commit()
      expect(await Promise.race([next, sleep(3000, 'still waiting', { ref: false })])).toEqual([id])
    }
    stop.abort()
  }) // F22

  it('appends a record once, under its own id, when the first answer was lost', async () => {
    const { url, schema } = await makeLog()
    await using proxy = await openProxy(database.server)
    await using store = await openPostgresStore({ url: url.replace(/127\.0\.0\.1:\d+/, `127.0.0.1:${proxy.port}`) })
    const log = await store.log('web/journal')
    await readAll(log)
    await using other = await beginAppend(schema, 'other')
    const sent = log.append([{ id: 'claim', after: 'made' }, { id: 'mail' }])
    await waiting(1)
    proxy.cut()
    await waiting(2)
    await other.commit()
    expect((await sent).outcomes).toEqual(['accepted', 'accepted'])
    proxy.abandon()
    expect(idsOf(await readAll(log))).toEqual(['made', 'other', 'claim', 'mail'])
  }) // B58, F1

  it('refuses a cursor whose record was replaced when a standby took over', async () => {
    const { url, schema } = await makeLog()
    await using store = await openPostgresStore({ url })
    await using other = await openPostgresStore({ url })
    const [log, reader] = [await store.log('web/journal'), await other.log('web/journal')]
    await log.append([{ id: 'lost' }])
    const end = (await readAll(reader)).reduce(advance, START)
    await loseEnd(database, schema, 1)
    await (await log.reopen!()).append([{ id: 'instead' }])
    await expect(reader.read(end)).rejects.toMatchObject({ code: 'journal_replaced', fault: { kind: 'rewound' } })
  }) // F1, F22
})

/** A journal of one record. */
async function makeLog() {
  const place = database.place()
  await using store = await openPostgresStore({ url: place.url })
  const log = await store.log('web/journal')
  await log.append([{ id: 'made', after: '' }])
  return place
}

/** Another client, in the middle of appending a fact: it is written and not committed. It sends no notification. */
async function beginAppend(schema: string, id: string) {
  const client = await openClient(database.server.url)
  const parameters = ['web/journal', null, null, null, '{}', null, id, `{${id}}`, '{null}', '{0}', '{""}', '{20}']
  await client.run('begin')
  await client.run(createStatements(schema).append, [...parameters, `{"{\\"id\\":\\"${id}\\"}"}`, '{}', '{}'])
  return { commit: () => client.run('commit'), [Symbol.asyncDispose]: client.close }
}

/** With a mutation no client may ever wait for the lock, so this gives up soon. */
const waiting = (count: number) => waitingForLock(database, count, 200)
