// The work by a team of ours: a durable session with a lead and 8 teammates.
import { serveMakespans } from '../makespans.mjs'
import { names, run, withSession } from '../session.mjs'
import { orderFor, taskGraph } from '../task-graph.mjs'

const shape = process.argv[2]
const TEAMMATES = 8
const TURNS = 20

serveMakespans((url, span) =>
  withSession({ url }, (session) =>
    shape === 'separate' ? takeTurns(session, span) : workThroughGraph(session, span),
  ),
)

/** From the moment the tasks are added to a board with idle teammates until the last one is completed. */
async function workThroughGraph(session, span) {
  const tasks = taskGraph(shape === 'varied' ? shape : Number(shape))
  await run(session, spawn('Wait for a task.'))
  await span.begin()
  await session.team.run({
    type: 'task.add',
    tasks: tasks.map(({ id, turns, blockedBy }) => ({
      subject: `task ${id}`,
      description: orderFor(turns),
      blockedBy,
    })),
  })
  let left = tasks.length
  await run(session, undefined, ({ type, event }) => {
    if (type === 'team' && event.type === 'task.completed' && --left === 0) span.end()
  })
  if (left > 0) throw new Error(`the run ended with ${left} open tasks`)
}

/** From the prompt of the lead that spawns the teammates until every result was sent; the lead's own answer is taken off. */
async function takeTurns(session, span) {
  let left = TEAMMATES
  let hasBegun = false
  let begun
  await run(session, spawn(orderFor(TURNS)), ({ type, agent, event }) => {
    if (type === 'answered' && agent === 'lead' && !hasBegun) {
      hasBegun = true
      begun = span.begin()
    }
    if (type !== 'team' || event.type !== 'message.sent' || event.message.type !== 'result') return
    if (--left === 0) span.end()
  })
  await begun
  if (left > 0) throw new Error(`the run ended with ${left} results missing`)
}

function spawn(prompt) {
  return `spawn ${JSON.stringify(names(TEAMMATES).map((name) => ({ name, prompt })))}`
}
