import type { AlarmClock } from '../../journal/clock.ts'
import { type Order, turnOnly } from '../../journal/replay/order.ts'
import { nestedSteps } from './nested-steps.ts'
import { notifyAll } from './record-order.ts'

/** Without the next step for so long, the run is taken to differ from the recorded one. */
const STEP_TIMEOUT_SECONDS = 30
/** The same while a tool call runs. */
const STEP_TIMEOUT_WITH_TOOLS_SECONDS = 900

export interface ReplayedOrder extends Order {
  /** Waits for the turn of this agent's answer; outside a session answers have no order. */
  answer(agent: string): Promise<void>
  /** Why steps are no longer in the recorded order; undefined while they are. */
  readonly released: string | undefined
  /** Rejects as soon as the signal aborts, as the recorded call did; resolves when that can no longer happen. */
  interrupted(signal: AbortSignal): Promise<void>
}

export function answerOf(agent: string): string {
  return `${agent} answers`
}

/** Runs steps in this order. A step that is not in it, or is not requested, releases all: a request then differs. */
export function replayOrder(names: readonly string[], clock: AlarmClock): ReplayedOrder {
  const left = new Map<string, number>()
  for (const name of names) left.set(name, (left.get(name) ?? 0) + 1)
  const queues = new Map<string, (() => void)[]>()
  const watchers = new Set<() => void>()
  const nested = nestedSteps()
  let at = 0
  let waiting = 0
  let spans = 0
  /** Calls of a model that wait to be interrupted. */
  let awaitingInterrupt = 0
  let isRunning = false
  let isInSession = false
  let released: string | undefined
  let stopTimer = () => {}
  let onReleased = () => {}
  const untilReleased = new Promise<void>((resolve) => {
    onReleased = resolve
  })

  function release(why: string): void {
    if (released !== undefined) return
    released = why
    stopTimer()
    waiting = 0
    for (const go of [...queues.values()].flat()) go()
    queues.clear()
    onReleased()
    notifyAll(watchers)
  }

  function runNext(): void {
    if (isRunning || released !== undefined) return
    stopTimer()
    const name = names[at]
    const go = name === undefined ? undefined : queues.get(name)?.shift()
    if (name === undefined || go === undefined) {
      if (waiting + awaitingInterrupt > 0)
        stopTimer = clock.in(spans > 0 ? STEP_TIMEOUT_WITH_TOOLS_SECONDS : STEP_TIMEOUT_SECONDS, () =>
          release(missing(name)),
        )
      return
    }
    at++
    left.set(name, left.get(name)! - 1)
    waiting--
    isRunning = true
    go()
  }

  const order: ReplayedOrder = {
    async step(name, work) {
      if (nested.isInside) return work()
      isInSession = true
      const queue = queues.get(name) ?? []
      if (released === undefined && queue.length >= (left.get(name) ?? 0))
        release(`the recording has no further step "${name}"`)
      if (released !== undefined) return work()
      waiting++
      queues.set(name, queue)
      await new Promise<void>((resolve) => {
        queue.push(resolve)
        runNext()
      })
      try {
        return await nested.run(work)
      } finally {
        // The caller continues first.
        setImmediate(() => {
          isRunning = false
          notifyAll(watchers)
          runNext()
        })
      }
    },
    async span(name, work) {
      await order.step(`${name} begins`, turnOnly)
      spans++
      try {
        return await work()
      } finally {
        spans--
        await order.step(`${name} ends`, turnOnly)
      }
    },
    async answer(agent) {
      if (isInSession) await order.step(answerOf(agent), turnOnly)
      else release('there is no session')
    },
    expects: (name) => (released === undefined ? !isRunning && names[at] === name : undefined),
    get waiting() {
      return waiting
    },
    moved: () => new Promise((resolve) => void watchers.add(resolve)),
    release,
    get released() {
      return released
    },
    async interrupted(signal) {
      if (!isInSession) release('there is no session')
      awaitingInterrupt++
      runNext()
      let abort = () => {}
      const aborted = new Promise<void>((resolve) => {
        abort = resolve
        signal.addEventListener('abort', abort)
      })
      if (!signal.aborted) await Promise.race([aborted, untilReleased])
      signal.removeEventListener('abort', abort)
      awaitingInterrupt--
      signal.throwIfAborted()
    },
  }
  return order

  function missing(name: string | undefined): string {
    return name === undefined ? 'the recording has ended' : `the next recorded step "${name}" did not happen`
  }
}
