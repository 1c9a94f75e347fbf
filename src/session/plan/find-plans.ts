import type { Clock } from '../../journal/clock.ts'
import { openTeam } from '../../journal/team-handle.ts'
import { type PlanStatus, planStatus } from '../../plan/plan-status.ts'
import { isSessionId } from '../../team/members/session-id.ts'
import type { Workspace } from '../../workspace.ts'

export interface TeamPlans {
  readonly team: string
  readonly plans: readonly PlanStatus[]
}

export interface FindPlansOptions {
  readonly clock: Clock
  /** Only plans of this folder, relative to the workspace. */
  readonly folder?: string | undefined
  /** One team that cannot be read does not hide the others. */
  onUnreadable(team: string, error: unknown): Promise<void>
}

/** The loaded plans of every named team of this folder; teams without any are left out. Reads only. */
export async function findPlans({ store }: Workspace, options: FindPlansOptions): Promise<TeamPlans[]> {
  const { clock, folder, onUnreadable } = options
  const found: TeamPlans[] = []
  for (const team of (await store.teams()).filter((name) => !isSessionId(name))) {
    try {
      await using handle = await openTeam(store, team, { clock })
      await handle.refresh()
      const plans = await handle.loadLongTexts(planStatus(handle.state, folder))
      if (plans.length > 0) found.push({ team, plans })
    } catch (error) {
      await onUnreadable(team, error)
    }
  }
  return found
}
