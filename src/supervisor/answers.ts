import { createHash } from 'node:crypto'
import type { Membership } from '../agent/membership.ts'
import type { SessionContext } from '../agent/session-context.ts'
import type { Author } from '../team/event.ts'
import { nameKey } from '../team/name.ts'
import { isRefusal, type Refusal } from '../team/refusal.ts'
import type { HandedOver } from '../tools/message-routing.ts'

/**
 * What the answer of a one-shot agent that has completed this task hands over, or why the organisation does not accept it;
 * undefined where it hands nothing over.
 */
export function checkAnswer(
  { routing }: Pick<SessionContext, 'routing'>,
  { team, by }: Membership,
  id: string,
  answer: string,
): HandedOver | Refusal | undefined {
  const task = team.state.tasks.get(id)
  const isOwn = task?.status === 'completed' && nameKey(task.owner ?? '') === nameKey(by.name)
  return isOwn ? routing?.checkAnswer?.({ from: by.name, isMember: true, answer }, team.state) : undefined
}

/**
 * Records what an answer hands over like the message of a teammate: as mail of its sender, or in a journal. With the same
 * `commandId` it is recorded once, also by the process that continues after a crash.
 */
export async function recordAnswer(
  { routing }: Pick<SessionContext, 'routing'>,
  { team, by, lead }: Membership & { readonly lead: Author },
  handedOver: HandedOver,
  commandId?: string,
): Promise<Refusal | undefined> {
  const once = commandId === undefined ? {} : { commandId }
  const answer =
    handedOver.via === 'message'
      ? await team.send(handedOver.message, { by, ...once })
      : handedOver.via === 'file' && routing?.record
        ? await routing.record(handedOver.handOff, commandId)
        : await team.run({ type: 'handoff.record', handOff: handedOver.handOff }, { by: lead, ...once })
  return isRefusal(answer) ? answer : undefined
}

/** Names of one-shot agents are never used again, but those of teams and agents are too long for an id together. */
export function answerId(team: string, agent: string): string {
  return `answer:${createHash('sha256').update(`${team}/${agent}`).digest('hex').slice(0, 32)}`
}
