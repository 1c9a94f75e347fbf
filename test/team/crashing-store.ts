import type { Appended, Log, LogName, LogRecord, Store } from '../../src/journal/store.ts'
import { openMemoryStore, type Place } from '../../src/stores/memory/store.ts'
import type { ManualClock } from '../../src/testing/manual-clock.ts'
import type { Random } from '../storms/random.ts'

/** A process as its store sees it. */
export interface Process {
  readonly place: Place
  readonly clock: ManualClock
  readonly random: Random
  /** It dies with this write, before or behind it; never if infinite. */
  writesLeft: number
  /** What others write is noticed only when somebody looks by themselves. */
  isDeaf: boolean
  isDead: boolean
  /** How often it wrote, or tried to. */
  writes: number
}

export class Died extends Error {
  constructor() {
    super('This process is dead: nothing it does counts.')
  }
}

/** A store in memory that dies with its process, in the middle of things, and whose answers come in a random order. */
export async function openCrashingStore(life: Process): Promise<Store> {
  const store = await openMemoryStore(life.place)
  const living = () => {
    if (life.isDead) throw new Died()
  }
  return {
    ...store,
    presence: { ...store.presence, announce: async () => living() },
    async log(name, options) {
      living()
      return mortal(name, await store.log(name, options))
    },
    async teams() {
      living()
      return store.teams()
    },
    async remove(team, purge) {
      living()
      return store.remove(team, purge)
    },
  }

  function die(): void {
    life.isDead = true
    life.place.runtimes.delete(store.presence.self)
  }

  function mortal(name: LogName, log: Log): Log {
    return {
      ...log,
      async append(records): Promise<Appended> {
        life.writes++
        living()
        if (isOfNote(records) && --life.writesLeft < 0) {
          die()
          if (life.random.below(2) === 0) await log.append(records)
          throw new Died()
        }
        const appended = await log.append(records)
        await someTicks(records)
        living()
        return appended
      },
      async read(from) {
        living()
        const batch = await log.read(from)
        await someTicks()
        living()
        return batch
      },
      async sync() {
        living()
      },
      changed: (from, atMost, signal) => untilNews(name, from.seq, atMost / 1000, signal),
    }
  }

  /** Accounts are written when a real timer says so: what hangs on chance must not hang on them. */
  function isOfNote(records: readonly LogRecord[]): boolean {
    return records.some(({ events }) => !Array.isArray(events) || events.some((event) => typeOf(event) !== 'usage'))
  }

  async function someTicks(records?: readonly LogRecord[]): Promise<void> {
    if (records && !isOfNote(records)) return
    for (let left = life.random.below(4); left > 0; left--) await undefined
  }

  /** As the port says, on the clock of the test. */
  function untilNews(name: LogName, seq: number, seconds: number, signal?: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      const log = life.place.logs.get(name)
      const done = () => {
        log?.listeners.delete(look)
        signal?.removeEventListener('abort', done)
        cancel()
        resolve()
      }
      const look = () => {
        if (!life.isDeaf && (log?.accepted.length ?? 0) > seq) done()
      }
      const cancel = life.clock.in(seconds, done)
      log?.listeners.add(look)
      signal?.addEventListener('abort', done)
      if (signal?.aborted || life.isDead) done()
      else look()
    })
  }
}

function typeOf(event: unknown): unknown {
  return typeof event === 'object' && event !== null && 'type' in event ? event.type : undefined
}
