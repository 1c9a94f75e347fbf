import type { Clock } from '../../journal/clock.ts'
import { openTeam } from '../../journal/team-handle.ts'
import type { Plan } from '../../plan/plan.ts'
import { isSessionId } from '../../team/members/session-id.ts'
import type { Workspace } from '../../workspace.ts'
import { folderOf } from './load-plans.ts'

/** The team that works on these plans: one that has loaded them, else the one that is named after their first phase. */
export async function teamOfPlans({ store, workspace }: Workspace, plans: readonly Plan[], clock: Clock) {
  const folders = new Map(plans.map((plan) => [plan.id, folderOf(plan, workspace)]))
  for (const name of (await store.teams()).filter((team) => !isSessionId(team))) {
    await using team = await openTeam(store, name, { clock })
    await team.refresh()
    if (team.state.team.get()?.deleted !== false) continue
    const hasLoaded = [...team.state.plans.values()].some(({ id, folder }) => folders.get(id) === folder)
    if (hasLoaded) return name
  }
  return `phase-${plans[0]?.header.p ?? ''}`
}
