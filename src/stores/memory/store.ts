import type { LogName, Presence, Store } from '../../journal/log/store.ts'
import { createMemoryLog, createSharedLog, type SharedLog } from './log.ts'

/** What several handles share, like the folder of a files store. */
export interface Place {
  readonly logs: Map<LogName, SharedLog>
  readonly runtimes: Set<string>
  opened: number
}

export function createPlace(): Place {
  return { logs: new Map(), runtimes: new Set(), opened: 0 }
}

/** Keeps the promises of the port without a disk. Two handles on one place see each other like two processes. */
export async function openMemoryStore(
  place: Place = createPlace(),
  { knows = [] }: { readonly knows?: readonly string[] } = {},
): Promise<Store> {
  const presence = createMemoryPresence(place)
  const closers = new Set<() => Promise<void>>()

  return {
    presence,
    async log(name) {
      const shared = place.logs.get(name) ?? createSharedLog()
      place.logs.set(name, shared)
      const log = createMemoryLog(name, shared, new Set(knows))
      closers.add(log.close)
      return log
    },
    async teams() {
      const names = [...place.logs].filter(([name, { accepted }]) => name.endsWith('/journal') && accepted.length > 0)
      return names.map(([name]) => name.slice(0, -'/journal'.length)).sort()
    },
    async remove(team) {
      for (const [name, shared] of place.logs) {
        if (!name.startsWith(`${team}/`) || shared.lines.length === 0) continue
        place.logs.delete(name)
        shared.remove()
      }
    },
    async [Symbol.asyncDispose]() {
      place.runtimes.delete(presence.self)
      await Promise.all([...closers].map((close) => close()))
    },
  }
}

/** Alive until its store is closed. */
function createMemoryPresence(place: Place): Presence {
  const self = `memory-${++place.opened}`
  place.runtimes.add(self)
  return {
    self,
    async announce() {},
    async confirm() {},
    async renew() {},
    async withdraw() {},
    async look(runtime) {
      if (place.runtimes.has(runtime)) return 'alive'
      return runtime.startsWith('memory-') ? 'dead' : 'unknown'
    },
  }
}
