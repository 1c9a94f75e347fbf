import type { Transport } from '@modelcontextprotocol/client'
import type { Clock } from '../../../journal/clock.ts'

/** Messages to and from one server, and why it ended. */
export interface ServerTransport extends Transport {
  /** How it ended, in words, with the last of its own words. Undefined while it runs. */
  readonly why: string | undefined
  /** Ends the server, or the connection to it, for this reason. */
  fail(why: string): void
}

/** The most bytes of one message of a server: more would cost memory that the team needs. */
export const MAX_MESSAGE_BYTES = 16 * 1024 * 1024
/** The most messages of a server within one second that answer nothing. */
const MAX_UNASKED_PER_SECOND = 2000

/** Counts what a server says without being asked. One that talks without end would keep this process from everything else. */
export function createFloodLimit(clock: Clock, fail: (why: string) => void): () => void {
  const unasked = { second: 0, count: 0 }
  return () => {
    const second = Math.floor(clock.now())
    if (unasked.second !== second) Object.assign(unasked, { second, count: 0 })
    if (++unasked.count > MAX_UNASKED_PER_SECOND)
      fail(`it sent more than ${MAX_UNASKED_PER_SECOND} messages in a second without being asked`)
  }
}
