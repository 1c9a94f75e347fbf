import { work } from '../../examples/engineering/agents.mjs'
import { plan } from './planning-leads.mjs'

/**
 * The agents of the example, and each tells the others what its role hands over: first to recipients, or with a content, that the
 * organisation does not allow, then rightly. `WRONG` and `RIGHT` are what they send, by role and step.
 */
export default { parts: [{ times: 'always', compose: ({ agent, turns }) => answer(agent, turns) }] }

const artefact = (artifact) => ({ artifact, committed: true })
const PROGRESS = { task: '03-01/T1', plan_id: '03-01', commit: 'abc1234', status: 'complete', concerns: ['slow'] }
const BLOCKER = { task: '03-01/T1', plan_id: '03-01', blocker: 'no data', needs: 'a fixture', attempted: ['seeds'] }
const ESCALATION = { issue: 'no data', evidence: ['log line 3'], recommendation: 'add a fixture', severity: 'blocking' }
const DESIGN = {
  ...{ phase: '03', decisions: [{ decision: 'REST', rationale: 'known', alternatives: ['RPC'] }] },
  ...{ risks: [{ risk: 'load', impact: 'slow', mitigation: 'cache' }], ...artefact('architecture.toon') },
}
const SPEC = { plan_id: '03-01', tasks_enriched: 1, concerns: [], committed: true }
const TESTS = {
  ...{ plan_id: '03-01', tasks_tested: 1, tasks_skipped: 0, total_tests: 2, all_red: true },
  ...artefact('test-plan.jsonl'),
}
const CHANGES = {
  ...{ plan_id: '03-01', cycle: 1, changes: [{ f: 'src/api/users.ts', ln: 1, issue: 'no limit', fix: 'add one' }] },
  ...{ must_fix: ['src/api/users.ts:1'], rerun_tests: true },
}
const REVIEW = {
  ...{ plan_id: '03-01', result: 'approve', cycle: 1, findings_count: 1, critical: 0 },
  ...artefact('code-review.jsonl'),
}
const VERDICT = { tier: 'standard', result: 'PASS', failures: [] }
const QA = { ...VERDICT, checks: { passed: 2, failed: 0, total: 2 }, ...artefact('verification.jsonl') }
const QA_CODE = {
  ...{ ...VERDICT, tests: { passed: 2, failed: 0, skipped: 0 }, lint: { errors: 0, warnings: 0 } },
  ...artefact('qa-code.jsonl'),
}
const AUDIT = { result: 'PASS', findings: 0, critical: 0, categories: {}, artifact: 'security-audit.jsonl' }
const ENVELOPE = { id: 'b1', type: 'dev_blocker', phase: '03', task: '03-01/T1', schema_version: 1, confidence: 0.5 }
/** The level above is a role; the recipient is the member that has it. */
const up = (from, to, more, ...refusal) => [
  ...['escalation', to, { from, to: to.replace(/-1$/, ''), ...ESCALATION, ...more }],
  ...refusal,
]

/** What is refused, with words of the refusal. */
export const WRONG = {
  'architect 2': [
    ['architecture_design', 'user', DESIGN, 'to lead only, not to user. Allowed recipients: lead.'],
    [
      'architecture_design',
      'lead',
      { ...DESIGN, risks: [{ risk: 'load' }] },
      'not a valid architecture_design: risks.0.',
    ],
    ['dev_progress', 'lead', PROGRESS, 'architect-1 (architect) does not send dev_progress. It sends'],
  ],
  'lead 3': [
    ['message', 'user', 'May we begin?', 'not to user'],
    ['message', 'yolo-fe-lead', 'Which fields do you need?', 'not to yolo-fe-lead'],
    ['circuit_breaker_state', 'architect-1', '{}', 'circuit_breaker_state is derived from the journal'],
    ['summary_aggregation', 'architect-1', '{}', 'summary_aggregation is derived from the journal'],
    ['agent_health_event', 'architect-1', '{}', 'agent_health_event is derived from the journal'],
    ['owner_signoff', 'architect-1', '{}', 'lead (lead) does not send owner_signoff'],
    ['owner_review', 'architect-1', '{}', 'lead (lead) does not send owner_review'],
    up('lead', 'owner', {}, 'to architect only, not to owner. Allowed recipients: architect-1.'),
  ],
  'senior 4': [
    ['senior_spec', 'architect-1', SPEC, 'not to architect-1 (architect). Allowed recipients: lead.'],
    ['message', 'architect-1', 'Is it right?', 'not to architect-1 (architect). Allowed recipients: lead.'],
  ],
  'tester 5': [
    ['test_plan_result', 'lead', TESTS, 'to senior only, not to lead. Allowed recipients: senior-1.'],
    ['test_plan_result', 'senior-1', { ...TESTS, all_red: 'yes' }, 'not a valid test_plan_result: all_red'],
  ],
  'dev 6': [
    ['dev_progress', 'lead', PROGRESS, 'to senior only, not to lead. Allowed recipients: senior-1.'],
    ['dev_progress', 'architect-1', PROGRESS, 'not to architect-1 (architect). Allowed recipients: senior-1.'],
    ['dev_progress', 'senior', PROGRESS, 'senior is a role, not a member: name the member that has it. Allowed'],
    ['dev_progress', 'senior-1', 'I am done', 'not a valid dev_progress: content: is not a JSON object'],
    ['dev_progress', 'senior-1', { ...PROGRESS, status: 'done' }, 'status: is not one of complete, partial, failed'],
    ['dev_blocker', 'lead', BLOCKER, 'to senior only, not to lead'],
    ['dev_blocker', 'senior-1', { ...ENVELOPE, author_role: 'lead', payload: BLOCKER }, 'you are dev, not "lead"'],
    ['qa_result', 'lead', QA, 'dev-1 (dev) does not send qa_result'],
    ['task_claim', 'lead', '{}', 'task_claim is derived from the journal'],
    ['task_complete', 'lead', '{}', 'task_complete is derived from the journal'],
    up('dev', 'lead', {}, 'to senior only, not to lead. Allowed recipients: senior-1.'),
    up('dev', 'senior-1', { evidence: [] }, 'not a valid escalation: evidence: must not be empty'),
    up('dev', 'senior-1', { recommendation: '' }, 'not a valid escalation: recommendation'),
    ['message', 'user', 'Hello', 'to senior only, not to user'],
    ['message', 'owner', 'Hello', 'to senior only, not to owner'],
    ['message', 'yolo-fe-dev', 'Hello', 'to senior only, not to yolo-fe-dev'],
    ['message', 'zoe', 'Hello', 'to senior only, not to zoe'],
    ['broadcast', undefined, 'Hello', 'Allowed recipients: senior-1.'],
  ],
  'senior 7': [
    ['code_review_result', 'dev-1', REVIEW, 'to lead only, not to dev-1 (dev)'],
    ['code_review_changes', 'lead', CHANGES, 'to dev only, not to lead. Allowed recipients: dev-1.'],
    ['code_review_changes', 'dev-1', { ...CHANGES, must_fix: ['here'] }, 'not a valid code_review_changes: must_fix.0'],
  ],
  'qa 8': [['qa_result', 'senior-1', QA, 'to lead only, not to senior-1 (senior)']],
  'qa-code 8': [['qa_code_result', 'dev-1', QA_CODE, 'to lead only, not to dev-1 (dev)']],
  'security 9': [
    ['security_audit', 'senior-1', AUDIT, 'to lead only, not to senior-1 (senior)'],
    up('security', 'owner', {}, 'to lead only, not to owner'),
  ],
}

