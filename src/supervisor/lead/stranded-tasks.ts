import type { Order } from '../../journal/replay/order.ts'
import type { TeamHandle } from '../../journal/team-handle.ts'
import { strandedTasksText } from '../../prompts/reports.ts'
import { blockedTasks } from '../../team/board/board.ts'
import type { TeamEvent } from '../../team/event.ts'
import { strandedTasks } from '../../team/progress/lead-wakes.ts'
import { planOf, type Task, type TaskId } from '../../team/task.ts'

/** What the waking of the lead reads of a supervised team. */
export interface WatchedTeam {
  readonly team: Pick<TeamHandle, 'name' | 'state'> & { readonly order?: Pick<Order, 'expects'> | undefined }
  readonly isRecovering: boolean
}

/** Tells the lead of ready tasks that no member can take, of each once as long as that stays so. */
export interface StrandedTasks {
  onEvent(team: string, event: TeamEvent): void
  /** The lead is idle: tells it of those that it has not changed. */
  check(): void
}

/** What is to be looked at in one team: a board may be large, so only what an event can have changed. */
interface Watched {
  /** `undefined`: all ready tasks. */
  candidates: Set<TaskId> | undefined
  /** Tasks that were reported to the lead. */
  readonly reported: Set<TaskId>
}

export function createStrandedTasks({
  teams,
  notify,
}: {
  readonly teams: readonly WatchedTeam[]
  notify(text: string): void
}): StrandedTasks {
  const watched = new Map<string, Watched>()
  const watchedIn = (team: string): Watched => {
    const known = watched.get(team) ?? { candidates: undefined, reported: new Set() }
    watched.set(team, known)
    return known
  }

  /** Of these tasks the ones that are not stranded any more: they are reported again if they become it again. */
  const forget = ({ reported }: Watched, ids: Iterable<TaskId>, stranded: readonly Task[]): void => {
    const still = new Set(stranded.map(({ id }) => id))
    for (const id of [...ids]) if (!still.has(id)) reported.delete(id)
  }

  return {
    onEvent(team, event) {
      const known = watchedIn(team)
      const state = teams.find((one) => one.team.name === team)?.team.state
      if (!state) return
      switch (event.type) {
        case 'task.created':
        case 'task.updated':
        case 'task.released':
        case 'task.reopened':
          known.candidates?.add(event.id)
          return
        case 'task.completed': {
          const plan = planOf(event.id)
          for (const id of blockedTasks(state, event.id)) known.candidates?.add(id)
          for (const id of plan ? blockedTasks(state, plan) : []) known.candidates?.add(id)
          return
        }
        case 'member.joined':
          forget(known, known.reported, strandedTasks(state, known.reported))
          return
        case 'task.deleted':
        case 'member.stopped':
        case 'member.lost':
        case 'team.restored':
          known.candidates = undefined
      }
    },
    check() {
      for (const { team, isRecovering } of teams) {
        const known = watchedIn(team.name)
        // A teammate that was lost may be brought back at once.
        if (isRecovering || known.candidates?.size === 0) continue
        const { candidates } = known
        known.candidates = new Set()
        const found = strandedTasks(team.state, candidates)
        const fresh = found.filter(({ id }) => !known.reported.has(id))
        forget(known, candidates ?? known.reported, found)
        for (const { id } of fresh) known.reported.add(id)
        if (fresh.length > 0) notify(strandedTasksText(fresh, team === teams[0]?.team ? undefined : team.name))
      }
    },
  }
}
