import type { LogRecord } from './store.ts'

/** `broken`: names a decision that never was in this log, so the log lost something. */
export type Verdict = 'accepted' | 'refused' | 'repeated' | 'broken'

/** The rule by which every reader of a log, in any process, comes to the same verdict on each record. */
export interface Chain {
  /** The id of the last accepted conditional record, '' before the first. */
  readonly last: string
  /** Still remembers every record of the log. */
  readonly complete: boolean
  judge(record: LogRecord): Verdict
  /** Did a record with this id appear, accepted or not? Only the latest 100,000 to 200,000 records are remembered. */
  knows(id: string): boolean
  /** Did one of them count? */
  accepted(id: string): boolean
  /** A decision that counted here can no longer be read: nothing conditional counts from here on. */
  lose(): void
  keep(): KeptChain
}

/** What a snapshot keeps: each generation is one string, because opening it must not cost a Map of 100,000 ids. */
export interface KeptChain {
  readonly last: string
  readonly complete: boolean
  readonly older: string
  readonly newer: string
  readonly count: number
}

const GENERATION = 100_000

/**
 * A conditional record counts only if `after` is still the last accepted decision at its place. Ids of a fixed number
 * of latest records are remembered in two generations, turned over by counting records, so that what is remembered
 * depends on the log alone and all readers forget alike.
 */
export function createChain(kept?: KeptChain): Chain {
  let last: string | undefined = kept?.last ?? ''
  let complete = kept?.complete ?? true
  let older = createGeneration(kept?.older)
  let newer = createGeneration(kept?.newer)
  let count = kept?.count ?? 0

  function decide(after: string): Verdict {
    if (after === last) return 'accepted'
    if (after === '' || appeared(after)) return 'refused'
    // The mistake of a log that numbers its lines: an unknown decision is taken for the one at this position.
    if (__BUG__ === 'position-based-after') return 'accepted'
    return complete ? 'broken' : 'refused'
  }

  const appeared = (id: string) => newer.get(id) !== undefined || older.get(id) !== undefined

  const counted = (id: string) => newer.get(id) || older.get(id) || false

  return {
    get last() {
      return last ?? ''
    },
    get complete() {
      return complete
    },
    knows: appeared,
    accepted: counted,
    judge(record) {
      if (counted(record.id)) return note(record.id, 'repeated')
      const verdict = record.after === undefined ? 'accepted' : decide(record.after)
      if (verdict === 'broken') return verdict
      if (verdict === 'accepted' && record.after !== undefined) last = record.id
      return note(record.id, verdict)
    },
    lose() {
      last = undefined
    },
    keep() {
      return { last: last ?? '', complete, older: older.text(), newer: newer.text(), count }
    },
  }

  function note(id: string, verdict: Verdict): Verdict {
    if (verdict !== 'repeated') newer.set(id, verdict === 'accepted')
    if (++count === GENERATION) {
      complete &&= older.empty()
      older = newer
      newer = createGeneration()
      count = 0
    }
    return verdict
  }
}

/** Ids with whether they were accepted. As text: a newline, then `+id` or `-id` and a newline for each. */
interface Generation {
  get(id: string): boolean | undefined
  set(id: string, accepted: boolean): void
  empty(): boolean
  text(): string
}

/** A command that opens a snapshot looks up a handful of ids; only a long-lived process should pay for the Map. */
const LOOKUPS_IN_TEXT = 32

function createGeneration(text = ''): Generation {
  const fresh = new Map<string, boolean>()
  let all = text === '' ? fresh : undefined
  let lookups = 0

  return {
    get(id) {
      const accepted = fresh.get(id)
      if (all === fresh || accepted) return accepted
      return (all ? all.get(id) : find(id)) ?? accepted
    },
    set(id, accepted) {
      fresh.set(id, accepted)
    },
    empty: () => fresh.size === 0 && text === '',
    text() {
      if (fresh.size === 0) return text
      return (text || '\n') + [...fresh].map(([id, accepted]) => `${accepted ? '+' : '-'}${id}\n`).join('')
    },
  }

  function find(id: string): boolean | undefined {
    if (lookups++ < LOOKUPS_IN_TEXT) {
      return text.includes(`\n+${id}\n`) ? true : text.includes(`\n-${id}\n`) ? false : undefined
    }
    all = new Map()
    // Later lines win: a decision may be refused a few times before it is accepted, never the other way round.
    for (const line of text.split('\n')) if (line !== '') all.set(line.slice(1), line[0] === '+')
    return all.get(id)
  }
}
