import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { Groups } from './groups.ts'
import { merge, Sorted } from './sorted.ts'
import { Cell, Recent, Table, Trial } from './table.ts'

const key = fc.constantFrom('a', 'b', 'c', 'd', 'e')
const step = fc.record({
  what: fc.constantFrom('cell', 'set', 'delete', 'add', 'remove', 'join', 'part', 'put', 'given'),
  key,
  value: fc.nat(9),
})

function containers() {
  const trial = new Trial()
  const cell = new Cell(trial, 0)
  const table = new Table<string, number>(trial)
  const sorted = new Sorted<{ n: number; tag: string }>(trial, (a, b) => a.n - b.n)
  const groups = new Groups<string, number>(trial)
  const recent = new Recent(trial, 3)
  const act = ({ what, key, value }: { what: string; key: string; value: number }): void => {
    if (what === 'cell') cell.set(value)
    if (what === 'set') table.set(key, value)
    if (what === 'delete') table.delete(key)
    if (what === 'add') sorted.add({ n: value, tag: key })
    if (what === 'remove') sorted.remove({ n: value, tag: '' })
    if (what === 'join') groups.add(key, value)
    if (what === 'part') groups.remove(key, value)
    if (what === 'put') recent.put(key, value)
    if (what === 'given') {
      const before = shown()
      trial.given(
        () => table.set(key, value),
        () => expect(table.get(key)).toBe(value),
      )
      expect(shown()).toEqual(before)
    }
  }
  const shown = () => ({
    cell: cell.get(),
    table: [...table.keys()].sort().map((name) => [name, table.get(name)]),
    size: table.size,
    sorted: [...sorted.values()],
    groups: ['a', 'b', 'c', 'd', 'e'].map((name) => [...groups.of(name)].sort()),
    recent: ['a', 'b', 'c', 'd', 'e'].map((name) => recent.get(name)),
    dump: recent.dump(),
  })
  return { trial, act, shown, recent, sorted }
}

describe('a trial', () => {
  it('undoes every change made in it, also when it fails half way', () => {
    fc.assert(
      fc.property(fc.array(step), fc.array(step), fc.boolean(), (before, tried, fails) => {
        const { trial, act, shown } = containers()
        before.forEach(act)
        const start = shown()
        const attempt = () =>
          trial.run(() => {
            tried.forEach(act)
            if (fails) throw new Error('half way')
          })
        if (fails) expect(attempt).toThrow('half way')
        else attempt()
        expect(shown()).toEqual(start)
        tried.forEach(act)
        const done = shown()
        trial.run(() => before.forEach(act))
        expect(shown()).toEqual(done)
      }),
      { numRuns: 300 },
    )
  })

  it('does not run inside another trial', () => {
    const { trial } = containers()
    expect(() => trial.run(() => trial.run(() => {}))).toThrow('already running')
    expect(trial.run(() => 1)).toBe(1)
  })
})

describe('a sorted list', () => {
  it('equals the sorted values, each once', () => {
    fc.assert(
      fc.property(fc.array(fc.nat(20)), fc.array(fc.nat(20)), (added, removed) => {
        const { sorted } = containers()
        for (const n of added) sorted.add({ n, tag: '' })
        for (const n of removed) sorted.remove({ n, tag: '' })
        const expected = [...new Set(added)].filter((n) => !removed.includes(n)).sort((a, b) => a - b)
        expect([...sorted.values()].map(({ n }) => n)).toEqual(expected)
      }),
    )
  })

  it('stays in order with many values that come and go at any place', () => {
    const { sorted } = containers()
    const all = Array.from({ length: 5000 }, (_, i) => (i * 2741) % 5000)
    for (const n of all) sorted.add({ n, tag: '' })
    const gone = all.filter((n) => n % 3 === 0 || (n > 1000 && n < 3000))
    for (const n of gone) expect(sorted.remove({ n, tag: '' })).toBe(true)
    expect(sorted.remove({ n: 3, tag: '' })).toBe(false)
    for (const n of [6, 3, 1500]) sorted.add({ n, tag: '' })
    const kept = all.filter((n) => !gone.includes(n) || [6, 3, 1500].includes(n)).sort((a, b) => a - b)
    expect([...sorted.values()].map(({ n }) => n)).toEqual(kept)
  })

  it('is merged with another in one order', () => {
    fc.assert(
      fc.property(fc.array(fc.nat(20)), fc.array(fc.nat(20)), (one, other) => {
        const inOrder = (values: number[]) => [...values].sort((a, b) => a - b)
        const merged = merge(inOrder(one), inOrder(other), (a, b) => a - b)
        expect([...merged]).toEqual(inOrder([...one, ...other]))
      }),
    )
  })
})

describe('recent entries', () => {
  it('are at least the newest ones up to the limit, and the same after a dump', () => {
    fc.assert(
      fc.property(
        fc.array(fc.string({ unit: 'grapheme', minLength: 1 }).map((text) => text.replace(/\s/g, '_'))),
        fc.nat(),
        (keys, cut) => {
          const all = new Recent(new Trial(), 5)
          let half = new Recent(new Trial(), 5)
          for (const [i, name] of keys.entries()) {
            all.put(name, i)
            half.put(name, i)
            // One that is asked in between remembers what one does that is never asked.
            if (i % 3 === 0) all.get(name)
            if (i === cut % (keys.length + 1)) {
              const dump = JSON.parse(JSON.stringify(half.dump()))
              half = new Recent(new Trial(), 5)
              half.load(dump)
            }
          }
          for (const name of keys.slice(-5)) expect(all.get(name)).toBe(keys.lastIndexOf(name))
          for (const name of new Set(keys)) expect(half.get(name)).toBe(all.get(name))
        },
      ),
    )
  })
})
