import type { BoardRow } from '../../view/board-rows.ts'
import { type Drawn, draw, EMPTY, paint, spread } from '../drawing/drawn.ts'

/** More lines beside each other than this are not drawn any more; the ids say what a task waits for. */
const MAX_TRACKS = 12

/**
 * The board as a graph: tasks from top to bottom, each below what it waits for. A track runs down from a task to the last
 * task that waits for it.
 */
export function boardLines(rows: readonly BoardRow[], columns: number): Drawn[] {
  if (rows.length === 0) return [paint.dim('The board is empty.')]
  const lastUse = new Map<string, number>()
  rows.forEach((row, i) => {
    for (const id of row.after) lastUse.set(id, i)
  })
  const tracks: (string | undefined)[] = []
  return rows.map((row, i) => {
    const incoming = tracks.flatMap((id, track) => (id !== undefined && row.after.includes(id) ? [track] : []))
    const ending = incoming.filter((track) => lastUse.get(tracks[track]!) === i)
    const free = ending[0] ?? tracks.indexOf(undefined)
    const own = free === -1 || free === undefined ? tracks.length : free
    const isShown = own < MAX_TRACKS
    const width = Math.min(MAX_TRACKS, Math.max(tracks.length, own + 1))
    let art = ''
    for (let track = 0; track < width; track++) {
      const isPassing = tracks[track] !== undefined && !ending.includes(track)
      const isIncoming = incoming.includes(track)
      const reach = [own, ...incoming]
      const isCrossed = track > Math.min(...reach) && track < Math.max(...reach)
      if (track === own) art += '●'
      else if (isIncoming) art += track > own ? (isPassing ? '┤' : '┘') : isPassing ? '├' : '└'
      else art += isPassing ? (isCrossed ? '┼' : '│') : isCrossed ? '─' : ' '
      art += track < Math.max(...reach) && track >= Math.min(...reach) ? '─' : ' '
    }
    for (const track of ending) tracks[track] = undefined
    if (lastUse.has(row.id)) tracks[own] = row.id
    else if (tracks[own] !== undefined && isShown) tracks[own] = undefined
    while (tracks.length > 0 && tracks.at(-1) === undefined) tracks.pop()
    return spread(draw`${artOf(art, row)} ${subjectOf(row)}`, stateOf(row), columns)
  })
}

function artOf(art: string, { status }: BoardRow): Drawn {
  const [before = '', after = ''] = art.split('●')
  const mark = { pending: '○', in_progress: '●', completed: '✔', failed: '✗' }[status]
  return draw`${paint.dim(before)}${COLOUR[status](mark)}${paint.dim(after)}`
}

const COLOUR = { pending: paint.dim, in_progress: paint.yellow, completed: paint.green, failed: paint.red }

function subjectOf({ id, subject, waitsFor }: BoardRow): Drawn {
  const waits = waitsFor.length === 0 ? EMPTY : paint.dim(`  waits for ${waitsFor.map((one) => `#${one}`).join(', ')}`)
  return draw`#${id} ${subject}${waits}`
}

function stateOf({ status, owner, role }: BoardRow): Drawn {
  const words = status.replaceAll('_', ' ')
  return COLOUR[status](owner ? draw`${words} · ${owner}` : role ? draw`${words} · for ${role}` : draw`${words}`).fit(
    36,
  )
}
