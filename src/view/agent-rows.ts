import { nameKey } from '../team/name.ts'
import { type MemberRow, memberRows } from './member-rows.ts'
import type { View } from './view.ts'

/** Every agent of the session that has not stopped: the lead first, then in the order they joined. */
export function agentRows(view: View, now: number): MemberRow[] {
  return [...view.teams.keys()].flatMap((team, i) =>
    memberRows(view, team, now).filter(({ kind, name }) => kind === 'agent' && (i === 0 || nameKey(name) !== 'lead')),
  )
}
