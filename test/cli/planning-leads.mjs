import { work } from '../../examples/engineering/agents.mjs'

/**
 * The agents of the example, and leads that write the plan of their department in step 3: first with a task that waits for an unknown one,
 * and, when the file comes back, a right one. A lead whose requirements say "stubborn" never corrects it.
 */
export default { parts: [{ times: 'always', compose: ({ turns }) => plan(turns) ?? work(turns) }] }

const FILES = { backend: ['03-01', 'src/api/users.ts'], frontend: ['03-02', 'src/pages/users.tsx'] }

function plan(turns) {
  const text = JSON.stringify(turns.filter(({ role }) => role !== 'assistant'))
  const [, department] = /Department: (\w+)\. Step 3: planning/.exec(text) ?? []
  if (department === undefined || text.includes('<task id=')) return undefined
  const [id, file] = FILES[department]
  const asked = text.split('were not accepted').length - 1
  const made = turns.filter((turn) => turn.role === 'assistant' && JSON.stringify(turn).includes('write_file')).length
  if (made > asked) return { text: 'The plan is written.' }
  const td = asked > 0 && !text.includes('stubborn') ? [] : ['T9']
  const header = { p: '03', n: id.slice(3), t: 'Users', w: 1, d: [], mh: {}, obj: 'Users can be listed' }
  const task = { id: 'T1', tp: 'auto', a: 'List users', f: [file], v: 'npm test', done: 'listed', td }
  const path = `.yolo-planning/phases/${text.includes('stubborn') ? '03-stubborn' : '03-api'}/${id}.plan.jsonl`
  const content = `${JSON.stringify(header)}\n${JSON.stringify(task)}\n`
  return { text: 'I plan', calls: [{ tool: 'write_file', id: `p${turns.length}`, input: { path, content } }] }
}
