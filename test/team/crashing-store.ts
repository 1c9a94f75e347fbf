import type { Appended, Log, LogName, LogRecord, Store } from '../../src/journal/log/store.ts'
import { openMemoryStore, type Place } from '../../src/stores/memory/store.ts'
import type { ManualClock } from '../../src/testing/manual-clock.ts'
import type { Random } from '../storms/random.ts'

/** A simulated process as its store sees it. */
export interface Process {
  readonly place: Place
  readonly clock: ManualClock
  readonly random: Random
  /** The process dies with this append, before or after it takes effect; never if infinite. */
  writesLeft: number
  /** Appends of other processes wake no reader; only a read finds them. */
  missesChanges: boolean
  isDead: boolean
  /** Appends so far, failed ones included. */
  writes: number
}

export class ProcessDied extends Error {
  constructor() {
    super('This process is dead: its calls have no effect.')
  }
}

/** A memory store that crashes with its process in the middle of an append, and answers in random order. */
export async function openCrashingStore(current: Process): Promise<Store> {
  const store = await openMemoryStore(current.place)
  const assertAlive = () => {
    if (current.isDead) throw new ProcessDied()
  }
  return {
    ...store,
    presence: { ...store.presence, announce: async () => assertAlive() },
    async log(name, options) {
      assertAlive()
      return crashingLog(name, await store.log(name, options))
    },
    async teams() {
      assertAlive()
      return store.teams()
    },
    async remove(team, purge) {
      assertAlive()
      return store.remove(team, purge)
    },
  }

  function die(): void {
    current.isDead = true
    current.place.runtimes.delete(store.presence.self)
  }

  function crashingLog(name: LogName, log: Log): Log {
    return {
      ...log,
      async append(records): Promise<Appended> {
        current.writes++
        assertAlive()
        if (isCounted(records) && --current.writesLeft < 0) {
          die()
          if (current.random.below(2) === 0) await log.append(records)
          throw new ProcessDied()
        }
        const appended = await log.append(records)
        await waitRandomTicks(records)
        assertAlive()
        return appended
      },
      async read(from) {
        assertAlive()
        const batch = await log.read(from)
        await waitRandomTicks()
        assertAlive()
        return batch
      },
      async sync() {
        assertAlive()
      },
      changed: (from, atMost, signal) => untilChanged(name, from.seq, atMost / 1000, signal),
    }
  }

  /** Usage is reported by a real timer, so random choices must not depend on it. */
  function isCounted(records: readonly LogRecord[]): boolean {
    return records.some(({ events }) => !Array.isArray(events) || events.some((event) => typeOf(event) !== 'usage'))
  }

  async function waitRandomTicks(records?: readonly LogRecord[]): Promise<void> {
    if (records && !isCounted(records)) return
    for (let left = current.random.below(4); left > 0; left--) await undefined
  }

  /** `Log.changed` on the manual clock. */
  function untilChanged(name: LogName, seq: number, seconds: number, signal?: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      const log = current.place.logs.get(name)
      const done = () => {
        log?.listeners.delete(look)
        signal?.removeEventListener('abort', done)
        cancel()
        resolve()
      }
      const look = () => {
        if (!current.missesChanges && (log?.accepted.length ?? 0) > seq) done()
      }
      const cancel = current.clock.in(seconds, done)
      log?.listeners.add(look)
      signal?.addEventListener('abort', done)
      if (signal?.aborted || current.isDead) done()
      else look()
    })
  }
}

function typeOf(event: unknown): unknown {
  return typeof event === 'object' && event !== null && 'type' in event ? event.type : undefined
}
