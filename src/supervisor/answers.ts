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

/** Records what an answer hands over like the message of a teammate: as mail of its sender, or in a journal. */
export async function recordAnswer(
  { routing }: Pick<SessionContext, 'routing'>,
  { team, by, lead }: Membership & { readonly lead: Author },
  handedOver: HandedOver,
): Promise<Refusal | undefined> {
  const answer =
    handedOver.via === 'message'
      ? await team.send(handedOver.message, { by })
      : handedOver.via === 'file' && routing?.record
        ? await routing.record(handedOver.handOff)
        : await team.run({ type: 'handoff.record', handOff: handedOver.handOff }, { by: lead })
  return isRefusal(answer) ? answer : undefined
}
