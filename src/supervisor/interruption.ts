import { INTERRUPTED_BY_USER } from '../agent/aborted.ts'
import type { OpenAgent } from '../agent/agent.ts'
import type { AgentEvent, Stop } from '../agent/agent-event.ts'
import { userTurn } from '../agent/input/inbox.ts'
import { TURN_INTERRUPTED_BY_USER } from '../prompts/notices.ts'

/** The user ended this turn, for which `reason` was given. */
export function isByUser({ kind }: Stop, reason: unknown): boolean {
  return kind === 'aborted' && reason === INTERRUPTED_BY_USER
}

/** Writes to the conversation that the user ended the turn: the model reads it with the next message. */
export async function noteInterruption({ transcript }: OpenAgent): Promise<AgentEvent> {
  const turn = userTurn([TURN_INTERRUPTED_BY_USER])
  await transcript.interrupt(turn)
  return { type: 'input_received', turn, mail: [], interrupted: true }
}
