import { claims } from '../board/board.ts'
import { isLeftToLostOwner } from '../board/decide-claims.ts'
import { settlePaths } from '../board/remaining-path.ts'
import { firstOverlap } from '../board/reservation.ts'
import { readyForRole, type TeamState } from '../state.ts'
import type { Task } from '../task.ts'

/**
 * The tasks that agents of this role could claim now, side by side, in the order they are taken: open to the role, unblocked,
 * not left to a lost owner, and with files that neither a live claim nor an earlier one of them reserves. At most `most`.
 */
export function claimableTasks(state: TeamState, role: string, most: number): Task[] {
  if (most <= 0) return []
  settlePaths(state)
  const reserved = claims(state).map(({ files }) => files)
  const found: Task[] = []
  for (const { task } of readyForRole(state, null, role)) {
    if (isLeftToLostOwner(state, task)) continue
    if (task.files.length > 0 && reserved.some((files) => firstOverlap(task.files, files))) continue
    found.push(task)
    if (found.length === most) break
    reserved.push(task.files)
  }
  return found
}
