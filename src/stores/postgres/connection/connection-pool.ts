import type { Address } from './address.ts'
import { type Line, openLine, type Parameter, type Patience, type Row } from './connection.ts'
import { codeOf, isAway, isWorthRepeating, LineLost, reason, StoreRefused, StoreUnreachable } from './failures.ts'

/** All connections of one store but the listening one: few, opened when needed, given back after each statement. */
export interface Lines {
  readonly address: Address
  readonly patience: Patience
  /**
   * Runs one statement that may safely run twice. When the line is lost it is sent again on another, to whichever
   * host is the primary by then, until `patience.server` is over. `wasSent`: it may have arrived before. `behind` sends
   * something more on the same line, in the same go.
   */
  ask(
    text: string,
    parameters?: readonly Parameter[],
    more?: { readonly wasSent?: boolean; readonly behind?: ((line: Line) => void) | undefined },
  ): Promise<readonly Row[]>
  /** A line for more than one statement; `give` it back. */
  take(): Promise<Line>
  give(line: Line): void
  /** A line of its own, which is not given back. */
  open(heard?: { notice?(channel: string, payload: string): void; lost?(): void }): Promise<Line>
  close(): void
}

const MOST = 8
/** A line that nobody needed for so long is closed, in milliseconds: servers have few to give. */
const IDLE = 30_000
/** A pooler takes none of what we say for a session. */
const POOLER = 'If there is a pooler in between, add pooler=1 to the address.'
/** Oldest server that has what we use. */
const OLDEST = 140_000

export function createLines(address: Address, patience: Patience): Lines {
  const idle: { line: Line; timer: NodeJS.Timeout }[] = []
  const all = new Set<Line>()
  const waiting: (() => void)[] = []
  let opening = 0
  let primary = 0
  let isClosed = false

  async function open(heard = {}): Promise<Line> {
    let failure: unknown
    for (let tries = 0; tries < address.hosts.length; tries++) {
      const index = (primary + tries) % address.hosts.length
      try {
        const line = await openLine(address, address.hosts[index]!, patience, heard)
        try {
          await greet(line)
        } catch (error) {
          line.end()
          throw error
        }
        primary = index
        return line
      } catch (error) {
        const code = codeOf(error)
        const first = error instanceof LineLost ? error.cause : error
        if (codeOf(first) === '08P01' && !address.pooler) throw new StoreRefused(address.shown, first, POOLER)
        if (error instanceof StoreRefused || (code !== undefined && !isAway(code)))
          throw error instanceof StoreRefused ? error : new StoreRefused(address.shown, error)
        failure = error
      }
    }
    throw new LineLost(failure, false)
  }

  /** Is it a server we can keep our promises on? */
  async function greet(line: Line): Promise<void> {
    const [hello] = await line.run(HELLO, [], 'plain')
    if (hello?.follows) throw new Error('it is a standby, which accepts no writes')
    const wrong =
      Number(hello?.version) < OLDEST
        ? 'it is older than PostgreSQL 14'
        : hello?.encoding !== 'UTF8'
          ? `its encoding is ${hello?.encoding}, not UTF8`
          : hello?.isolation !== 'read committed'
            ? `its default_transaction_isolation is ${hello?.isolation}; set it to read committed for this user`
            : undefined
    if (wrong) throw new StoreRefused(address.shown, wrong, 'Use another database.')
  }

  async function take(): Promise<Line> {
    for (;;) {
      if (isClosed) throw new LineLost(new Error('the store is closed'), false)
      const kept = idle.pop()
      if (kept) {
        clearTimeout(kept.timer)
        if (kept.line.isOpen) return kept.line
        drop(kept.line)
      } else if (all.size + opening < MOST) {
        opening++
        try {
          const line = await open()
          all.add(line)
          if (!isClosed) return line
          drop(line)
        } finally {
          opening--
          if (all.size + opening < MOST) waiting.shift()?.()
        }
      } else await new Promise<void>((resolve) => waiting.push(resolve))
    }
  }

  function give(line: Line): void {
    if (!line.isOpen || isClosed) drop(line)
    else idle.push({ line, timer: setTimeout(retire, IDLE, line).unref() })
    waiting.shift()?.()
  }

  function retire(line: Line): void {
    const index = idle.findIndex((kept) => kept.line === line)
    if (index >= 0) idle.splice(index, 1)
    drop(line)
  }

  function drop(line: Line): void {
    all.delete(line)
    line.end()
  }

  async function askOnce(
    text: string,
    parameters: readonly Parameter[],
    behind?: (line: Line) => void,
  ): Promise<readonly Row[]> {
    const line = await take()
    try {
      const answer = line.run(text, parameters)
      behind?.(line)
      return await answer
    } finally {
      give(line)
    }
  }

  return {
    address,
    patience,
    take,
    give,
    open,
    async ask(text, parameters = [], { wasSent = false, behind } = {}) {
      const until = performance.now() + patience.server
      let mayHaveArrived = wasSent
      for (let pause = 0; ; pause = Math.min(pause * 2 + 10, 250)) {
        try {
          return await askOnce(text, parameters, behind)
        } catch (error) {
          if (error instanceof LineLost) mayHaveArrived ||= error.mayHaveArrived
          // Waiting in vain proves nothing once an earlier one may have arrived: it may be what we waited for.
          else if (!isWorthRepeating(codeOf(error) ?? '') && !(mayHaveArrived && isTimeOut(error))) throw error
          if (isClosed || performance.now() > until) throw new StoreUnreachable(address.shown, error, mayHaveArrived)
        }
        if (pause > 0) await new Promise((resolve) => setTimeout(resolve, pause))
      }
    },
    close() {
      isClosed = true
      for (const { timer } of idle.splice(0)) clearTimeout(timer)
      for (const line of [...all]) drop(line)
      for (const wake of waiting.splice(0)) wake()
    },
  }
}

/** Somebody held on to what we wanted for too long, or the server was too slow: certainly nothing was done. */
export function isTimeOut(error: unknown): boolean {
  return ['55P03', '57014'].includes(codeOf(error) ?? '')
}

/** The server's words about a time-out say little to somebody who did not write the statement. */
export function plainly(error: unknown): unknown {
  if (!isTimeOut(error)) return error
  return new Error(`another transaction has held it for too long (${reason(error)})`, { cause: error })
}

const HELLO = `select pg_catalog.pg_is_in_recovery() as follows,
  pg_catalog.current_setting('server_version_num')::int as version,
  pg_catalog.current_setting('server_encoding') as encoding,
  pg_catalog.current_setting('transaction_isolation') as isolation`
