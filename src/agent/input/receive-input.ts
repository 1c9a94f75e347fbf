import type { Agent } from '../agent.ts'
import type { AgentEvent } from '../agent-event.ts'
import type { Transcript } from '../transcript/transcript.ts'

/** The acknowledgement that is being written; only the next input and the end of the turn wait for it. */
export interface PendingAcknowledgement {
  acknowledged: Promise<void>
}

/**
 * Writes the turn before it acknowledges its mail. After a crash a message may be acknowledged late, but it is never
 * lost or delivered twice. The model call does not wait for the disk: nothing follows from the turn before its answer.
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
  const { turn, mail, jobs, files, task, typed, waitUntilDurable, acknowledge } = input
  await transcript.addInput(turn, mail, jobs, waitUntilDurable, { files, task, typed })
  if (mail.length > 0) owed.acknowledged = durable(transcript).then(acknowledge)
  // Handled where it is awaited.
  owed.acknowledged.catch(() => {})
  yield { type: 'input_received', turn, mail, ...(typed && { typed }) }
}

async function durable({ synced }: Transcript): Promise<void> {
  await requestSent()
  await synced()
}

/** Resolves when the request is on its way: two rounds of the event loop, since an idle connection is checked first. */
export function requestSent(): Promise<void> {
  return new Promise((resolve) => setImmediate(() => setImmediate(resolve)))
}
