import { work } from '../../examples/engineering/agents.mjs'

/**
 * The agents of the example, except that developers answer with a hand-off that has a wrong status. Asked again they write a right one,
 * but not for a task whose name says "stubborn".
 */
export default { parts: [{ times: 'always', compose: ({ turns }) => answer(turns) }] }

function answer(turns) {
  const next = work(turns)
  const text = JSON.stringify(turns)
  const [, id] = /<task id=\\"(\d\d-\d\d\/T\d+)/.exec(text) ?? []
  if (id === undefined || next.text !== 'Done.') return next
  const isRight = text.includes('Your answer was not accepted') && !text.includes('stubborn')
  const status = isRight ? 'complete' : 'ready'
  const [plan_id] = id.split('/')
  return { text: JSON.stringify({ type: 'dev_progress', task: id, plan_id, commit: 'none', status, concerns: [] }) }
}
