import type { SessionEvent } from '../../agent/session-event.ts'
import type { Session } from '../../session/session.ts'

/** Runs a session until it stops; returns the stop and every event in order. */
export async function runToEnd(session: Session, prompt?: string, signal?: AbortSignal) {
  const events: SessionEvent[] = []
  const loop = session.run(prompt, signal)
  for (;;) {
    const step = await loop.next()
    if (step.done) return { stop: step.value, events }
    events.push(step.value)
  }
}
