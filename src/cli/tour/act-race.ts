import { readEvent } from '../../team/event.ts'
import { counted } from '../screen.ts'
import { eventsOf } from './chronicle.ts'
import { messages, type Stage } from './stage.ts'
import { tallyOf } from './tally.ts'

/** Everybody reaches for the same task. */
export async function actRace({ story, team, letters, chronicle, cast, voice, prove }: Stage) {
  const { contested, members } = story
  const names = members.map(({ name }) => name)
  await voice.heading('2. All of them reach for the same task')
  for (const name of names) cast.start(name)
  await chronicle.until('every member says that it is there', (so) => {
    const here = messages(so).filter(({ to, content }) => to === 'lead' && content === 'Here I am.')
    return names.every((name) => here.some(({ from }) => from === name))
  })
  const at = String(Date.now() + HEAD_START)
  await letters.send('all', `Take #${contested}, all of you, at the same instant.`, { take: contested, at })

  const claims = () => eventsOf(chronicle, 'task.claimed').filter(({ id }) => id === contested)
  const told = () => messages(chronicle).filter(({ refused, task }) => refused !== undefined && task === contested)
  await chronicle.until('everybody has tried', () => claims().length + told().length >= names.length)

  const winner = claims()[0]?.owner ?? 'nobody'
  const losers = told().map(({ from }) => from)
  await prove(
    `${winner} has it, alone; ${losers.join(' and ')} were told`,
    tallyOf(chronicle).claims.doubled === 0 && claims().length > 0 && !losers.includes(winner),
  )
  const refusedLines = await countRefusedClaims(team, contested)
  if (refusedLines > 0)
    await voice.say(
      `It was close: ${counted(refusedLines, 'late claim stands', 'late claims stand')} behind it in the journal, skipped by all.`,
    )
  return { task: contested, winner, told: losers, refusedLines }
}

/** Time for everybody to read the mail, in milliseconds. */
const HEAD_START = 250

/** Claims that were written in good faith, a moment too late: readers skip them. */
async function countRefusedClaims({ log }: Stage['team'], task: string): Promise<number> {
  let count = 0
  for await (const batch of log.audit()) {
    for (const { verdict, record } of batch) {
      const events = verdict === 'refused' && Array.isArray(record?.events) ? record.events.map(readEvent) : []
      if (events.some((event) => isClaimOf(event, task))) count++
    }
  }
  return count
}

function isClaimOf(event: ReturnType<typeof readEvent>, task: string): boolean {
  return typeof event === 'object' && event.type === 'task.claimed' && event.id === task
}
