import { allTasks, claims, isUnblocked, readyTasks } from '../team/board/board.ts'
import { createInvariants } from '../team/fold/invariants.ts'
import { nameKey } from '../team/name.ts'
import { memberNamed, roster, type TeamState } from '../team/state.ts'
import { compareTasks } from '../team/task.ts'

/** Every broken invariant of a team as a sentence; empty when all hold. */
export function brokenInvariants(state: TeamState): string[] {
  return [...createInvariants().atEnd(state), ...brokenIndex(state), ...brokenMail(state)]
}

/** The indexes beside the tasks must agree with the tasks. */
function brokenIndex(state: TeamState): string[] {
  const held = allTasks(state).filter((task) => task.status === 'in_progress')
  const computed = allTasks(state)
    .filter((task) => task.status === 'pending' && isUnblocked(state, task))
    .sort(compareTasks)
  const listed = readyTasks(state)
  const ids = (tasks: readonly { id: string }[]) => tasks.map((task) => task.id).join(' ')
  const stale = listed.filter((task) => state.tasks.get(task.id) !== task)
  return [
    ...(held.length === claims(state).length ? [] : ['the index of claims does not show every claim']),
    ...(ids(computed) === ids(listed) ? [] : [`ready are ${ids(computed)}, listed as ready ${ids(listed)}`]),
    ...stale.map((task) => `the ready list holds an old version of task ${task.id}`),
  ]
}

function brokenMail(state: TeamState): string[] {
  const readers = new Set([...roster(state).map((member) => nameKey(member.name)), 'user'])
  return [...state.mailboxes.entries()].flatMap(([name, mailbox]) => {
    if (mailbox.size === 0) return []
    if (!readers.has(name)) return [`there is mail for ${name}, who is not a member`]
    return memberNamed(state, name)?.status === 'stopped' ? [`there is mail for ${name}, who has stopped`] : []
  })
}
