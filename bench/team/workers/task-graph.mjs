// Teammates that claim the ready tasks of a graph by themselves. Ends when the last task is completed.
import { bestSpan, makespan, names, report, withSession } from '../session.mjs'
import { draft, idealTurns, taskGraph } from '../task-graph.mjs'

const [workers, length, times] = process.argv.slice(2).map(Number)
const tasks = taskGraph(workers, length)
// Each begins with a task assigned; the others are claimed.
const teammates = names(workers).map((name, i) => ({ name, prompt: 'Work.', task_id: tasks[i].id }))

const best = await bestSpan(times, idealTurns(tasks, workers), (url) =>
  withSession({ url }, async (session) => {
    await session.team.run({ type: 'task.add', tasks: tasks.map(draft) })
    let left = tasks.length
    const isOver = ({ type, event }) => type === 'team' && event.type === 'task.completed' && --left === 0
    return makespan(session, teammates, isOver)
  }),
)
await report(best)
