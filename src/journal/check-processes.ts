import type { Command } from '../team/command.ts'
import { memberNamed, roster, type TeamState, unreadOf } from '../team/state.ts'
import type { Presence } from './log/store.ts'

/** What is known of the processes that matter to the waiting commands. */
export interface ProcessStates {
  readonly dead: ReadonlySet<string>
  /** They cannot be judged from here: another machine or container. */
  readonly unknown: ReadonlySet<string>
}

/** No process had to be checked. */
export const NO_PROCESSES: ProcessStates = { dead: new Set(), unknown: new Set() }

/** Is there anybody to ask about? In a team of scripts there is not, and its rounds need not wait for an answer. */
export function hasProcessesToCheck(state: TeamState, waiting: readonly Waiting[]): boolean {
  if (state.supervisor.get().runtime !== null || waiting.some((entry) => takeOf(entry))) return true
  for (const member of state.members.values()) if (member.runtime !== null) return true
  return false
}

interface Waiting {
  readonly what: object
}

export async function checkProcesses(
  state: TeamState,
  presence: Presence,
  waiting: readonly Waiting[],
): Promise<ProcessStates> {
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
  // Members are declared lost only by the supervisor, or by a process that finds that there is none.
  if (supervisor === null || supervisor === presence.self || gone.has(supervisor)) {
    for (const member of roster(state)) await look(member.runtime)
  }
  for (const entry of waiting) {
    const take = takeOf(entry)
    if (!take) continue
    await look(memberNamed(state, take.member)?.runtime)
    for (const unread of unreadOf(state, take.member)) await look(unread.taken?.taker)
  }
  return asked.size > 1 ? { dead: gone, unknown } : NO_PROCESSES
}

function takeOf({ what }: Waiting): Extract<Command, { type: 'mail.take' }> | undefined {
  const command = 'command' in what ? (what.command as Command) : undefined
  return command?.type === 'mail.take' ? command : undefined
}
