import { type Log, START } from '../../ports/store.ts'
import { apply, type Effect } from '../../team/apply.ts'
import type { EventOf, EventType, TeamEvent } from '../../team/event.ts'
import { emptyState, type TeamState } from '../../team/state.ts'

/** One accepted record, as it was read from the journal. */
export interface Happened {
  /** Seconds since 1970, by its writer's clock. */
  readonly at: number
  readonly by: string
  readonly events: readonly TeamEvent[]
  readonly effects: readonly Effect[]
}

/** Everything that happened so far, read from the journal like any other reader would. */
export interface Chronicle {
  readonly all: readonly Happened[]
  readonly state: TeamState
  /** Waits until `found` finds something. `what` is named if it never comes. */
  until<T>(what: string, found: (chronicle: Chronicle) => T | undefined | false): Promise<T>
  close(): Promise<void>
}

/** Only against hanging: nothing here takes that long on any machine that works. */
const PATIENCE = 60_000

export function openChronicle(options: {
  readonly log: Log
  /** Aborts with the reason why nobody should wait any longer. */
  readonly signal: AbortSignal
  readonly tooLong: (what: string) => Error
  /** Called for every record, before anybody who waits for it goes on. */
  readonly tell: (happened: Happened, state: TeamState) => Promise<void>
}): Chronicle {
  const { log, signal, tooLong, tell } = options
  const closing = new AbortController()
  const all: Happened[] = []
  const state = emptyState()
  const waiting = new Set<() => void>()
  let failure: unknown

  async function follow(): Promise<void> {
    for await (const batch of log.tail(START, closing.signal)) {
      for (const { seq, record } of batch) {
        const { events, effects } = apply(state, seq, record)
        const at = typeof record.at === 'number' ? record.at : 0
        const happened = { at, by: nameOf(record.by), events, effects }
        all.push(happened)
        await tell(happened, state)
        for (const look of [...waiting]) look()
      }
    }
  }
  const following = follow().catch((error) => {
    failure = error
    for (const look of [...waiting]) look()
  })

  const chronicle: Chronicle = {
    all,
    state,
    until(what, found) {
      return new Promise((resolve, reject) => {
        const end = (settle: () => void) => {
          waiting.delete(look)
          clearTimeout(timer)
          signal.removeEventListener('abort', look)
          settle()
        }
        const look = () => {
          if (signal.aborted) return end(() => reject(signal.reason))
          if (failure) return end(() => reject(failure))
          const result = found(chronicle)
          if (result !== undefined && result !== false) end(() => resolve(result))
        }
        const timer = setTimeout(() => end(() => reject(tooLong(what))), PATIENCE)
        waiting.add(look)
        signal.addEventListener('abort', look)
        look()
      })
    },
    async close() {
      closing.abort()
      await following
      await log.close()
    },
  }
  return chronicle
}

/** All events of a type so far, in order. */
export function eventsOf<T extends EventType>({ all }: Pick<Chronicle, 'all'>, type: T): EventOf<T>[] {
  return all.flatMap(({ events }) => events.filter((event): event is EventOf<T> => event.type === type))
}

function nameOf(by: unknown): string {
  return typeof by === 'object' && by !== null && 'name' in by ? String(by.name) : 'user'
}
