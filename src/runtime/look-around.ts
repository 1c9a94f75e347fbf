import type { Presence } from '../ports/store.ts'
import type { Command } from '../team/command.ts'
import { memberNamed, roster, type TeamState, unreadOf } from '../team/state.ts'

/** What is known of the processes that matter to the waiting commands. */
export interface Surroundings {
  readonly gone: ReadonlySet<string>
  /** They cannot be judged from here: another machine or container. */
  readonly unknown: ReadonlySet<string>
}

/** Undefined when there is nobody to ask about, as in most rounds. */
export async function lookAround(
  state: TeamState,
  presence: Presence,
  waiting: readonly { readonly what: object }[],
): Promise<Surroundings | undefined> {
  const gone = new Set<string>()
  const unknown = new Set<string>()
  const asked = new Set<string>([presence.self])
  const look = async (runtime: string | null | undefined) => {
    if (!runtime || asked.has(runtime)) return
    asked.add(runtime)
    const seen = await presence.look(runtime)
    if (seen === 'dead') gone.add(runtime)
    if (seen === 'unknown') unknown.add(runtime)
  }
  const supervisor = state.supervisor.get().runtime
  await look(supervisor)
  // Members are declared lost only by the supervisor, or by whoever finds the supervisor gone.
  if (supervisor !== null && (supervisor === presence.self || gone.has(supervisor))) {
    for (const member of roster(state)) await look(member.runtime)
  }
  for (const { what } of waiting) {
    const command = 'command' in what ? (what.command as Command) : undefined
    if (command?.type !== 'mail.take') continue
    await look(memberNamed(state, command.member)?.runtime)
    for (const unread of unreadOf(state, command.member)) await look(unread.taken?.taker)
  }
  return asked.size > 1 ? { gone, unknown } : undefined
}
