import type { Line, Parameter, Row } from './line.ts'
import type { Lines } from './lines.ts'
import type { SharedLog } from './shared-log.ts'
import type { Statements } from './statements.ts'

/** A decider that keeps losing takes the head row: nobody decides before it has, or its time is over. */
export interface Hold {
  readonly isHeld: boolean
  /**
   * Waits for its turn, and reads what came before. Without a turn in time the decider goes on without. It has `atMost`
   * milliseconds to decide; 0 means: at once, awaiting nothing.
   */
  take(atMost: number): Promise<void>
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
    async take(atMost) {
      const { log, known } = shared
      if (log === undefined || !known) return
      const line = await lines.take()
      // Sent together: the second begins when the first has the row, so nothing is newer than what it reads.
      const [locked, news] = await Promise.allSettled([
        line.run(begin(lines, statements, log), [], 'plain'),
        line.run(statements.readByLog, [log, known.seq]),
      ])
      held = { line, forget: atMost > 0 ? after(atMost, release) : afterTurns(TURNS, release) }
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

function begin({ patience }: Lines, { lockHead }: Statements, log: number): string {
  return `begin isolation level read committed;
    set local statement_timeout = ${patience.statement};
    set local lock_timeout = ${patience.lock};
    set local idle_in_transaction_session_timeout = ${patience.idle};
    ${lockHead.replace('$1', String(log))}`
}
