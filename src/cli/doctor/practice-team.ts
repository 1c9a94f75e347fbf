import type { Store } from '../../journal/store.ts'
import { openTeam, type TeamHandle } from '../../journal/team-handle.ts'
import type { TaskDraft } from '../../team/task.ts'
import { granted } from '../failure.ts'

/** Members of a team that exists to be tried out; none of them is an agent. */
export const MEMBERS = ['ada', 'bob'] as const

/** A new team with these members and this board, as a person would make it. */
export async function makeTeam(store: Store, name: string, tasks: readonly TaskDraft[] = []): Promise<TeamHandle> {
  const team = await openTeam(store, name)
  granted(await team.run({ type: 'team.create', team: name }))
  for (const member of MEMBERS) granted(await team.run({ type: 'member.join', name: member, role: 'tester' }))
  if (tasks.length > 0) granted(await team.run({ type: 'task.add', tasks }))
  return team
}
