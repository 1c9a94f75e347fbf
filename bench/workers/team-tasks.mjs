// A graph of tasks and workers who take what is ready by themselves. Over when the last task is completed.
import { draft, graph, idealTurns } from '../graph.mjs'
import { bestSpan, found, makespan, names, withSession } from '../team.mjs'

const [workers, length, times] = process.argv.slice(2).map(Number)
const tasks = graph(workers, length)
// Everybody begins with a task in its hands; the others are claimed.
const teammates = names(workers).map((name, i) => ({ name, prompt: 'Work.', task_id: tasks[i].id }))

const best = await bestSpan(times, idealTurns(tasks, workers), (url) =>
  withSession({ url }, async (session) => {
    await session.team.run({ type: 'task.add', tasks: tasks.map(draft) })
    let left = tasks.length
    const isOver = ({ type, event }) => type === 'team' && event.type === 'task.completed' && --left === 0
    return makespan(session, teammates, isOver)
  }),
)
await found(best)
