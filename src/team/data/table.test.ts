import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { Cell, Recent, Sorted, Table, Trial } from './table.ts'

const key = fc.constantFrom('a', 'b', 'c', 'd', 'e')
const step = fc.record({
  what: fc.constantFrom('cell', 'set', 'delete', 'add', 'remove', 'put', 'given'),
  key,
  value: fc.nat(9),
})

function containers() {
  const trial = new Trial()
  const cell = new Cell(trial, 0)
  const table = new Table<string, number>(trial)
  const sorted = new Sorted<{ n: number; tag: string }>(trial, (a, b) => a.n - b.n)
  const recent = new Recent(trial, 3)
  const act = ({ what, key, value }: { what: string; key: string; value: number }): void => {
    if (what === 'cell') cell.set(value)
    if (what === 'set') table.set(key, value)
    if (what === 'delete') table.delete(key)
    if (what === 'add') sorted.add({ n: value, tag: key })
    if (what === 'remove') sorted.remove({ n: value, tag: '' })
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
