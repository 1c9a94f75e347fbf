import type { Clock } from '../../journal/clock.ts'
import { openTeam } from '../../journal/team-handle.ts'
import { isSessionId } from '../../team/members/session-id.ts'
import { nameKey } from '../../team/name.ts'
import type { LoadedPlan } from '../../team/plans/plan.ts'
import type { Workspace } from '../../workspace.ts'

export interface PlanElsewhere {
  readonly team: string
  readonly plan: LoadedPlan
}

/** The plans that other named teams have loaded. A deleted team has none; one that cannot be read is left out with a warning. */
export async function plansOfOtherTeams(
  { store }: Pick<Workspace, 'store'>,
  { team, clock }: { readonly team: string; readonly clock: Clock },
): Promise<PlanElsewhere[]> {
  const names = (await store.teams()).filter((name) => !isSessionId(name) && nameKey(name) !== nameKey(team))
  const found: PlanElsewhere[] = []
  for (const name of names) {
    try {
      await using handle = await openTeam(store, name, { clock })
      await handle.refresh()
      if (handle.state.team.get()?.deleted !== false) continue
      for (const plan of handle.state.plans.values()) found.push({ team: name, plan })
    } catch {
      store.warn?.(`The plans of team ${name} could not be read.`)
    }
  }
  return found
}
