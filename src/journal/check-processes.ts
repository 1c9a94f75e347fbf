import type { Command } from '../team/command.ts'
import { memberNamed, type TeamState, unreadOf } from '../team/state.ts'
import type { Presence } from './log/store.ts'

/** The processes that the waiting commands depend on, as far as they are not alive. */
export interface ProcessStates {
  readonly dead: ReadonlySet<string>
  /** Processes of another machine or container, which cannot be checked from here. */
  readonly unknown: ReadonlySet<string>
}

/** No process had to be checked. */
export const NO_PROCESSES: ProcessStates = { dead: new Set(), unknown: new Set() }

/** A team of scripts has no process to check, so its rounds need not wait for the store. */
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
  const dead = new Set<string>()
  const unknown = new Set<string>()
  const checked = new Set<string>([presence.self])
  const check = async (runtime: string | null | undefined) => {
    if (!runtime || checked.has(runtime)) return
    checked.add(runtime)
    const seen = await presence.look(runtime)
    if (seen === 'dead') dead.add(runtime)
    if (seen === 'unknown') unknown.add(runtime)
  }
  const supervisor = state.supervisor.get().runtime
  await check(supervisor)
  // Members are declared lost only by the supervisor, or by a process that finds that there is none.
  if (supervisor === null || supervisor === presence.self || dead.has(supervisor)) {
    // Most members run in this process: a team of a thousand asks about a few.
    for (const { runtime } of state.members.values())
      if (runtime !== null && !checked.has(runtime)) await check(runtime)
  }
  for (const entry of waiting) {
    const take = takeOf(entry)
    if (!take) continue
    await check(memberNamed(state, take.member)?.runtime)
    for (const unread of unreadOf(state, take.member)) await check(unread.taken?.taker)
  }
  return checked.size > 1 ? { dead, unknown } : NO_PROCESSES
}

function takeOf({ what }: Waiting): Extract<Command, { type: 'mail.take' }> | undefined {
  const command = 'command' in what ? (what.command as Command) : undefined
  return command?.type === 'mail.take' ? command : undefined
}
