import type { Line, Parameter, Row } from './line.ts'
import type { Lines } from './lines.ts'
import type { SharedLog } from './shared-log.ts'
import type { Statements } from './statements.ts'

/**
 * A turn to decide, kept from reading to writing.
 *
 * queue  deciders that meet each other often line up, so that one decides while the others sleep. It stops nobody who
 *        does not line up, least of all mail. Must be used at once, awaiting nothing.
 * head   one that lost three times has the head row itself: nobody writes before it has, or 200 ms are over.
 */
export interface Hold {
  readonly isHeld: boolean
  /** Waits for its turn, and reads what came before. Without a turn in time the decider goes on without. */
  take(what: 'queue' | 'head'): Promise<void>
  /** Appends under the hold and lets go. Throws `LineLost` if nobody knows what came of it. */
  append(text: string, parameters: readonly Parameter[]): Promise<readonly Row[]>
  release(): void
}

export function createHold(shared: SharedLog, lines: Lines, statements: Statements): Hold {
  let held: { line: Line; forget(): void } | undefined

  function release(): void {
    if (!held) return
    const { line, forget } = held
    held = undefined
    forget()
    // What cannot be told to the server it finds out by itself, when the line is gone or has been idle for too long.
    line.run('rollback', [], 'plain').then(
      () => lines.give(line),
      () => lines.give(line),
    )
  }

  return {
    get isHeld() {
      return held !== undefined
    },
    async take(what) {
      const { log, known } = shared
      if (log === undefined || !known) return
      const line = await lines.take()
      // Sent together: the second begins when the first has its turn, so nothing is newer than what it reads.
      const [locked, news] = await Promise.allSettled([
        line.run(begin(lines, statements, log, what), [], 'plain'),
        line.run(statements.readByLog, [log, known.seq]),
      ])
      held = { line, forget: what === 'head' ? after(ATMOST, release) : afterTurns(TURNS, release) }
      if (locked.status === 'rejected' || news.status === 'rejected') return release()
      shared.absorbRead(known, news.value)
    },
    async append(text, parameters) {
      if (!held) throw new Error('Nothing is held.')
      const { line, forget } = held
      held = undefined
      forget()
      const [answered, committed] = await Promise.allSettled([
        line.run(text, parameters),
        line.run('commit', [], 'plain'),
      ])
      lines.give(line)
      if (answered.status === 'rejected') throw answered.reason
      if (committed.status === 'rejected') throw committed.reason
      return answered.value
    },
    release,
  }
}

/** Milliseconds for a decision; who has not written by then has nothing to write, or hangs. */
const ATMOST = 200
/** Turns of the event loop in which a decision is made that awaits nothing. */
const TURNS = 3

function after(milliseconds: number, act: () => void): () => void {
  const timer = setTimeout(act, milliseconds)
  return () => clearTimeout(timer)
}

function afterTurns(turns: number, act: () => void): () => void {
  let next = setImmediate(function turn() {
    if (--turns > 0) next = setImmediate(turn)
    else act()
  })
  return () => clearImmediate(next)
}

/** Always the queue first and then the row, so that two never wait for each other. */
function begin({ patience, address }: Lines, statements: Statements, log: number, what: 'queue' | 'head'): string {
  const said = `set local statement_timeout = ${patience.statement}; set local lock_timeout = ${patience.lock};
    set local idle_in_transaction_session_timeout = ${patience.idle};`
  const locks = what === 'head' ? [statements.lineUp(log), statements.lockHead(log)] : [statements.lineUp(log)]
  return `begin isolation level read committed; ${address.pooler ? said : ''} ${locks.join('; ')}`
}
