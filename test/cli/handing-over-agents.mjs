import { work } from '../../examples/engineering/agents.mjs'
import { plan } from './planning-leads.mjs'

/**
 * The agents of the example, which also write to each other: everything that their roles hand over, and before it something that their
 * role may not send. The lead first tries to make
 * members of roles that only run one-shot, and of one whose step has not begun.
 */
export default {
  parts: [{ times: 'always', compose: ({ turns }) => handOver(turns) ?? plan(turns) ?? work(turns) }],
}

const about = { plan_id: '03-01' }
const blocker = { task: '03-01/T1', ...about, blocker: 'no schema', needs: 'the schema', attempted: ['read the plan'] }
const progress = { task: '03-01/T1', ...about, commit: 'none', status: 'complete', concerns: [] }
const spec = { ...about, tasks_enriched: 1, concerns: [], committed: false }
const fix = { f: 'src/api/users.ts', ln: 1, issue: 'no limit', fix: 'add one' }
const changes = { ...about, cycle: 1, changes: [fix], must_fix: ['src/api/users.ts:1'], rerun_tests: true }
const counts = { cycle: 1, findings_count: 1, critical: 0, artifact: 'code-review.jsonl', committed: false }
const result = { ...about, result: 'approve', ...counts }

const send = (recipient, type, content) => ({ tool: 'SendMessage', input: { recipient, type, content } })
const handOff = (recipient, type, fields) => send(recipient, type, JSON.stringify(fields))
const start = (input) => ({ tool: 'Task', input: { prompt: 'Look.', ...input } })

/** What an agent whose conversation says this calls, one after the other, before it does its work. */
const CALLS = [
  [
    /Department: backend\. Step 3: planning/,
    [
      start({ name: 'critic' }),
      start({ name: 'qa-early', role: 'qa' }),
      start({ name: 'ada', role: 'scout' }),
      start({ name: 'bob', role: 'yolo-debugger' }),
      start({ agent_type: 'scout', prompt: 'Why is it slow?' }),
    ],
  ],
  [
    /Step 4 design_review of \S+ as senior/,
    [
      { tool: 'TeamCreate', input: { name: 'nested' } },
      handOff('architect-1', 'senior_spec', spec),
      handOff('lead', 'senior_spec', spec),
    ],
  ],
  [
    /<task id=\\"03-01\/T1/,
    [
      handOff('lead', 'senior_spec', spec),
      handOff('lead', 'dev_progress', progress),
      send('architect-1', 'message', 'Which fields?'),
      handOff('senior-1', 'dev_blocker', blocker),
      handOff('senior-1', 'dev_progress', progress),
    ],
  ],
  [
    /Step 7 code_review of \S+ as senior/,
    [
      handOff('lead', 'code_review_changes', changes),
      handOff('dev-1', 'code_review_changes', changes),
      handOff('dev-1', 'code_review_result', result),
      handOff('lead', 'code_review_result', result),
    ],
  ],
]

function handOver(turns) {
  const text = JSON.stringify(turns)
  if (/^.{0,60}Why is it slow\?/.test(text))
    return { text: JSON.stringify({ type: 'scout_findings', findings: ['no index'] }) }
  for (const [at, [when, calls]] of CALLS.entries()) {
    const given = JSON.stringify(turns.filter(({ role }) => role !== 'assistant'))
    if (!when.test(given)) continue
    const next = calls.findIndex((_, i) => !text.includes(`c-${at}-${i}"`))
    if (next !== -1) return { text: '', calls: [{ ...calls[next], id: `c-${at}-${next}` }] }
  }
  return undefined
}
