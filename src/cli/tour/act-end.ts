import { allTasks } from '../../team/board.ts'
import { counted } from '../screen.ts'
import type { Stage } from './stage.ts'
import { tallyOf } from './tally.ts'

interface Checked {
  readonly ok: boolean
  readonly records: number
  readonly refused: number
  readonly torn: number
}

/** The rest of the work, and what the journal says about it all. */
export async function actEnd({ story, letters, chronicle, cast, voice, deskmates, prove }: Stage) {
  await voice.heading('7. The rest, and the count')
  await chronicle.until('every task is done', ({ state }) =>
    allTasks(state).every(({ status }) => status === 'completed'),
  )
  await letters.send('all', 'That was all. Thank you!', { home: 'yes' })
  await cast.gone()
  await letters.take()
  const unread = ({ state }: Stage['chronicle']) =>
    [...state.mailboxes.values()].reduce((sum, box) => sum + box.size, 0)
  await chronicle.until('all mail is read', (so) => unread(so) === 0)
  await voice.board(chronicle.state)

  const tally = tallyOf(chronicle)
  const kills = cast.killed()
  const { tasks, messages } = tally
  await prove(
    `${counted(tasks.total, 'task')}: ${tasks.completed} done, ${tasks.lost} lost, ${tasks.doubled} done twice, ${tally.claims.doubled} held by two`,
    tasks.completed === story.tasks.length + 1 && tasks.lost + tasks.doubled + tally.claims.doubled === 0,
  )
  await prove(
    `${counted(messages.sent, 'message')}, read ${messages.delivered} times: ${messages.lost} lost, ${messages.doubled} read twice by one reader`,
    messages.external === 1 && messages.lost + messages.doubled + messages.unread === 0,
  )
  await prove(
    `${counted(kills, 'process', 'processes')} killed, ${counted(tally.leasesEnded, 'claim')} ended by its lease`,
    kills === 1 && tally.leasesEnded >= 1,
  )
  const check = (await deskmates('check')) as Checked
  await prove(
    `deskmates check: all is well (${check.records} lines count, ${check.refused} lost a race, ${check.torn} torn)`,
    check.ok,
  )
  return {
    ...tally,
    kills,
    check: { ok: check.ok, records: check.records, refused: check.refused, torn: check.torn },
  }
}