/** What is delivered, or recorded for the owner. */
export const RIGHT = {
  'architect 2': [['architecture_design', 'lead', DESIGN], up('architect', 'owner')],
  'lead 3': [['message', 'architect-1', 'Which API is it?'], up('lead', 'architect-1')],
  'senior 4': [['senior_spec', 'lead', SPEC], up('senior', 'lead')],
  'tester 5': [['test_plan_result', 'senior-1', TESTS], up('tester', 'senior-1')],
  'dev 6': [
    ['dev_progress', 'senior-1', PROGRESS],
    ['dev_blocker', 'senior-1', { ...ENVELOPE, author_role: 'dev', payload: BLOCKER }],
    ['message', 'senior-1', 'Which limit?'],
    up('dev', 'senior-1'),
  ],
  'senior 7': [
    ['code_review_changes', 'dev-1', CHANGES],
    ['code_review_result', 'lead', REVIEW],
  ],
  'qa 8': [['qa_result', 'lead', QA]],
  'qa-code 8': [['qa_code_result', 'lead', QA_CODE], up('qa-code', 'lead')],
  'security 9': [['security_audit', 'lead', AUDIT], up('security', 'owner', { result: 'FAIL' })],
}

/** What agents that are no members answer: a hand-off, or plain text. */
export const ANSWERS = {
  critic: { type: 'critique_result', phase: '03', findings: 1, critical: 0, artifact: 'critique.jsonl' },
  scout: { type: 'scout_findings', findings: [{ source: 'src/api', text: 'empty' }] },
  debugger: 'There is no defect.',
}

function answer(agent, turns) {
  const asked = JSON.stringify(turns.filter(({ role }) => role !== 'assistant'))
  const done = JSON.stringify(turns.filter(({ role }) => role === 'assistant'))
  for (const name of ['scout', 'debugger']) if (asked.includes(`You are the ${name} now`)) return said(ANSWERS[name])
  const place = placeOf(agent, asked)
  const escalated = /<message from=\\"(dev-1|tester-1)\\" type=\\"escalation/.exec(JSON.stringify(turns.at(-1)))?.[1]
  if (escalated && agent === 'senior-1')
    return { text: 'I answer', calls: [{ ...sent('message', escalated, 'I add a fixture.'), id: `a${turns.length}` }] }
  if (RIGHT[place] && !done.includes(`As ${place}`)) return { text: `As ${place}`, calls: calls(place, turns.length) }
  const next = plan(turns) ?? work(turns)
  return /as critic/.test(asked) && next.text === 'Done.' ? said(ANSWERS.critic) : next
}

/** The role of an agent and the last step that it was asked to do: `senior 7`. */
function placeOf(agent, asked) {
  const [, planning] = /Department: \w+\. Step (3): planning/.exec(asked) ?? []
  if (planning) return 'lead 3'
  if (/^dev-\d+$/.test(agent)) return asked.includes('<task id=') ? 'dev 6' : ''
  const [, step, role] = [...asked.matchAll(/Step (\d+) \w+ of \S+ as ([a-z-]+)/g)].at(-1) ?? []
  return `${role} ${step}`
}

function calls(place, at) {
  const sends = [...WRONG[place], ...RIGHT[place]].map(([type, recipient, content]) => sent(type, recipient, content))
  const helpers = place === 'lead 3' ? ['scout', 'debugger'].map(help) : []
  return [...sends, ...helpers].map((call, i) => ({ ...call, id: `s${at}-${i}` }))
}

function sent(type, recipient, content) {
  const text = typeof content === 'string' ? content : JSON.stringify(content)
  return { tool: 'SendMessage', input: { type, recipient, content: text } }
}

function help(name) {
  const input = { agent_type: name, description: name, prompt: `You are the ${name} now.` }
  return { tool: 'Task', input }
}

function said(value) {
  return { text: typeof value === 'string' ? value : JSON.stringify(value) }
}
