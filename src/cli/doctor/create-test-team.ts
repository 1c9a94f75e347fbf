import type { Store } from '../../journal/store.ts'
import { openTeam, type TeamHandle } from '../../journal/team-handle.ts'
import type { TaskDraft } from '../../team/task.ts'
import { granted } from '../program/failure.ts'

/** Members of the test team; none of them is an agent. */
export const TEST_MEMBERS = ['ada', 'bob'] as const

/** Creates a team with the test members and this board, as a user would. */
export async function createTestTeam(
  store: Store,
  name: string,
  tasks: readonly TaskDraft[] = [],
): Promise<TeamHandle> {
  const team = await openTeam(store, name)
  granted(await team.run({ type: 'team.create', team: name }))
  for (const member of TEST_MEMBERS) granted(await team.run({ type: 'member.join', name: member, role: 'tester' }))
  if (tasks.length > 0) granted(await team.run({ type: 'task.add', tasks }))
  return team
}
