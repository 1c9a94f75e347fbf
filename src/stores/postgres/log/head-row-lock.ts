import type { Line, Parameter, Row } from '../connection/connection.ts'
import type { Lines } from '../connection/connection-pool.ts'
import type { Hint } from '../connection/notifications.ts'
import type { Statements } from '../schema/statements.ts'
import { afterTurns } from './after-turns.ts'
import type { SharedLog } from './reader.ts'

/**
 * The head row, kept from reading to writing: nobody decides in between. Deciders that wait for it sleep in the order in
 * which they came, together with those who only write, so each gets its turn.
 */
export interface Hold {
  readonly isHeld: boolean
  /**
   * Waits for its turn, and reads what came before. Without a turn in time the decider goes on without.
   *
   * briefly  must be used at once, awaiting nothing: for deciders that met others lately
   * long     for 200 ms: for one that lost three times and has to win now
   */
  take(how: 'briefly' | 'long'): Promise<void>
  /** Appends under the hold and lets go. Throws `LineLost` if nobody knows what came of it. */
  append(parameters: readonly Parameter[], hint?: Hint): Promise<readonly Row[]>
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
    async take(how) {
      const { log, known } = shared
      if (log === undefined || !known) return
      const line = await lines.take()
      // Sent together, in one go.
      const [begun, news] = await Promise.allSettled([
        line.run(begin(lines), [], 'plain'),
        line.run(statements.hold, [log, known.seq, String(lines.patience.lock)]),
      ])
      held = { line, forget: how === 'long' ? after(ATMOST, release) : afterTurns(release) }
      if (begun.status === 'rejected' || news.status === 'rejected') return release()
      shared.absorbRead(known, news.value)
    },
    async append(parameters, hint) {
      if (!held) throw new Error('Nothing is held.')
      const { line, forget } = held
      held = undefined
      forget()
      const answers = [line.run(statements.appendNext, parameters), line.run('commit', [], 'plain')] as const
      hint?.(line)
      const [answered, committed] = await Promise.allSettled(answers)
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

function after(milliseconds: number, act: () => void): () => void {
  const timer = setTimeout(act, milliseconds)
  return () => clearTimeout(timer)
}

function begin({ patience, address }: Lines): string {
  // Behind a pooler it cannot be said for the session.
  const said = `; set local statement_timeout = ${patience.statement};
    set local idle_in_transaction_session_timeout = ${patience.idle}`
  return `begin isolation level read committed${address.pooler ? said : ''}`
}
