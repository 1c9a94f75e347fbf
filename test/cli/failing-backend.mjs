import { work } from '../../examples/engineering/agents.mjs'

/** The agents of the example, except that developers fail every task below src/api. */
export default { parts: [{ times: 'always', compose: ({ turns }) => failApi(turns) }] }

function failApi(turns) {
  if (JSON.stringify(turns).includes('I cannot do it.')) return { text: 'The task failed.' }
  const answer = work(turns)
  const [call] = answer.calls ?? []
  if (!call?.input.path?.startsWith('src/api')) return answer
  const [, id] = /<task id=\\"(\d\d-\d\d\/T\d+)/.exec(JSON.stringify(turns))
  const input = { taskId: id, status: 'failed', reason: 'the database is missing' }
  return { text: 'I cannot do it.', calls: [{ ...call, tool: 'TaskUpdate', input }] }
}
