import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import type { ConnectionPool } from '../connection/connection-pool.ts'
import type { Statements } from '../schema/statements.ts'
import { createHeadRowLock } from './head-row-lock.ts'
import type { LogReader } from './reader.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

const statements = { lockHead: 'lock', readByLog: 'read', append: 'append' } as Statements

/** The lock on a pool of one connection, which records what is sent; `refuses` is a statement that fails. */
function lockHarness(refuses?: string) {
  const sent: string[] = []
  let taken = 0
  let absorbed = 0
  const connection = {
    isOpen: true,
    async run(text: string) {
      sent.push(text.split(' ')[0]!)
      if (text === refuses) throw new Error('refused')
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
  const reader = { log: 1, known: { seq: 0 }, absorbRead: () => void absorbed++ } as unknown as LogReader
  const lock = createHeadRowLock(reader, pool, statements)
  return { lock, sent, taken: () => taken, absorbed: () => absorbed }
}

describe('the lock on the head row', () => {
  it('is held from reading to writing, and its connection is returned then', async () => {
    const { lock, sent, taken, absorbed } = lockHarness()
    await lock.take()
    expect([lock.isHeld, taken(), absorbed()]).toEqual([true, 1, 1])
    await lock.append([])
    expect([lock.isHeld, taken()]).toEqual([false, 0])
    expect(sent).toEqual(['begin', 'lock', 'read', 'append', 'commit'])
  })

  it('is released after 200 ms when nothing was written, counted anew each time it is taken', async () => {
    const { lock, sent, taken } = lockHarness()
    await lock.take()
    await vi.advanceTimersByTimeAsync(150)
    await lock.append([])
    await lock.take()
    await vi.advanceTimersByTimeAsync(150)
    expect([lock.isHeld, sent.includes('rollback')]).toEqual([true, false])
    await vi.advanceTimersByTimeAsync(50)
    expect([lock.isHeld, taken(), sent.at(-1)]).toEqual([false, 0, 'rollback'])
  })

  it.for(['lock', 'read'])('is given up when the statement %s fails, and nothing is read', async (refuses) => {
    const { lock, sent, taken, absorbed } = lockHarness(refuses)
    await lock.take()
    await vi.advanceTimersByTimeAsync(0)
    expect([lock.isHeld, taken(), absorbed(), sent.at(-1)]).toEqual([false, 0, 0, 'rollback'])
  })

  it('returns its connection when the append fails', async () => {
    const { lock, taken } = lockHarness('append')
    await lock.take()
    await expect(lock.append([])).rejects.toThrow('refused')
    expect([lock.isHeld, taken()]).toEqual([false, 0])
  })
})
