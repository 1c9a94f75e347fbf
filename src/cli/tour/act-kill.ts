import { unreadOf } from '../../team/state.ts'
import { eventsOf } from './chronicle.ts'
import { messages, placeOf, type Stage } from './stage.ts'

/** A process dies in the middle of its task. */
export async function actKill({ story, chronicle, cast, voice, prove }: Stage) {
  const { reviewed, lease } = story
  const { from: member } = await chronicle.until('', (so) => messages(so).findLast(({ review }) => review === reviewed))
  await voice.heading(`4. kill -9 in the middle of #${reviewed}`)
  await voice.board(chronicle.state)
  const signal = await cast.kill(member)
  const task = chronicle.state.tasks.get(reviewed)
  await prove(`${member}'s process is gone (${signal}), with #${reviewed} half done in its hands`, signal === 'SIGKILL')
  await prove(
    `the board still says ${member}; without a renewal that ends ${lease} s after the last one`,
    task?.status === 'in_progress' && task.owner === member && task.leaseUntil !== null,
  )
  return { member, task: reviewed, signal }
}

/** Its successor finds the task, and the mail that came while nobody was there. */
export async function actHeir({ story, team, letters, chronicle, cast, voice, prove }: Stage, member: string) {
  const { reviewed, late } = story
  await voice.heading(`6. The lease ends, and ${member} comes back`)
  const id = await letters.send(member, 'Good. Add this line and it is done.', { reviewed })
  await team.refresh()
  const waits = unreadOf(team.state, member).some(({ message }) => message.id === id)
  await prove('the lead answers a dead process: the mail waits in its mailbox', waits)
  // Before that the claim would simply be gone on with: it is the member's, not the process's.
  await chronicle.until(`the lease of #${reviewed} ends`, (so) => placeOf(so, 'task.released', reviewed) >= 0)
  const pid = cast.start(member)
  await voice.say(`A new process (${pid}) starts under the name ${member}.`)
  await chronicle.until(`#${reviewed} is finished after all`, (so) => placeOf(so, 'task.completed', reviewed) >= 0)

  const read = eventsOf(chronicle, 'message.delivered').filter(({ ids }) => ids.includes(id)).length
  const ended = eventsOf(chronicle, 'task.released').find((event) => event.id === reviewed)
  const claims = eventsOf(chronicle, 'task.claimed').filter((event) => event.id === reviewed).length
  await prove(
    `its claim ended by its lease, was taken again, and #${reviewed} was finished once`,
    ended?.end === 'lease ended' && claims >= 2 && finished(chronicle, reviewed) === 1,
  )
  await prove('the mail that waited was read, once', read === 1)

  const lateId = [...chronicle.state.tasks.values()].find(({ subject }) => subject === late.draft.subject)?.id ?? ''
  await chronicle.until(`#${lateId} is taken`, (so) => placeOf(so, 'task.claimed', lateId) >= 0)
  await prove(
    `#${lateId} was taken only when nobody held #${reviewed} and its files`,
    !isHeldWhenTaken(chronicle, reviewed, lateId),
  )
  const owner = chronicle.state.tasks.get(reviewed)
  return { pid, finishedBy: owner?.status === 'completed' ? owner.owner : null }
}

function finished(chronicle: Stage['chronicle'], task: string): number {
  return eventsOf(chronicle, 'task.completed').filter(({ id }) => id === task).length
}

/** Did somebody hold `task` at the place where `other` was taken first? */
function isHeldWhenTaken({ all }: Stage['chronicle'], task: string, other: string): boolean {
  let isHeld = false
  for (const event of all.flatMap(({ events }) => events)) {
    if (event.type === 'task.claimed' && event.id === other) return isHeld
    if (event.type === 'task.claimed' && event.id === task) isHeld = true
    if ((event.type === 'task.released' || event.type === 'task.completed') && event.id === task) isHeld = false
  }
  return isHeld
}
