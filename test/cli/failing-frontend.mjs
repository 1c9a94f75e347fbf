import { work } from '../../examples/engineering/agents.mjs'

/** The agents of the example, except that QA of the frontend says FAIL in its artefact. */
export default { parts: [{ times: 'always', compose: ({ turns }) => failing(work(turns)) }] }

function failing(answer) {
  const [call] = answer.calls ?? []
  if (!call?.input.path?.endsWith('/fe-verification.jsonl')) return answer
  const content = call.input.content.replace('PASS', 'FAIL')
  return { ...answer, calls: [{ ...call, input: { ...call.input, content } }] }
}
