import { isUnblocked } from '../board/board.ts'
import { cycleAmong, cycleInWords, graphOf } from '../board/dependencies.ts'
import { firstOverlap } from '../board/reservation.ts'
import type { TeamEvent } from '../event.ts'
import { nameKey } from '../name.ts'
import { memberNamed, type TeamState } from '../state.ts'
import { type ClaimedTask, compareIds, planOf } from '../task.ts'

/** Follows a journal record by record and says what can never be true, whichever process wrote it. */
export interface Invariants {
  /** What is broken by the claims among these events, which the state just folded. */
  after(state: TeamState, events: readonly TeamEvent[]): string[]
  /** What is broken at the end. */
  atEnd(state: TeamState): string[]
}

export function createInvariants(): Invariants {
  // Kept beside the board's own index, so that a mistake in that index is seen too.
  const live = new Set<string>()
  const claimed = (state: TeamState, id: string): ClaimedTask | undefined => {
    const task = state.tasks.get(id)
    return task?.status === 'in_progress' ? task : undefined
  }
  const others = (state: TeamState, id: string) =>
    [...live].filter((other) => other !== id).flatMap((other) => claimed(state, other) ?? [])

  return {
    after(state, events) {
      if (events.some((event) => event.type === 'team.restored')) for (const id of held(state)) live.add(id)
      const fresh: string[] = []
      for (const event of events) {
        if (event.type === 'task.claimed' && claimed(state, event.id)) fresh.push(event.id)
      }
      for (const id of [...live]) if (!claimed(state, id)) live.delete(id)
      for (const id of fresh) live.add(id)
      return fresh.flatMap((id) => [
        ...brokenOrder(state, claimed(state, id)!),
        ...brokenClaim(state, claimed(state, id)!, others(state, id)),
      ])
    },
    atEnd(state) {
      const all = held(state).flatMap((id) => claimed(state, id) ?? [])
      return [
        ...all.flatMap((task, i) => brokenClaim(state, task, all.slice(i + 1))),
        ...brokenDependencies(state),
        ...brokenCounters(state),
      ]
    },
  }
}

function held(state: TeamState): string[] {
  return [...state.tasks.values()]
    .filter((task) => task.status === 'in_progress')
    .map((task) => task.id)
    .sort(compareIds)
}

/** Only when it is claimed: the lead may reopen what a task waited for while its owner works on it. */
function brokenOrder(state: TeamState, task: ClaimedTask): string[] {
  return isUnblocked(state, task) ? [] : [`task ${task.id} is held before what it waits for is completed`]
}

function brokenClaim(state: TeamState, task: ClaimedTask, others: readonly ClaimedTask[]): string[] {
  const broken: string[] = []
  const owner = memberNamed(state, task.owner)
  if (!owner || owner.status === 'stopped' || owner.status === 'lost')
    broken.push(`task ${task.id} is held by ${task.owner}, who is ${owner?.status ?? 'not in the team'}`)
  else if (owner.generation !== task.generation)
    broken.push(`task ${task.id} is held by generation ${task.generation} of ${task.owner}, which was replaced`)
  for (const other of others) {
    const [a, b] = compareIds(task.id, other.id) < 0 ? [task, other] : [other, task]
    if (nameKey(a.owner) === nameKey(b.owner)) broken.push(`${a.owner} holds both task ${a.id} and task ${b.id}`)
    const pair = firstOverlap(a.files, b.files)
    if (pair) broken.push(`tasks ${a.id} and ${b.id} are both held and overlap: ${pair[0]} and ${pair[1]}`)
  }
  return broken
}

function brokenDependencies(state: TeamState): string[] {
  const graph = graphOf(state)
  const ids = [...state.tasks.keys()].sort(compareIds)
  const broken = ids.flatMap((id) =>
    (state.tasks.get(id)?.blockedBy ?? [])
      .filter((dependency) => !graph.has(dependency))
      .map((dependency) => `task ${id} waits for ${dependency}, which does not exist`),
  )
  const cycle = cycleAmong(graph, ids)
  return cycle ? [...broken, `tasks wait for each other: ${cycleInWords(cycle)}`] : broken
}

/** A counter that lags behind would give an id a second time. */
function brokenCounters(state: TeamState): string[] {
  const { task, request } = state.counters.get()
  const tasks = [...state.tasks.keys()].filter((id) => !planOf(id) && Number(id) >= task)
  const requests = [...state.requests.keys()].filter((id) => Number(id.slice(1)) >= request)
  return [
    ...tasks.map((id) => `task ${id} exists, but the next new task would be ${task}`),
    ...requests.map((id) => `request ${id} exists, but the next new request would be r${request}`),
  ]
}
