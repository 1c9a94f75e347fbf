import type { SessionEvent } from '../agent/session-event.ts'
import type { Session } from './session.ts'

/** Lets a session work until it stops, and says how it did and what happened meanwhile. Only for tests. */
export async function runToEnd(session: Session, prompt?: string, signal?: AbortSignal) {
  const events: SessionEvent[] = []
  const loop = session.run(prompt, signal)
  for (;;) {
    const step = await loop.next()
    if (step.done) return { stop: step.value, events }
    events.push(step.value)
  }
}
