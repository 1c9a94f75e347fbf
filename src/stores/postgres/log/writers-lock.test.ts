import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import type { ConnectionPool } from '../connection/connection-pool.ts'
import type { Statements } from '../schema/statements.ts'
import type { LogReader } from './reader.ts'
import { createWritersLock } from './writers-lock.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

const statements = { takeLock: () => 'lock', readByLog: 'read', append: 'append' } as unknown as Statements

/** The lock on a pool of one connection, which records what is sent; `refuses` is a statement that fails. */
function lockHarness(refuses?: string) {
  const sent: string[] = []
  let taken = 0
  let absorbed = 0
  const connection = {
    isOpen: true,
    async run(text: string) {
      const names = text.split('; ').map((statement) => statement.split(' ')[0]!)
      sent.push(...names)
      if (refuses && names.includes(refuses)) throw new Error('refused')
      return []
    },
    end() {},
  }
  const pool = {
    address: { pooler: false },
    async take() {
      taken++
      return connection
    },
    give() {
      taken--
    },
  } as unknown as ConnectionPool
  const reader = { log: 1, known: { seq: 0 }, absorbLockedRead: () => void absorbed++ } as unknown as LogReader
  const lock = createWritersLock(reader, pool, statements)
  return { lock, sent, taken: () => taken, absorbed: () => absorbed }
}

describe('the lock of the writers', () => {
  it('is held from reading to writing, and its connection is returned then', async () => {
    const { lock, sent, taken, absorbed } = lockHarness()
    await lock.takeIfBusy(1)
    expect([lock.isHeld, taken(), absorbed()]).toEqual([true, 1, 1])
    await lock.append([])
    expect([lock.isHeld, taken()]).toEqual([false, 0])
    expect(sent).toEqual(['begin', 'lock', 'read', 'append', 'commit'])
  })

  it('is released after 200 ms when nothing was written, counted anew each time it is taken', async () => {
    const { lock, sent, taken } = lockHarness()
    await lock.takeIfBusy(1)
    await vi.advanceTimersByTimeAsync(150)
    await lock.append([])
    await lock.takeIfBusy(1)
    await vi.advanceTimersByTimeAsync(150)
    expect([lock.isHeld, sent.includes('rollback')]).toEqual([true, false])
    await vi.advanceTimersByTimeAsync(50)
    expect([lock.isHeld, taken(), sent.at(-1)]).toEqual([false, 0, 'rollback'])
  })

  it.for(['lock', 'read'])('is given up when the statement %s fails, and nothing is read', async (refuses) => {
    const { lock, sent, taken, absorbed } = lockHarness(refuses)
    await lock.takeIfBusy(1)
    await vi.advanceTimersByTimeAsync(0)
    expect([lock.isHeld, taken(), absorbed(), sent.at(-1)]).toEqual([false, 0, 0, 'rollback'])
  })

  it('is taken for eight decisions after a lost try, and for none before', async () => {
    const { lock, sent } = lockHarness()
    await lock.takeIfBusy(0)
    expect(sent).toEqual([])
    for (const tries of [1, ...Array(9).fill(0)]) {
      await lock.takeIfBusy(tries)
      if (lock.isHeld) await lock.append([])
    }
    expect(sent.filter((text) => text === 'lock')).toHaveLength(8)
  })

  it('is not waited for again when it was not granted in time', async () => {
    const { lock, sent } = lockHarness('lock')
    await lock.takeIfBusy(1)
    await lock.takeIfBusy(0)
    expect(sent.filter((text) => text === 'lock')).toHaveLength(1)
  })

  it('returns its connection when the append fails', async () => {
    const { lock, taken } = lockHarness('append')
    await lock.takeIfBusy(1)
    await expect(lock.append([])).rejects.toThrow('refused')
    expect([lock.isHeld, taken()]).toEqual([false, 0])
  })
})
