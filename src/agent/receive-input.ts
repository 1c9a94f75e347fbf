import type { Agent } from './agent.ts'
import type { AgentEvent } from './agent-event.ts'
import type { Transcript } from './transcript/transcript.ts'

/** The acknowledgement that is on its way; nothing waits for it but the next one, and rest. */
export interface PendingAcknowledgement {
  acknowledged: Promise<void>
}

/**
 * Transcript first, then the acknowledgement: after a crash a message may be acknowledged late, but it is neither lost
 * nor heard twice. The model does not wait for the disk: until it has answered nothing follows from the turn.
 */
export async function* receiveInput(
  agent: Agent,
  owed: PendingAcknowledgement,
  signal: AbortSignal,
): AsyncGenerator<AgentEvent, void> {
  const { transcript, inbox, order } = agent
  await owed.acknowledged
  const nextInput = async () => {
    signal.throwIfAborted()
    return inbox.next()
  }
  const input = await (order ? order.step(`${agent.name} hears`, nextInput) : inbox.next())
  if (!input) return
  const { turn, mail, jobs, files, task, waitUntilDurable, acknowledge } = input
  await transcript.hear(turn, mail, jobs, waitUntilDurable, { files, task })
  if (mail.length > 0) owed.acknowledged = durable(transcript).then(acknowledge)
  // Whoever awaits it is told.
  owed.acknowledged.catch(() => {})
  yield { type: 'input_received', turn, mail }
}

async function durable({ synced }: Transcript): Promise<void> {
  await requestSent()
  await synced()
}

/** The request goes out first: the event loop turns once for it, since a connection that rested is looked at first. */
export function requestSent(): Promise<void> {
  return new Promise((resolve) => setImmediate(() => setImmediate(resolve)))
}
