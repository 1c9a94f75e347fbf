import type { Json } from './json.ts'
import { dumpState } from './snapshot.ts'
import type { TeamState } from './state.ts'

/** A record stays far below the 16 MB a line may have. */
const PIECE = 4 * 1024 * 1024

/**
 * A state as a few dumps which, folded one after the other, give it back: what a repaired journal begins with. Each is
 * small enough for one record.
 */
export function restorations(state: TeamState, piece = PIECE): readonly Json[] {
  const { tasks, mail, messages, ...rest } = dumpState(state) as Dump
  const empty = { ...rest, members: [], requests: [], archives: [] }
  const bare = { tasks: [] as Json[], mail: [] as Json[], messages: { young: '', old: '' } }
  const pieces: { [key: string]: Json }[] = [{ ...rest, ...bare }]
  let size = 0
  const put = (key: 'tasks' | 'mail', item: Json) => {
    const bytes = JSON.stringify(item).length
    if (size > 0 && size + bytes > piece) {
      pieces.push({ ...empty, ...bare })
      size = 0
    }
    const last = pieces.at(-1)!
    last[key] = [...(last[key] as Json[]), item]
    size += bytes
  }
  for (const task of tasks) put('tasks', task)
  for (const { name, unread } of mail) for (const item of unread) put('mail', { name, unread: [item] })
  // Loading them replaces what was there, so they go last.
  pieces.push({ ...empty, ...bare, messages })
  return pieces
}

type Dump = { [key: string]: Json } & { tasks: Json[]; mail: { name: string; unread: Json[] }[]; messages: Json }
