import { applyEvent } from '../apply.ts'
import type { Json } from '../data/json.ts'
import type { EventOf } from '../event.ts'
import { emptyState, type TeamState } from '../state.ts'
import { dumpState } from './snapshot.ts'

/** A record stays far below the 16 MB a line may have. */
const PIECE = 4 * 1024 * 1024

/**
 * A state as a few dumps which, folded one after the other, give it back: what a repaired journal begins with. Each is
 * small enough for one record. Where in the old journal a task changed last means nothing in the new one, which is
 * shorter: 0 is before all that happens there, or a view would take the next change of the task for an older one.
 */
export function restorations(state: TeamState, piece = PIECE): readonly Json[] {
  const { tasks, mail, messages, ...rest } = unplaced(dumpState(state))
  // Loading a piece replaces each of these whole, so every piece holds them.
  const {
    team: _1,
    supervisor: _2,
    counters: _3,
    breaker: _4,
    deviations: _5,
    leads: _6,
    ...nothing
  } = dumpState(emptyState()) as Dump
  const pieces: Dump[] = [{ ...rest, tasks: [], mail: [], messages: nothing.messages } as Dump]
  let size = 0
  const put = (bytes: number, add: (last: Dump) => void) => {
    if (size > 0 && size + bytes > piece) {
      pieces.push({ ...rest, ...nothing, tasks: [], mail: [] } as Dump)
      size = 0
    }
    add(pieces.at(-1)!)
    size += bytes
  }
  for (const task of tasks) put(JSON.stringify(task).length, (last) => last.tasks.push(task))
  for (const { name, unread } of mail)
    for (const item of unread) put(JSON.stringify(item).length, (last) => last.mail.push({ name, unread: [item] }))
  // Loading these replaces what was there, so they go last.
  if (size + JSON.stringify(messages).length > piece) pieces.push({ ...rest, ...nothing } as Dump)
  pieces.at(-1)!.messages = messages
  if (contents(folded(pieces)) !== contents(state))
    throw new Error('The state could not be written so that it can be read back.')
  return pieces
}

type Dump = { [key: string]: Json } & {
  tasks: { [key: string]: Json }[]
  mail: { name: string; unread: Json[] }[]
  messages: Json
}

function unplaced(dump: Json): Dump {
  const { tasks, ...rest } = dump as Dump
  return { ...rest, tasks: tasks.map((task) => ({ ...task, seq: 0 })) } as Dump
}

function folded(pieces: readonly Json[]): TeamState {
  const state = emptyState()
  const place = { seq: 0, id: '', at: 0, by: { name: 'user' } }
  for (const piece of pieces) {
    const event = { type: 'team.restored', state: piece, lost: [], from: '' } as EventOf<'team.restored'>
    applyEvent(state, event, place, [])
  }
  return state
}

/** An empty mailbox equals none, and the order of members does not matter. */
function contents(state: TeamState): string {
  const dump = unplaced(dumpState(state))
  const mail = dump.mail.filter(({ unread }) => unread.length > 0)
  return JSON.stringify({ ...dump, mail }, (_, value) =>
    typeof value === 'object' && value !== null && !Array.isArray(value)
      ? Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)))
      : value,
  )
}
