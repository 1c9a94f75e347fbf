import { allTasks, claims, isUnblocked, readyTasks } from '../team/board/board.ts'
import { MAX_REMAINING_PATH, remainingPath } from '../team/board/remaining-path.ts'
import { createInvariants } from '../team/fold/invariants.ts'
import { nameKey } from '../team/name.ts'
import { memberNamed, type TeamState, withOneShots } from '../team/state.ts'
import { compareReady, planOf } from '../team/task.ts'

/** Every broken invariant of a team as a sentence; empty when all hold. */
export function brokenInvariants(state: TeamState): string[] {
  return [...createInvariants().atEnd(state), ...brokenIndex(state), ...brokenMail(state)]
}

/** The indexes beside the tasks must agree with the tasks. */
function brokenIndex(state: TeamState): string[] {
  const lengths = longestPaths(state)
  const held = allTasks(state).filter((task) => task.status === 'in_progress')
  const computed = allTasks(state)
    .filter((task) => task.status === 'pending' && isUnblocked(state, task))
    .map((task) => ({ task, path: lengths.get(task.id) ?? 0 }))
    .sort(compareReady)
    .map(({ task }) => task)
  const listed = readyTasks(state)
  const ids = (tasks: readonly { id: string }[]) => tasks.map((task) => task.id).join(' ')
  const stale = listed.filter((task) => state.tasks.get(task.id) !== task)
  return [
    ...(held.length === claims(state).length ? [] : ['the index of claims does not show every claim']),
    ...(ids(computed) === ids(listed) ? [] : [`ready are ${ids(computed)}, listed as ready ${ids(listed)}`]),
    ...allTasks(state).flatMap(({ id }) =>
      remainingPath(state, id) === (lengths.get(id) ?? 0) ? [] : [`the remaining path of task ${id} is wrong`],
    ),
    ...stale.map((task) => `the ready list holds an old version of task ${task.id}`),
  ]
}

/** The remaining paths, worked out from nothing: each pass is right about paths that are one task longer. */
function longestPaths(state: TeamState): Map<string, number> {
  const lengths = new Map<string, number>()
  const open = allTasks(state).filter(({ status }) => status !== 'completed')
  for (let isChanged = true; isChanged; ) {
    isChanged = false
    for (const task of open) {
      const waiting = open.filter(
        ({ blockedBy }) => blockedBy.includes(task.id) || blockedBy.includes(planOf(task.id) ?? task.id),
      )
      const behind = Math.max(0, ...waiting.map(({ id }) => lengths.get(id) ?? 0))
      const length = Math.min((task.estimate ?? 1) + behind, MAX_REMAINING_PATH)
      if (length !== lengths.get(task.id)) isChanged = true
      lengths.set(task.id, length)
    }
  }
  return lengths
}

function brokenMail(state: TeamState): string[] {
  const readers = new Set([...withOneShots(state).map((member) => nameKey(member.name)), 'user'])
  return [...state.mailboxes.entries()].flatMap(([name, mailbox]) => {
    if (mailbox.size === 0) return []
    if (!readers.has(name)) return [`there is mail for ${name}, who is not a member`]
    return memberNamed(state, name)?.status === 'stopped' ? [`there is mail for ${name}, who has stopped`] : []
  })
}
