import type { TeamMode } from '../../plan/team-mode.ts'
import type { Organisation } from '../definition/organisation.ts'
import type { ResolvedDepartments } from './resolve-departments.ts'

/** The keys that scripts of the source documents read, each as one line `key=value`. */
export function departmentLines({ departments }: Organisation, resolved: ResolvedDepartments): Record<string, string> {
  const leadsOf = (names: readonly string[]) => names.map((name) => departments.get(name)!.lead).join(',')
  const activity = [...departments].map(([name, { short }]) => [
    `${short}_active`,
    String(resolved.active.includes(name)),
  ])
  return {
    multi_dept: String(resolved.isOwnerActive),
    workflow: resolved.workflow,
    active_depts: resolved.active.join(','),
    // A `|` begins the next wave.
    leads_to_spawn: resolved.waves.map((wave) => leadsOf(wave.departments)).join('|'),
    spawn_order: resolved.order,
    owner_active: String(resolved.isOwnerActive),
    ...Object.fromEntries(activity),
  }
}

/** Which departments are started how, in the JSON of the source documents. */
export interface SpawnPlan {
  readonly team_mode: TeamMode
  readonly waves: readonly {
    readonly id: number
    readonly depts: readonly {
      readonly dept: string
      readonly spawn_strategy: 'spawnTeam' | 'task'
      readonly team_name?: string
    }[]
    /** Several are separated by commas; all must be passed. */
    readonly gate: string
  }[]
  readonly timeout_minutes: number
}

export function spawnPlan(
  organisation: Organisation,
  { waves, active }: ResolvedDepartments,
  mode: TeamMode,
): SpawnPlan {
  const start = (dept: string) =>
    mode === 'teammate'
      ? ({ dept, spawn_strategy: 'spawnTeam', team_name: teamOf(organisation, dept) } as const)
      : ({ dept, spawn_strategy: 'task' } as const)
  return {
    team_mode: mode,
    waves: waves.map(({ id, departments, gates }) => ({ id, depts: departments.map(start), gate: gates.join(',') })),
    timeout_minutes: Math.max(...active.map((name) => organisation.departments.get(name)!.timeoutMinutes)),
  }
}

/** The name of a department's team. */
export function teamOf({ team }: Organisation, department: string): string {
  return team.name.replaceAll('{department}', department)
}
