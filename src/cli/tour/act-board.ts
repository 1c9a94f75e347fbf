import { isRefusal } from '../../team/refusal.ts'
import { granted } from '../failure.ts'
import type { Stage } from './stage.ts'

/** A team, a board, and a plan that would never have ended. */
export async function actBoard({ story, chronicle, voice, run, prove }: Stage): Promise<{ cycle: string }> {
  const { members, tasks, cycle } = story
  await voice.heading('1. A team of scripts, and its board')
  await voice.say(
    `${members.map(({ name, role }) => `${name} (${role})`).join(', ')}: processes of their own, no model in them. All they share is a board and mail, kept in plain files. The tour plays the lead.`,
  )
  granted(await run({ type: 'team.create', team: story.team, description: story.description }))
  for (const { name, role } of members) granted(await run({ type: 'member.join', name, role }))
  granted(await run({ type: 'task.add', tasks }))
  await chronicle.until('the tasks are on the board', ({ state }) => state.tasks.size === tasks.length)
  await voice.board(chronicle.state)

  await voice.say(`The lead makes a mistake: #${cycle.task} shall also wait for #${cycle.waitsFor}.`)
  const answer = await run({ type: 'task.update', id: cycle.task, addBlockedBy: [cycle.waitsFor] })
  const refusal = isRefusal(answer) ? answer : undefined
  await prove(`refused. ${refusal?.message}`, refusal?.refused === 'dependency_cycle')
  return { cycle: refusal?.message ?? '' }
}
