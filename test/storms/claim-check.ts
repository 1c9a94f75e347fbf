import type { Board } from './board.ts'
import type { RawRecord } from './raw-journal.ts'

export interface ClaimFindings {
  readonly claims: number
  readonly completed: ReadonlySet<string>
  /** Claims that ended without completion, by why. */
  readonly ended: Readonly<Record<string, number>>
  /** A task that got a second owner, two claims that share a file, a task before its dependencies …: must be empty. */
  readonly wrong: readonly string[]
  /** `task owner generation` of every claim and of every completion that counted. */
  readonly claimedBy: ReadonlySet<string>
  readonly completedBy: ReadonlySet<string>
  /** Runtimes that were declared lost. */
  readonly lost: readonly string[]
}

/** Plays what counted, record by record, against rules written down here a second time. */
export function checkClaims(records: readonly RawRecord[], board: Board): ClaimFindings {
  const holders = new Map<string, string>()
  const holding = new Map<string, string>()
  const runtimes = new Map<string, string>()
  const completed = new Set<string>()
  const claimedBy = new Set<string>()
  const completedBy = new Set<string>()
  const ended: Record<string, number> = {}
  const wrong: string[] = []
  const lost: string[] = []
  let claims = 0

  function claim(id: string, owner: string): void {
    claims++
    if (holders.has(id)) wrong.push(`task ${id} claimed by ${owner} while ${holders.get(id)} holds it`)
    if (completed.has(id)) wrong.push(`task ${id} claimed after its completion`)
    if (holding.has(owner)) wrong.push(`${owner} claimed ${id} while it holds ${holding.get(owner)}`)
    for (const other of board.waitsFor.get(id) ?? []) {
      if (!completed.has(other)) wrong.push(`task ${id} claimed before ${other} was completed`)
    }
    const files = board.files.get(id) ?? new Set()
    for (const other of holders.keys()) {
      const shared = [...(board.files.get(other) ?? [])].find((file) => files.has(file))
      if (shared) wrong.push(`tasks ${id} and ${other} both hold ${shared}`)
    }
    holders.set(id, owner)
    holding.set(owner, id)
  }

  function free(id: string): void {
    holding.delete(holders.get(id) ?? '')
    holders.delete(id)
  }

  for (const { accepted, events, by } of records) {
    if (!accepted) continue
    for (const event of events) {
      switch (event.type) {
        case 'task.claimed':
          claim(event.id, event.owner)
          claimedBy.add(`${event.id} ${event.owner} ${event.generation}`)
          break
        case 'task.completed':
          if (holders.get(event.id) !== by.name) wrong.push(`task ${event.id} completed by ${by.name}, who has it not`)
          completed.add(event.id)
          completedBy.add(`${event.id} ${by.name} ${by.generation ?? 1}`)
          free(event.id)
          break
        case 'task.released':
          ended[event.end] = (ended[event.end] ?? 0) + 1
          free(event.id)
          break
        case 'member.joined':
          if (event.runtime !== null) runtimes.set(event.name, event.runtime)
          break
        case 'member.lost':
          lost.push(runtimes.get(event.name) ?? '')
          if (holding.has(event.name)) wrong.push(`${event.name} was lost and kept task ${holding.get(event.name)}`)
          break
      }
    }
  }
  return { claims, completed, ended, wrong, claimedBy, completedBy, lost }
}
