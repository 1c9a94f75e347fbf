import { relative, sep } from 'node:path'
import type { Seat } from '../ports/seat.ts'
import type { Tool, ToolWorld } from '../ports/tool.ts'
import { claims } from '../team/board.ts'
import { nameKey } from '../team/name.ts'
import { firstOverlap } from '../team/reservation.ts'
import type { ClaimedTask } from '../team/task.ts'

/**
 * A tool that writes into a file which a live claim of another member reserves still writes it, but both are told: the
 * writer in the result, the owner by a message, once for each file and assignment.
 */
export function announcingReserved(tools: readonly Tool[]): Tool[] {
  const told = new Set<string>()
  return tools.map((tool) => {
    if (tool.onlyLooks) return tool
    return {
      ...tool,
      async run(input, world) {
        const written: string[] = []
        const result = await tool.run(input, { ...world, onWrite: (path) => void written.push(path) })
        const notes: string[] = []
        for (const path of new Set(written)) notes.push(...(await announce(path, world, told)))
        return notes.length === 0 ? result : { ...result, text: [result.text, ...notes].join('\n') }
      },
    }
  })
}

/** `path` is the real path of what was written, so that no link or other spelling hides it. */
async function announce(path: string, world: ToolWorld, told: Set<string>): Promise<string[]> {
  const name = relative(world.root, path)
  if (name === '' || name === '..' || name.startsWith(`..${sep}`)) return []
  const notes: string[] = []
  for (const team of world.seats?.teams ?? []) {
    const seat = world.seats?.seat(team)
    if (!seat) continue
    await seat.refresh()
    for (const task of reservedBy(seat, name)) {
      const about = `task ${task.id} (${task.subject})`
      notes.push(
        `[${name} is reserved by ${about}, which ${task.owner} works on right now; ${task.owner} is told that you wrote it. Agree with ${task.owner} before you change it again.]`,
      )
      const key = JSON.stringify([team, task.id, task.attempts, name.toLowerCase()])
      if (told.has(key)) continue
      told.add(key)
      const content = `[${world.agent} wrote ${name}, which your ${about} reserves. Read it again before you change it, and agree with ${seat.name} if it must not change.]`
      await seat.send({ to: task.owner, type: 'message', content })
    }
  }
  return notes
}

function reservedBy(seat: Seat, name: string): ClaimedTask[] {
  return claims(seat.state).filter(
    ({ owner, files }) => nameKey(owner) !== nameKey(seat.name) && firstOverlap([name.normalize('NFC')], files),
  )
}
