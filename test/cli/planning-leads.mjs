import { work } from '../../examples/engineering/agents.mjs'

/**
 * The agents of the example, and leads that write the plan of their department in step 3: first with a task that waits for an unknown one,
 * and, when the file comes back, a right one. A lead whose requirements say "stubborn" never corrects it.
 */
export default { parts: [{ times: 'always', compose: ({ turns }) => plan(turns) ?? review(turns) ?? work(turns) }] }

/**
 * In the phase 03-reviewed the senior that reviews the design breaks the plan: its task waits for an unknown one. Asked for a correction it
 * writes a right one; in 03-broken it never does.
 */
function review(turns) {
  const text = JSON.stringify(turns.filter(({ role }) => role !== 'assistant'))
  const [, phase] =
    /Step 4 design_review of \.yolo-planning\/phases\/(03-reviewed|03-broken) as senior/.exec(text) ??
    /Correction \d after step 4 design_review of \.yolo-planning\/phases\/(03-reviewed|03-broken)/.exec(text) ??
    []
  if (phase === undefined || JSON.stringify(turns).includes('write_file')) return undefined
  const isCorrection = text.includes('Correction 1 after step 4') && phase === '03-reviewed'
  const { path, content } = planFile(phase, FILES.backend, isCorrection ? [] : ['T8'])
  return { text: 'I review', calls: [{ tool: 'write_file', id: `r${turns.length}`, input: { path, content } }] }
}

function planFile(phase, [id, file], td) {
  const header = { p: '03', n: id.slice(3), t: 'Users', w: 1, d: [], mh: {}, obj: 'Users can be listed' }
  const task = { id: 'T1', tp: 'auto', a: 'List users', f: [file], v: 'npm test', done: 'listed', td }
  const content = `${JSON.stringify(header)}\n${JSON.stringify(task)}\n`
  return { path: `.yolo-planning/phases/${phase}/${id}.plan.jsonl`, content }
}

const FILES = {
  backend: ['03-01', 'src/api/users.ts'],
  frontend: ['03-02', 'src/pages/users.tsx'],
  uiux: ['03-03', 'design/users.md'],
}

export function plan(turns) {
  const text = JSON.stringify(turns.filter(({ role }) => role !== 'assistant'))
  const [, department] = /Department: (\w+)\. Step 3: planning/.exec(text) ?? []
  if (department === undefined || text.includes('<task id=')) return undefined
  const [id, file] = FILES[department]
  const asked = text.split('were not accepted').length - 1
  const made = turns.filter((turn) => turn.role === 'assistant' && JSON.stringify(turn).includes('write_file')).length
  if (made > asked) return { text: 'The plan is written.' }
  const td = asked > 0 && !text.includes('stubborn') ? [] : ['T9']
  const [, phase = '03-api'] = /phases\/(03-\w+)/.exec(text) ?? []
  const { path, content } = planFile(phase, [id, file], td)
  return { text: 'I plan', calls: [{ tool: 'write_file', id: `p${turns.length}`, input: { path, content } }] }
}
