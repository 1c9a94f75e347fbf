import type { AgentEvent } from './agent-event.ts'
import type { Conversation } from './conversation.ts'

/**
 * Transcript first, then the acknowledgement: after a crash a message may be acknowledged late, but it is neither lost
 * nor heard twice.
 */
export async function* hear({ listen, transcript }: Conversation): AsyncGenerator<AgentEvent, void> {
  const news = await listen()
  if (!news) return
  const { turn, mail, jobs, acknowledge } = news
  if (__BUG__ === 'ack-before-turn') await acknowledge()
  await transcript.hear(turn, mail, jobs)
  await acknowledge()
  yield { type: 'heard', turn, mail }
}
