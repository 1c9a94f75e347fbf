import type { Presence } from '../ports/store.ts'
import type { Command } from '../team/command.ts'
import { roster, type TeamState, unreadOf } from '../team/state.ts'

/** Which of the processes that matter to the waiting commands are gone, and which cannot be judged from here. */
export async function lookAround(
  state: TeamState,
  presence: Presence,
  waiting: readonly { readonly what: object }[],
): Promise<{ gone: ReadonlySet<string>; unknown: ReadonlySet<string> }> {
  const gone = new Set<string>()
  const unknown = new Set<string>()
  const look = async (runtime: string | null | undefined) => {
    if (!runtime || runtime === presence.self || gone.has(runtime) || unknown.has(runtime)) return
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
  for (const entry of waiting) {
    const command = 'command' in entry.what ? (entry.what.command as Command) : undefined
    if (command?.type !== 'mail.take') continue
    await look(state.members.get(command.member.toLowerCase())?.runtime)
    for (const unread of unreadOf(state, command.member)) await look(unread.taken?.taker)
  }
  return { gone, unknown }
}
