import { granted } from '../failure.ts'
import { eventsOf } from './chronicle.ts'
import { messages, type Stage } from './stage.ts'

/** They work, ask each other, and keep out of each other's files. */
export async function actWork(stage: Stage) {
  await stage.voice.heading('3. They work, and talk to each other')
  const asked = await watchQuestion(stage)
  const overlap = await watchOverlap(stage)
  return { asked, overlap }
}

async function watchQuestion({ chronicle, prove }: Stage) {
  const { question, answer } = await chronicle.until('a member asks another one and gets an answer', (so) => {
    const question = messages(so).find(({ asks }) => asks !== undefined)
    const answer = question && messages(so).find(({ answers }) => answers === question.id)
    return answer && { question, answer }
  })
  const wasRead = await chronicle.until('the answer is read', (so) =>
    eventsOf(so, 'message.delivered').find(({ member, ids }) => member === question.from && ids.includes(answer.id)),
  )
  const isDirect = answer.from === question.to && answer.to === question.from
  await prove(`${question.from} asked ${question.to} directly, waited, and has the answer`, isDirect && !!wasRead)
  return { from: question.from, to: question.to, answer: answer.content }
}

async function watchOverlap({ story, letters, chronicle, voice, run, prove }: Stage) {
  const { late, reviewed } = story
  await chronicle.until(`#${reviewed} waits for a word of the lead`, (so) =>
    messages(so).find(({ review }) => review === reviewed),
  )
  const { tasks: [added] = [] } = granted(await run({ type: 'task.add', tasks: [late.draft] }))
  const id = added?.id ?? ''
  granted(await run({ type: 'task.update', id: late.before, addBlockedBy: [id] }))
  await voice.say(
    `The lead adds #${id} ${added?.subject} (${added?.files.join(', ')}) and #${late.before} now waits for it.`,
  )
  await letters.send(late.to, `Please take #${id} next.`, { take: id })
  const told = await chronicle.until(`${late.to} tries to take #${id}`, (so) =>
    messages(so).find(({ from, task, refused }) => from === late.to && task === id && refused !== undefined),
  )
  await prove(`${late.to} has to wait: two live claims never overlap in files`, told.refused === 'files_overlap')
  return { task: id, member: late.to, told: told.content }
}
