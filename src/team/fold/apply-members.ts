import { putTask } from '../board/board.ts'
import type { Place, TeamEvent } from '../event.ts'
import { dropStaleControl, returnMail } from '../mail/mail.ts'
import type { Effect } from '../message.ts'
import { nameKey } from '../name.ts'
import { memberNamed, type TeamState } from '../state.ts'

type MemberEvent = Extract<TeamEvent, { type: `member.${string}` }>

export function applyMemberEvent(state: TeamState, event: MemberEvent, place: Place, effects: Effect[]): void {
  const key = nameKey(event.name)
  const before = memberNamed(state, event.name)
  if (event.type === 'member.joined') {
    const { type: _, profile = null, ...facts } = event
    const counters = state.counters.get()
    if (!before) state.counters.set({ ...counters, place: counters.place + 1 })
    state.members.set(key, { ...facts, profile, joinedAt: place.at, place: before?.place ?? counters.place })
    return dropStaleControl(state, event.name, effects)
  }
  if (!before || before.generation !== event.generation) return
  const { parked, ...unparked } = before
  switch (event.type) {
    case 'member.stopped':
      state.members.set(key, { ...unparked, status: 'stopped', runtime: null })
      freeAssignments(state, event.name, place)
      return returnMail(state, event.name, place, effects)
    case 'member.lost':
      return state.members.set(key, { ...unparked, status: 'lost', runtime: null })
    case 'member.parked':
      return state.members.set(key, { ...before, status: 'idle', runtime: null, parked: event.reason })
    case 'member.activity':
      // Stopped, stopping, lost and parked are sticky: a turn that ends late must not bring a member back.
      if (parked !== undefined) return
      if (['stopped', 'stopping', 'lost'].includes(before.status)) return
      return state.members.set(key, { ...before, status: event.status })
    default:
      event satisfies never
  }
}

function freeAssignments(state: TeamState, name: string, place: Place): void {
  const key = nameKey(name)
  for (const task of [...state.tasks.values()]) {
    if (task.status === 'pending' && task.assignee !== null && nameKey(task.assignee) === key) {
      putTask(state, task.id, { ...task, assignee: null, seq: place.seq })
    }
  }
}
