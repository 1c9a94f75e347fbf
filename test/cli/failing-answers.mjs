import { work } from '../../examples/engineering/agents.mjs'

/**
 * The agents of the example, except that each final answer is a hand-off: developers report their progress, testers that all tests are
 * red, and QA says FAIL although its artefact says PASS.
 */
export default { parts: [{ times: 'always', compose: ({ turns }) => answer(turns) }] }

const COUNTS = { artifact: 'verification.jsonl', committed: false }
const QA = {
  tier: 'standard',
  result: 'FAIL',
  checks: { passed: 1, failed: 1, total: 2 },
  failures: ['no list'],
  ...COUNTS,
}
const TESTS = { plan_id: '03-01', tasks_tested: 1, tasks_skipped: 0, total_tests: 2, all_red: true, ...COUNTS }

function answer(turns) {
  const next = work(turns)
  if (next.text !== 'Done.') return next
  const text = JSON.stringify(turns)
  const [, id] = /<task id=\\"(\d\d-\d\d\/T\d+)/.exec(text) ?? []
  if (id !== undefined)
    return said({
      type: 'dev_progress',
      task: id,
      plan_id: id.slice(0, 5),
      commit: 'none',
      status: 'complete',
      concerns: [],
    })
  if (/Step 8 qa of \S+ as qa[",<\\]/.test(text)) return said({ type: 'qa_result', ...QA })
  if (/as tester/.test(text)) return said(TESTS)
  return next
}

/** As models often write it. */
function said(handOff) {
  return { text: `\`\`\`json\n${JSON.stringify(handOff)}\n\`\`\`` }
}
