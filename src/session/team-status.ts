import type { Clock } from '../journal/clock.ts'
import type { Presence } from '../journal/log/store.ts'
import { findProgram } from '../permissions/processes/find-program.ts'
import { PROGRAM } from '../permissions/sandbox/probe.ts'
import { taskView } from '../team/answers/view.ts'
import { settled } from '../team/members/breaker.ts'
import { isPresent } from '../team/members/member.ts'
import type { TeamState } from '../team/state.ts'
import { heldBy, roster, unreadOf } from '../team/state.ts'

export type TeamStatus = Awaited<ReturnType<typeof teamStatus>>

/** What a team and its members do right now, for people who watch it. */
export async function teamStatus(
  state: TeamState,
  presence: Presence,
  { clock, env }: { readonly clock: Clock; readonly env: Readonly<Record<string, string | undefined>> },
) {
  const { name, description, session } = state.team.get()!
  const activity = await teamActivity(state, presence)
  const tasks = { pending: 0, in_progress: 0, completed: 0, failed: 0 }
  for (const task of state.tasks.values()) tasks[task.status]++
  const ready = [...state.tasks.values()].filter(
    (task) => task.status === 'pending' && taskView(state, task).waitsFor.length === 0,
  ).length
  const isCutOff = (kind: string, status: string) => activity === 'interrupted' && kind === 'agent' && status !== 'idle'
  return {
    name,
    description,
    /** The session whose lead made it as a further team. */
    session,
    state: activity,
    /** The process that runs it, or did until it was interrupted. */
    runtime: state.supervisor.get().runtime,
    members: roster(state)
      .filter(isPresent)
      .map(({ name, role, kind, status, generation, parked }) => {
        const task = heldBy(state, name)
        const spent = state.spent.get(name.toLowerCase())
        return {
          name,
          role,
          kind,
          // What it did when its process was gone is not what it does.
          status:
            parked !== undefined ? ('parked' as const) : isCutOff(kind, status) ? ('interrupted' as const) : status,
          generation,
          ...(parked !== undefined && { parked }),
          task: task ? { id: task.id, subject: task.subject } : null,
          unread: unreadOf(state, name).length,
          calls: spent?.calls ?? 0,
          cost: spent?.cost ?? 0,
          unpriced: spent?.unpriced ?? 0,
        }
      }),
    tasks: { ...tasks, ready },
    requests: [...state.requests.values()].filter((request) => request.state === 'pending'),
    breaker: settled(state.breaker.get(), clock.now()).state,
    /** Whether this machine has what keeps commands in; `deskmates doctor` tries whether it works. */
    sandbox: findProgram(PROGRAM, env.PATH, []) === undefined ? 'missing' : 'installed',
    deviations: state.deviations.get(),
  }
}

/**
 * at work      a process runs its agents
 * at rest      no process does, and the last one closed the team
 * interrupted  the process ended without closing the team: killed, crashed, or the machine went down
 * unknown      a process on another machine, of which only the lease is known
 */
export type TeamActivity = 'at work' | 'at rest' | 'interrupted' | 'unknown'

export async function teamActivity(state: TeamState, presence: Presence): Promise<TeamActivity> {
  const { runtime } = state.supervisor.get()
  if (runtime === null) return 'at rest'
  const seen = await presence.look(runtime)
  return seen === 'alive' ? 'at work' : seen === 'dead' ? 'interrupted' : 'unknown'
}
