import type { Clock } from '../../journal/clock.ts'
import type { Model, ModelEvent, ModelRequest } from '../model.ts'
import type { Pause } from '../timers.ts'
import { type AccountQueue, type Admission, createAccountQueue, type QueuedCall } from './account-queue.ts'

type Waiting = Extract<ModelEvent, { type: 'waiting' }>

/** Admits calls as fast as their account allows, its agents in turn. */
export interface RateLimiter {
  /**
   * An admission if the call may be made at once; otherwise a generator that reports what the call waits for and returns
   * the admission. The caller releases every admission.
   */
  admit(
    model: Model,
    request: Pick<ModelRequest, 'agent' | 'urgency'>,
    signal: AbortSignal,
  ): Admission | AsyncGenerator<Waiting, Admission>
}

export function createRateLimiter(clock: Clock, pause: Pause): RateLimiter {
  const queues = new Map<string, AccountQueue>()

  function queueOf(account: string): AccountQueue {
    let queue = queues.get(account)
    if (queue === undefined) {
      queue = createAccountQueue(clock, pause)
      queues.set(account, queue)
    }
    return queue
  }

  async function* wait(queue: AccountQueue, call: QueuedCall, provider: string, signal: AbortSignal) {
    let isReturned = false
    const wake = () => call.wake()
    try {
      signal.addEventListener('abort', wake, { once: true })
      let shown = ''
      while (!call.isAdmitted) {
        const { seconds, why } = queue.waitReason()
        const reason = `${why} ${Math.round(clock.now() + seconds)}`
        if (shown !== reason) yield { type: 'waiting', provider, seconds, why } as const
        shown = reason
        signal.throwIfAborted()
        if (!call.isAdmitted) await call.changed()
        signal.throwIfAborted()
      }
      isReturned = true
      return queue.admission()
    } finally {
      signal.removeEventListener('abort', wake)
      if (!isReturned) call.cancel()
    }
  }

  return {
    admit({ account, provider }, { agent, urgency }, signal) {
      signal.throwIfAborted()
      const queue = queueOf(account)
      const call = queue.enqueue(agent, urgency)
      return call.isAdmitted ? queue.admission() : wait(queue, call, provider, signal)
    },
  }
}
