import type { Plan, Problem } from '../../plan/plan.ts'
import { firstOverlap, normalisePattern } from '../../team/board/reservation.ts'

export interface AssignedPlans {
  /** By department; those without plans have none. */
  readonly plans: ReadonlyMap<string, readonly Plan[]>
  readonly problems: readonly Problem[]
}

/**
 * Which department works on which plan: the one whose folders its tasks change. A department that works alone has all of
 * them.
 */
export function assignPlans(
  plans: readonly Plan[],
  departments: readonly { readonly name: string; readonly folders: readonly string[] }[],
): AssignedPlans {
  const assigned = new Map<string, Plan[]>(departments.map(({ name }) => [name, []]))
  const problems: Problem[] = []
  for (const plan of plans) {
    const owners = departments.length === 1 ? departments : departments.filter(({ folders }) => touches(plan, folders))
    const [owner] = owners
    if (owner && owners.length === 1) assigned.get(owner.name)?.push(plan)
    else problems.push(unclear(plan, owners.length > 1 ? owners : departments, owners.length > 1))
  }
  return { plans: assigned, problems }
}

function touches({ tasks }: Plan, folders: readonly string[]): boolean {
  const patterns = (paths: readonly string[]) => paths.flatMap((path) => normalisePattern(path) ?? [])
  return firstOverlap(patterns(tasks.flatMap(({ f }) => f)), patterns(folders)) !== undefined
}

function unclear(plan: Plan, departments: readonly { name: string; folders: readonly string[] }[], isShared: boolean) {
  const names = departments.map(({ name, folders }) => `${name} (${folders.join(', ')})`).join(', ')
  return {
    file: plan.path,
    line: 1,
    problem: isShared
      ? `its tasks change files of several departments: ${departments.map(({ name }) => name).join(', ')}`
      : 'its tasks change no file in a folder of an active department',
    fix: isShared
      ? 'Make one plan for each department.'
      : `Name files below one of these in "f", or change "folders" of the organisation: ${names}.`,
  }
}
