import type { AlarmClock } from '../../journal/clock.ts'
import { type Order, turnOnly } from '../../journal/order.ts'
import { nestedSteps } from './nested-steps.ts'
import { tellAll } from './record-order.ts'

/** Seconds without a step after which the run counts as another one than the recorded, and while a tool call runs. */
const PATIENCE = 30
const PATIENCE_WITH_TOOLS = 900

export interface ReplayedOrder extends Order {
  /** The answer of this agent's model is due; outside of a session answers have no order. */
  answer(agent: string): Promise<void>
  /** Why steps are not kept in the recorded order any more; undefined while they are. */
  readonly released: string | undefined
  /** Rejects as soon as the signal aborts, as the recorded call did; resolves if that does not happen any more. */
  interrupted(signal: AbortSignal): Promise<void>
}

export function answerOf(agent: string): string {
  return `${agent} answers`
}

/** Lets steps run in this order. A step that is not in it, or does not come, releases all: a request then differs. */
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
  let held = 0
  let isRunning = false
  let isInSession = false
  let released: string | undefined
  let alarm = () => {}
  let freed = () => {}
  const untilReleased = new Promise<void>((resolve) => {
    freed = resolve
  })

  function release(why: string): void {
    if (released !== undefined) return
    released = why
    alarm()
    waiting = 0
    for (const go of [...queues.values()].flat()) go()
    queues.clear()
    freed()
    tellAll(watchers)
  }

  function goOn(): void {
    if (isRunning || released !== undefined) return
    alarm()
    const name = names[at]
    const go = name === undefined ? undefined : queues.get(name)?.shift()
    if (name === undefined || go === undefined) {
      if (waiting + held > 0) alarm = clock.in(spans > 0 ? PATIENCE_WITH_TOOLS : PATIENCE, () => release(missing(name)))
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
        release(`the recording has no more "${name}"`)
      if (released !== undefined) return work()
      waiting++
      queues.set(name, queue)
      await new Promise<void>((resolve) => {
        queue.push(resolve)
        goOn()
      })
      try {
        return await nested.run(work)
      } finally {
        // The caller goes on first.
        setImmediate(() => {
          isRunning = false
          tellAll(watchers)
          goOn()
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
      held++
      goOn()
      let abort = () => {}
      const aborted = new Promise<void>((resolve) => {
        abort = resolve
        signal.addEventListener('abort', abort)
      })
      if (!signal.aborted) await Promise.race([aborted, untilReleased])
      signal.removeEventListener('abort', abort)
      held--
      signal.throwIfAborted()
    },
  }
  return order

  function missing(name: string | undefined): string {
    return name === undefined ? 'the recording has ended' : `"${name}" did not happen, which came next`
  }
}
