import { allTasks, claims, isUnblocked, readyTasks } from '../team/board.ts'
import { nameKey } from '../team/name.ts'
import { firstOverlap } from '../team/reservation.ts'
import { memberNamed, roster, type TeamState } from '../team/state.ts'
import { compareTasks } from '../team/task.ts'

/** What is never true of a team, whatever was tried on it; empty when all is well. */
export function brokenInvariants(state: TeamState): string[] {
  return [...brokenClaims(state), ...brokenDependencies(state), ...brokenReadiness(state), ...brokenMail(state)]
}

function brokenClaims(state: TeamState): string[] {
  const broken: string[] = []
  const held = allTasks(state).filter((task) => task.status === 'in_progress')
  if (held.length !== claims(state).length) broken.push('the index of claims does not show every claim')
  for (const [i, task] of held.entries()) {
    const owner = memberNamed(state, task.owner)
    if (!owner || owner.status === 'stopped' || owner.status === 'lost')
      broken.push(`task ${task.id} is held by ${task.owner}, who is ${owner?.status ?? 'unknown'}`)
    if (owner && owner.generation !== task.generation)
      broken.push(`task ${task.id} is held by an older generation of ${task.owner}`)
    if (!isUnblocked(state, task)) broken.push(`task ${task.id} is held before its dependencies are completed`)
    for (const other of held.slice(i + 1)) {
      if (nameKey(task.owner) === nameKey(other.owner))
        broken.push(`${task.owner} holds both ${task.id} and ${other.id}`)
      const pair = firstOverlap(task.files, other.files)
      if (pair) broken.push(`${task.id} and ${other.id} are both held and overlap: ${pair.join(' and ')}`)
    }
  }
  return broken
}

function brokenDependencies(state: TeamState): string[] {
  const broken: string[] = []
  const waitsFor = (id: string) =>
    state.tasks.get(id)?.blockedBy ?? allTasks(state).flatMap((task) => (task.id.startsWith(`${id}/`) ? [task.id] : []))
  for (const task of allTasks(state)) {
    const seen = new Set<string>()
    const next = [...task.blockedBy]
    for (let id = next.pop(); id !== undefined; id = next.pop()) {
      if (id === task.id) broken.push(`task ${id} waits for itself`)
      if (seen.has(id)) continue
      seen.add(id)
      next.push(...waitsFor(id))
    }
    for (const id of task.blockedBy) {
      if (!state.tasks.has(id) && waitsFor(id).length === 0)
        broken.push(`task ${task.id} waits for ${id}, which is gone`)
    }
  }
  return broken
}

function brokenReadiness(state: TeamState): string[] {
  const computed = allTasks(state)
    .filter((task) => task.status === 'pending' && isUnblocked(state, task))
    .sort(compareTasks)
  const listed = readyTasks(state)
  const ids = (tasks: readonly { id: string }[]) => tasks.map((task) => task.id).join(' ')
  const stale = listed.filter((task) => state.tasks.get(task.id) !== task)
  return [
    ...(ids(computed) === ids(listed) ? [] : [`ready are ${ids(computed)}, listed as ready ${ids(listed)}`]),
    ...stale.map((task) => `the ready list holds an old version of task ${task.id}`),
  ]
}

function brokenMail(state: TeamState): string[] {
  const readers = new Set([...roster(state).map((member) => nameKey(member.name)), 'user'])
  return [...state.mailboxes.entries()].flatMap(([name, mailbox]) => {
    if (mailbox.size === 0) return []
    if (!readers.has(name)) return [`there is mail for ${name}, who is nobody`]
    return memberNamed(state, name)?.status === 'stopped' ? [`there is mail for ${name}, who has stopped`] : []
  })
}
