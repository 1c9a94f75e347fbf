import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { advance, START } from '../../journal/log/cursor.ts'
import type { Log, Store } from '../../journal/log/store.ts'
import { decisionContract } from './decision-contract.ts'
import { idsOf, type OpenStore, readAll } from './read-all.ts'
import { storeModel } from './store-model.ts'

export function storeContract(name: string, makePlace: () => Promise<OpenStore>): void {
  describe(`${name} keeps the promises of a store`, () => {
    let open: OpenStore
    let stores: Store[]
    let a: Log
    let b: Log

    async function another(options?: { readonly knows?: readonly string[] }): Promise<Store> {
      const store = await open(options)
      stores.push(store)
      return store
    }

    beforeEach(async () => {
      open = await makePlace()
      stores = []
      a = await (await another()).log('web/journal')
      b = await (await another()).log('web/journal')
    })

    afterEach(async () => {
      for (const store of stores) await store[Symbol.asyncDispose]()
    })

    describe('reading', () => {
      it('finds nothing in a log without records, and does not create the log', async () => {
        expect(await a.read(START)).toEqual([])
        expect(await stores[0]!.teams()).toEqual([])
        expect(a.faults()).toEqual([])
      })

      it('returns every record as it was written, in any script', async () => {
        const records = [
          { id: 'one', text: 'line\nbreak \r "quoted" \\ \u2028 \u0000', deep: { list: [1, 2.5, null, true] } },
          { id: 'two', text: '報告 🚀 ہیلو e\u0301', lone: '\ud800', key: { 'ключ,"sum":"': '}' } },
          { id: 'three', after: '', tries: 2, empty: '' },
        ]
        await a.append(records)
        expect((await readAll(b)).map(({ record }) => record)).toEqual(records)
      }) // F9

      it('shows all handles the same records in the same order, none missed', async () => {
        for (let i = 0; i < 50; i++) {
          await Promise.all([a.append([{ id: `a${i}` }]), b.append([{ id: `b${i}` }, { id: `bb${i}` }])])
        }
        const [seen, alsoSeen] = [await readAll(a), await readAll(b)]
        expect(seen).toEqual(alsoSeen)
        expect(seen).toHaveLength(150)
        expect(seen.map(({ seq }) => seq)).toEqual(seen.map(({ seq }) => seq).toSorted((x, y) => x - y))
        expect(idsOf(seen).filter((id) => id.startsWith('a'))).toEqual(Array.from({ length: 50 }, (_, i) => `a${i}`))
      }) // F1, F15, A70

      it('continues from any cursor, also an old one', async () => {
        await a.append([{ id: 'one' }, { id: 'two' }])
        const [first] = await b.read(START)
        const behind = advance(START, first!)
        await a.append([{ id: 'three' }])
        expect(idsOf(await readAll(b, behind))).toEqual(['two', 'three'])
        expect(idsOf(await readAll(b, behind))).toEqual(['two', 'three'])
        expect(idsOf(await readAll(b))).toEqual(['one', 'two', 'three'])
      })

      it('returns large records in bounded batches', async () => {
        const big = 'x'.repeat(1024 * 1024)
        for (let i = 0; i < 6; i++) await a.append([{ id: `big${i}`, big }])
        let at = START
        for (let i = 0; i < 6; i++) {
          const batch = await b.read(at)
          expect(batch.length).toBeLessThanOrEqual(2)
          at = batch.reduce(advance, at)
        }
        expect(at.id).toBe('big5')
        expect(await b.read(at)).toEqual([])
      })

      it('rejects a cursor that is not a position in this log', async () => {
        await a.append([{ id: 'one' }])
        const elsewhere = advance(START, (await readAll(a)).at(-1)!)
        await expect(b.read({ ...elsewhere, id: 'other' })).rejects.toMatchObject({ code: 'journal_replaced' })
      })

      it('knows which ids were accepted', async () => {
        await a.append([{ id: 'won', after: '' }])
        await a.append([{ id: 'lost', after: '' }])
        await readAll(b)
        expect(await Promise.all(['won', 'lost', 'never'].map((id) => b.knows(id)))).toEqual([true, false, false])
      })
    })

    describe('long texts', () => {
      const long = 'é'.repeat(5_000)
      const records = [
        { id: 'made', after: '', text: long, deep: [{ text: `${long}!` }, 'short'], nul: '\u0000' },
        { id: 'mail', text: 'short' },
      ]

      it('are read whole by default, and `whole` then changes nothing', async () => {
        await a.append(records)
        const read = await readAll(b)
        expect(read.map(({ record }) => record)).toEqual(records)
        expect(await b.whole(read)).toEqual(read)
      })

      it('may be left out of a read, and `whole` returns them, also from a longer text', async () => {
        await a.append(records)
        const log = await (await another()).log('web/journal', { longTexts: true })
        const read = await readAll(log)
        expect((await log.whole(read)).map(({ record }) => record)).toEqual(records)
        const text = String(read[0]?.record.text)
        expect(await log.whole({ quoted: [`they said: ${text}.`] })).toEqual({ quoted: [`they said: ${long}.`] })
        expect(idsOf(read)).toEqual(['made', 'mail'])
        expect(read[0]?.record.after).toBe('')
      })

      it('cannot be reached by a record that contains their placeholder', async () => {
        await a.append(records)
        const log = await (await another()).log('web/journal', { longTexts: true })
        const stands = String((await readAll(log))[0]?.record.text)
        await a.append([{ id: 'forged', text: stands, more: `see ${stands}` }])
        const forged = (await readAll(log)).at(-1)
        expect((await log.whole(forged))?.record).toEqual({ id: 'forged', text: stands, more: `see ${stands}` })
        expect((await readAll(b)).at(-1)?.record).toEqual({ id: 'forged', text: stands, more: `see ${stands}` })
      })

      it('are not kept for a decision that lost, which may retry with another text', async () => {
        await a.append(records)
        expect((await b.append([{ id: 'claim', after: '', text: long }])).outcomes).toEqual(['conflict'])
        const again = { id: 'claim', after: 'made', tries: 1, text: `${long}?` }
        expect((await b.append([again])).outcomes).toEqual(['accepted'])
        expect((await readAll(a)).at(-1)?.record).toEqual(again)
      })
    })

    decisionContract(() => ({ a, b }))

    describe('waiting', () => {
      it('yields the existing records, then new ones, and ends without an error', async () => {
        await a.append([{ id: 'old' }, { id: 'one' }])
        const from = advance(START, (await b.read(START))[0]!)
        const stop = new AbortController()
        const seen: string[] = []
        for await (const batch of b.tail(from, stop.signal)) {
          seen.push(...idsOf(batch))
          if (seen.at(-1) === 'one') await a.append([{ id: 'two' }])
          if (seen.at(-1) === 'two') setImmediate(() => stop.abort())
        }
        expect(seen).toEqual(['one', 'two'])
      })

      it('wakes a reader that waits for a log that does not exist yet', async () => {
        const stop = new AbortController()
        const first = b.tail(START, stop.signal)[Symbol.asyncIterator]().next()
        await a.append([{ id: 'made', after: '' }])
        expect(idsOf((await first).value ?? [])).toEqual(['made'])
        stop.abort()
      }) // F3

      it('ends at once when the signal is already aborted', async () => {
        await a.append([{ id: 'made', after: '' }])
        for await (const batch of b.tail(START, AbortSignal.abort())) expect(batch).toEqual([])
        await b.changed(advance(START, (await b.read(START))[0]!), 60_000, AbortSignal.abort())
      })

      it('resolves on a change, after its time, and when its signal aborts', async () => {
        await a.append([{ id: 'made', after: '' }])
        const end = (await readAll(b)).reduce(advance, START)
        await b.changed(START, 60_000)
        await b.changed(end, 1)
        const stop = new AbortController()
        const waiting = b.changed(end, 60_000, stop.signal)
        stop.abort()
        await waiting
        const woken = b.changed(end, 60_000)
        await a.append([{ id: 'next', after: 'made' }])
        await woken
      })
    })

    describe('a snapshot', () => {
      it('returns a kept fold, and reads and decisions continue behind it', async () => {
        await a.append([{ id: 'made', after: '' }, { id: 'mail' }])
        await a.append([{ id: 'lost', after: '' }])
        const cursor = (await readAll(a)).reduce(advance, START)
        await a.save(7, cursor, () => ({ count: 2, text: 'é' }))
        await b.append([{ id: 'claim', after: 'made' }])
        const c = await (await another()).log('web/journal')
        expect(await c.restore(7)).toMatchObject({ cursor, state: { count: 2, text: 'é' } })
        expect(idsOf(await readAll(c, cursor))).toEqual(['claim'])
        const again = [{ id: 'mail' }, { id: 'late', after: 'made' }, { id: 'next', after: 'claim' }]
        expect((await c.append(again)).outcomes).toEqual(['repeated', 'conflict', 'accepted'])
        expect(await c.knows('mail')).toBe(true)
        expect(idsOf(await readAll(c))).toEqual(['made', 'mail', 'claim', 'next'])
      })

      it('does not exist for another fold, or where none was kept', async () => {
        await a.append([{ id: 'made', after: '' }])
        expect(await b.restore(1)).toBeUndefined()
        await a.save(1, (await readAll(a)).reduce(advance, START), () => ({ kept: true }))
        expect(await b.restore(2)).toBeUndefined()
        expect(idsOf(await readAll(b))).toEqual(['made'])
      })
    })

    describe('a record that cannot be read', () => {
      it('stops the reader and names the newer version it needs', async () => {
        const newer = await (await another({ knows: ['plans'] })).log('web/journal')
        await newer.append([{ id: 'made', after: '' }, { id: 'plan', needs: ['plans@0.8.0'] }, { id: 'mail' }])
        expect(idsOf(await readAll(a))).toEqual(['made'])
        expect(a.faults()).toMatchObject([{ kind: 'needs newer', detail: expect.stringContaining('deskmates 0.8.0') }])
        await expect(a.append([{ id: 'mine' }])).rejects.toMatchObject({ code: 'journal_read_only' })
        expect(idsOf(await readAll(newer))).toEqual(['made', 'plan', 'mail'])
      })

      it('is shown with every accepted record in an audit', async () => {
        await a.append([{ id: 'made', after: '' }, { id: 'mail' }, { id: 'mail' }])
        await b.append([
          { id: 'lost', after: '', tries: 3 },
          { id: 'claim', after: 'made' },
        ])
        const lines = []
        for await (const batch of a.audit()) lines.push(...batch)
        const accepted = lines.filter(({ verdict }) => verdict === 'accepted')
        expect(accepted.map(({ record }) => record?.id)).toEqual(['made', 'mail', 'claim'])
        const others = lines.filter(({ verdict }) => verdict !== 'accepted')
        if (others.length > 0) expect(others.map(({ verdict }) => verdict)).toEqual(['repeated', 'refused'])
      })
    })

    describe('opening and closing', () => {
      it('lists teams and keeps their logs apart', async () => {
        const store = stores[0]!
        for (const team of ['zoo', 'Alpha', 'beta']) {
          await (await store.log(`${team}/journal`)).append([{ id: team, after: '' }])
        }
        const transcript = await store.log('zoo/transcripts/ada')
        await transcript.append([{ id: 'turn' }])
        expect(await stores[1]!.teams()).toEqual(['Alpha', 'beta', 'zoo'])
        expect(idsOf(await readAll(await stores[1]!.log('zoo/transcripts/ada')))).toEqual(['turn'])
        expect(idsOf(await readAll(await stores[1]!.log('beta/journal')))).toEqual(['beta'])
      }) // F16

      it.each([true, false])(
        'starts a removed team afresh (purge: %s), and old handles write no more',
        async (purge) => {
          await a.append([{ id: 'old', after: '' }])
          await readAll(b)
          await stores[0]!.remove('web', purge)
          expect(await stores[1]!.teams()).toEqual([])
          await expect(b.append([{ id: 'late' }])).rejects.toMatchObject({ code: 'journal_read_only' })
          await expect(b.read(START)).rejects.toMatchObject({ code: 'journal_replaced' })
          expect(b.faults()).toMatchObject([{ kind: 'replaced' }])
          const fresh = await stores[1]!.log('web/journal')
          expect((await fresh.append([{ id: 'new', after: '' }])).outcomes).toEqual(['accepted'])
          expect(idsOf(await readAll(fresh))).toEqual(['new'])
          await stores[0]!.remove('unknown', purge)
        },
      ) // F14

      it('ends every wait when it is closed, and does nothing afterwards', async () => {
        await a.append([{ id: 'made', after: '' }])
        const end = (await readAll(b)).reduce(advance, START)
        const tail = b.tail(end, new AbortController().signal)[Symbol.asyncIterator]().next()
        const change = b.changed(end, 60_000)
        await b.close()
        expect((await tail).done).toBe(true)
        await change
        await expect(b.append([{ id: 'late' }])).rejects.toThrow('closed')
        await expect(b.read(START)).rejects.toThrow('closed')
        expect(idsOf(await readAll(a))).toEqual(['made'])
      })

      it('sees that the process that opened it is alive', async () => {
        expect(await stores[1]!.presence.look(stores[0]!.presence.self)).toBe('alive')
      })
    })

    storeModel(() => open)
  })
}
