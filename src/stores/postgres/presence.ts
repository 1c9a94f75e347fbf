import { randomBytes } from 'node:crypto'
import type { Lease, Presence, RuntimeId } from '../../journal/log/store.ts'
import { Superseded } from '../../journal/log/store-errors.ts'
import { hasEndedHere, runsHere, thisRuntime } from '../identity.ts'
import type { ConnectionPool } from './connection/connection-pool.ts'
import type { Statements } from './schema/statements.ts'

export interface PostgresPresence extends Presence {
  /** Called after a write: from now on other processes may ask whether this one is alive. */
  wrote(): void
  /** Ends the lease, so that others need not wait for its end. */
  leave(): Promise<void>
}

/**
 * A runtime is alive while its lease runs by the server's clock, so machines need not agree on the time. The first lease
 * begins with the runtime and is part of its id, so a command that takes a second need not write a lease.
 */
export async function openPresence(
  pool: ConnectionPool,
  statements: Statements,
  lease: number,
  clock: () => ClockReading = readClocks,
): Promise<PostgresPresence> {
  const [row] = await pool.ask(statements.clock)
  const self: RuntimeId = `p-${row?.now}-${thisRuntime().slice(2)}-${randomBytes(6).toString('hex')}`
  const teams = new Set<string>([''])
  let hasWritten = false
  let renewed = clock()
  // If the server is unreachable, the next renewal makes up for this one.
  const timer = setInterval(() => renewAll().catch(() => {}), lease / 3).unref()

  async function renew(team: string): Promise<void> {
    hasWritten = true
    const asked = clock()
    const [row] = await pool.ask(statements.renew, [self, team, lease])
    if (!row) throw new Superseded(LEASE_ENDED)
    renewed = asked
  }

  /** By the clock that advanced more: one stands still while the machine sleeps, the other can be set back. */
  function sinceRenewal(): number {
    const { wall, steady } = clock()
    return Math.max(wall - renewed.wall, steady - renewed.steady)
  }

  async function leaseOf(runtime: RuntimeId): Promise<Lease> {
    const [found] = await pool.ask(statements.look, [runtime])
    const now = Number(found?.now)
    if (found?.until !== null) return { until: Number(found?.until), left: (Number(found?.until) - now) / 1000 }
    const born = Number(FORM.exec(runtime)?.[1] ?? Number.NaN)
    const until = born <= now ? born + lease : 0
    return { until, left: until > now ? (until - now) / 1000 : 0 }
  }

  async function renewAll(): Promise<void> {
    for (const team of teams) await renew(team)
  }

  return {
    self,
    async announce(team) {
      teams.add(team)
      await pool.ask(statements.sweep)
      await renew('')
      await renew(team)
    },
    renew,
    async confirm() {
      if (sinceRenewal() >= lease / 2) await renew('')
    },
    async withdraw(team) {
      teams.delete(team)
      await pool.ask(statements.withdraw, [self, team])
    },
    async look(runtime) {
      if (runtime === self) return 'alive'
      // A process of this machine that has ended needs no lease to prove it.
      if (hasEndedHere(processIn(runtime))) return 'dead'
      if ((await leaseOf(runtime)).left > 0) return 'alive'
      // Judged and ended in one statement, so its holder cannot renew it and act before the takeover is written.
      const [ended] = await pool.ask(statements.endLease, [runtime])
      return ended ? 'dead' : 'alive'
    },
    async leaseOf(runtime) {
      return runtime === self || runsHere(processIn(runtime)) ? undefined : leaseOf(runtime)
    },
    wrote() {
      hasWritten = true
    },
    async leave() {
      clearInterval(timer)
      if (hasWritten) await pool.ask(statements.leave, [self])
    },
  }
}

const LEASE_ENDED =
  'The lease of this process was over, and another process ended it to take over. This process does nothing more; `deskmates resume` continues here.'

/** Milliseconds. */
export interface ClockReading {
  readonly wall: number
  readonly steady: number
}

function readClocks(): ClockReading {
  return { wall: Date.now(), steady: performance.now() }
}

/** p-born-machine-boot-namespace-pid-start-random; older versions wrote only the pid in the middle. */
const FORM = /^p-(\d{1,15})-(\d+|[0-9a-f]{12}-[0-9a-fx]{1,12}-[0-9x]{1,20}-\d{1,10}-[0-9x]{1,20})-[0-9a-f]{12}$/

/** The process id part of a runtime id, in the form of the files store. */
function processIn(runtime: RuntimeId): RuntimeId {
  return `r-${FORM.exec(runtime)?.[2] ?? ''}`
}
