import { beforeEach, describe, expect, it } from 'vitest'
import type { Log } from '../../journal/log/store.ts'
import { idsOf, readAll } from './read-all.ts'

/** What a store promises to two handles that decide on one log at the same time. */
export function decisionContract(handles: () => { a: Log; b: Log }): void {
  describe('a decision', () => {
    let a: Log
    let b: Log
    beforeEach(() => {
      ;({ a, b } = handles())
    })

    it('of two that race, exactly one is accepted', async () => {
      await a.append([{ id: 'made', after: '' }])
      const tries = await Promise.all([
        a.append([{ id: 'ada', after: 'made' }]),
        b.append([{ id: 'bob', after: 'made' }]),
      ])
      expect(tries.flatMap(({ outcomes }) => outcomes).toSorted()).toEqual(['accepted', 'conflict'])
      expect(await readAll(a)).toEqual(await readAll(b))
      expect(await readAll(a)).toHaveLength(2)
    }) // F7, F22, F34

    it('that creates a log is accepted once: the second creator gets a conflict', async () => {
      expect((await a.append([{ id: 'first', after: '' }])).outcomes).toEqual(['accepted'])
      expect((await b.append([{ id: 'second', after: '' }])).outcomes).toEqual(['conflict'])
      expect(idsOf(await readAll(b))).toEqual(['first'])
    })

    it('and those chained to it are accepted together or lose together', async () => {
      const chain = (name: string, after: string) => [
        { id: `${name}1`, after },
        { id: `${name}2`, after: `${name}1` },
        { id: `${name}3`, after: `${name}2` },
      ]
      expect((await a.append(chain('a', ''))).outcomes).toEqual(['accepted', 'accepted', 'accepted'])
      expect((await b.append(chain('b', 'a1'))).outcomes).toEqual(['conflict', 'conflict', 'conflict'])
      expect(idsOf(await readAll(b))).toEqual(['a1', 'a2', 'a3'])
    })

    it('never loses to a fact, and a fact is always accepted', async () => {
      await a.append([{ id: 'made', after: '' }])
      expect((await b.append([{ id: 'mail' }])).outcomes).toEqual(['accepted'])
      const mixed = [{ id: 'late', after: '' }, { id: 'more mail' }, { id: 'claim', after: 'made' }]
      expect((await a.append(mixed)).outcomes).toEqual(['conflict', 'accepted', 'accepted'])
    })

    it('with an id that was accepted before is repeated, whatever happened since', async () => {
      await a.append([{ id: 'made', after: '' }, { id: 'mail' }])
      await b.append([{ id: 'claim', after: 'made' }])
      const again = [
        { id: 'made', after: '' },
        { id: 'mail', other: true },
      ]
      expect((await b.append(again)).outcomes).toEqual(['repeated', 'repeated'])
      expect(idsOf(await readAll(a))).toEqual(['made', 'mail', 'claim'])
    }) // F2

    it('that lost may retry with the same id', async () => {
      await a.append([{ id: 'made', after: '' }])
      expect((await b.append([{ id: 'claim', after: '' }])).outcomes).toEqual(['conflict'])
      expect((await b.append([{ id: 'claim', after: 'made', tries: 1 }])).outcomes).toEqual(['accepted'])
      expect(await b.knows('claim')).toBe(true)
      expect(idsOf(await readAll(a))).toEqual(['made', 'claim'])
    })

    it('is not written when a record of its batch could only harm readers', async () => {
      await a.append([{ id: 'made', after: '' }])
      const refused = { code: 'record_refused' }
      await expect(a.append([{ id: 'fine' }, { id: '' }])).rejects.toMatchObject(refused)
      await expect(a.append([{ id: 'fine' }, { id: 'x', after: 'never was' }])).rejects.toMatchObject(refused)
      await expect(a.append([{ id: 'fine' }, { id: 'x', sum: 'mine' }])).rejects.toMatchObject(refused)
      await expect(a.append([{ id: 'fine' }, { id: 'x', needs: ['magic@9.0.0'] }])).rejects.toMatchObject(refused)
      const huge = 'x'.repeat(16 * 1024 * 1024)
      await expect(a.append([{ id: 'fine' }, { id: 'x', huge }])).rejects.toMatchObject(refused)
      expect(idsOf(await readAll(b))).toEqual(['made'])
    })

    it('resolves `durable` for winners and losers, and `sync` resolves for a reader', async () => {
      const [won, lost] = [await a.append([{ id: 'won', after: '' }]), await b.append([{ id: 'lost', after: '' }])]
      await Promise.all([won.durable, lost.durable, a.sync(), b.sync()])
      expect((await a.append([])).outcomes).toEqual([])
    })

    it('of a writer that lost three times goes first', async () => {
      await a.append([{ id: 'made', after: '' }])
      await a.append([{ id: 'slow', after: '', tries: 3 }])
      await readAll(b)
      const order: string[] = []
      const held = b.holdBack().then(() => order.push('held back'))
      const won = a.append([{ id: 'slow', after: 'made', tries: 4 }]).then(() => order.push('slow won'))
      await Promise.all([held, won])
      expect(order).toEqual(['slow won', 'held back'])
      await b.holdBack()
    })
  })
}
