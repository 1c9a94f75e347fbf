import { work } from '../../examples/engineering/agents.mjs'

/** The agents of the example, and an owner that wants to ship too early, and to run a department out of its turn. */
export default { parts: [{ times: 'always', compose: ({ turns }) => own(turns) ?? work(turns) }] }

const STEPS = [
  ['review_phase', { priorities: ['users are listed'], dispatch_order: ['backend', 'uiux'] }],
  ['review_phase', { priorities: ['users are listed'], dispatch_order: ['backend', 'frontend'] }],
  ['sign_off', { decision: 'SHIP' }],
  ['run_departments', { departments: ['uiux'] }],
  ['run_departments', { departments: ['frontend', 'backend'] }],
  ['check_gates', {}],
  ['escalate_to_user', { issue: 'May we ship today?', evidence: ['all gates are passed'], recommendation: 'Ship.' }],
  ['sign_off', { decision: 'HOLD' }],
  ['sign_off', { decision: 'SHIP' }],
]

function own(turns) {
  if (!JSON.stringify(turns).includes('You own the phase')) return undefined
  const made = turns.filter(({ role }) => role === 'assistant').length
  const [tool, input] = STEPS[made] ?? []
  return tool === undefined
    ? { text: 'Both departments are complete: we ship.' }
    : { text: '', calls: [{ tool, id: `o${made}`, input }] }
}
