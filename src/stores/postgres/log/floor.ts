import type { Line, Parameter, Row } from '../connection/connection.ts'
import type { Lines } from '../connection/connection-pool.ts'
import type { Hint } from '../connection/notifications.ts'
import type { Statements } from '../schema/statements.ts'
import { afterTurns } from './after-turns.ts'
import type { SharedLog } from './reader.ts'

/**
 * Who has the floor decides; other deciders that met a crowd wait for it, in the order in which they came, instead of
 * losing against each other. It is a courtesy: what counts is settled at the head row alone, so whoever did not get it
 * in time decides without. Mail does not need it; the first letter of the line waits for it, but only for a moment.
 * It is kept over a few decisions, because passing it on costs more than one of them, and it
 * belongs to a connection: when its owner dies it is free.
 */
export interface Floor {
  readonly isHeld: boolean
  /** Waits for the floor, and reads what came before. Used at once, awaiting nothing, or it is passed on. */
  take(): Promise<void>
  /** Appends on the line that has the floor. Throws `LineLost` if nobody knows what came of it. */
  append(parameters: readonly Parameter[], hint?: Hint): Promise<readonly Row[]>
  release(): void
}

/** Appends in a row before others have their turn. */
const IN_A_ROW = 8
/** How long one who has the floor is waited for, and for how long not at all when that was in vain, in milliseconds. */
const PATIENCE = 2000
const IMPATIENCE = 5000

export function createFloor(shared: SharedLog, lines: Lines, statements: Statements): Floor {
  let held: { readonly line: Line; readonly log: number; left: number; forget: () => void } | undefined
  let notBefore = 0

  function release(): void {
    if (!held) return
    const { line } = held
    pass()
    lines.give(line)
  }

  /** Sent behind what is under way; whoever is given the line next waits for that too. */
  function pass(): void {
    if (!held) return
    const { line, log, forget } = held
    held = undefined
    forget()
    // A line that cannot be told is ended, and the floor is free.
    line.run(statements.passFloor, [log]).catch(() => line.end())
  }

  return {
    get isHeld() {
      return held !== undefined
    },
    async take() {
      if (held) {
        held.forget()
        held.forget = afterTurns(release)
      }
      const { log, known } = shared
      if (held || log === undefined || !known || performance.now() < notBefore) return
      const line = await lines.take()
      try {
        const news = await line.run(statements.takeFloor, [log, known.seq, String(PATIENCE)])
        held = { line, log, left: IN_A_ROW, forget: afterTurns(release) }
        shared.absorbRead(known, news)
      } catch (error) {
        if (held) {
          release()
          throw error
        }
        lines.give(line)
        notBefore = performance.now() + IMPATIENCE
      }
    },
    async append(parameters, hint) {
      if (!held) throw new Error('Nobody here has the floor.')
      const mine = held
      mine.forget()
      const answer = mine.line.run(statements.appendNext, parameters)
      if (--mine.left === 0) pass()
      hint?.(mine.line)
      try {
        return await answer
      } finally {
        if (held !== mine) lines.give(mine.line)
        else if (mine.line.isOpen) mine.forget = afterTurns(release)
        else release()
      }
    },
    release,
  }
}
