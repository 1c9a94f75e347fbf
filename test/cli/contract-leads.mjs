import { work } from '../../examples/engineering/agents.mjs'
import { plan } from './planning-leads.mjs'

/**
 * Leads that settle an API contract before they plan: the frontend proposes, the backend implements too early, agrees, implements, and proposes
 * again, which is too late. Developers of the frontend first try to write into a folder of the backend, by a file tool and by a command.
 */
export default { parts: [{ times: 'always', compose: ({ turns }) => settle(turns) ?? trespass(turns) ?? next(turns) }] }

const STATUSES = { frontend: ['proposed'], backend: ['implemented', 'agreed', 'implemented', 'proposed'] }
const LEADS = { frontend: 'yolo-lead', backend: 'yolo-fe-lead' }
const ENDPOINT = { method: 'GET', path: '/users', request: {}, response: [] }

const next = (turns) => plan(turns) ?? work(turns)

function settle(turns) {
  const text = JSON.stringify(turns.filter(({ role }) => role !== 'assistant'))
  const [, department] = /Department: (\w+)\. Step 3: planning/.exec(text) ?? []
  if (department === undefined || text.includes('<task id=')) return undefined
  const sent = JSON.stringify(turns.filter(({ role }) => role === 'assistant')).split('api_contract').length - 1
  const status = STATUSES[department][sent]
  if (status === undefined) return undefined
  const direction = department === 'frontend' ? 'frontend_to_backend' : 'backend_to_frontend'
  const content = JSON.stringify({ direction, endpoints: [ENDPOINT], status })
  const input = { recipient: LEADS[department], type: 'api_contract', content }
  return { text: 'The contract', calls: [{ tool: 'SendMessage', id: `c${turns.length}`, input }] }
}

function trespass(turns) {
  const text = JSON.stringify(turns)
  if (!text.includes('Files: src/pages') || text.includes('stolen')) return undefined
  const calls = [
    { tool: 'write_file', id: 'w0', input: { path: 'src/api/stolen.ts', content: 'x' } },
    { tool: 'bash', id: 'b0', input: { command: 'echo x > src/api/stolen.sh' } },
  ]
  return { text: 'I help the backend', calls }
}
