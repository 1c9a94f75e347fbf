import { work } from '../../examples/engineering/agents.mjs'

/**
 * The agents of the example, with reviewers that do not pass work at once: security says FAIL in the first attempt and WARN
 * in the next one, QA says FAIL in the first cycle.
 */
export default { parts: [{ times: 'always', compose: ({ turns }) => review(turns) }] }

function review(turns) {
  const answer = work(turns)
  const [call] = answer.calls ?? []
  const text = JSON.stringify(turns)
  const write = (content) => ({
    ...answer,
    calls: [{ ...call, input: { ...call.input, content: `${JSON.stringify(content)}\n` } }],
  })
  const path = call?.input.path ?? ''
  if (path.endsWith('security-audit.jsonl'))
    return write({ r: text.includes('attempt 2') ? 'WARN' : 'FAIL', findings: 1, critical: 1 })
  if (path.endsWith('verification.jsonl'))
    return write({ tier: 'standard', r: text.includes('cycle 2') ? 'PASS' : 'FAIL', ps: 1, fl: 1, tt: 2 })
  return answer
}
