import { work } from '../../examples/engineering/agents.mjs'
import { plan } from './planning-leads.mjs'

/**
 * Leads that hand over to each other before they plan. The design tells frontend and backend what is ready; the frontend proposes an API
 * contract; the backend implements too early, agrees, implements, and proposes again, which is too late. Each also tries what its
 * department may not send. Developers of the frontend first try to write into a folder of the backend, by a file tool and by a command;
 * those of the design leave its artefacts behind.
 */
export default {
  parts: [
    { times: 'always', compose: ({ turns }) => settle(turns) ?? trespass(turns) ?? design(turns) ?? next(turns) },
  ],
}

const ENDPOINT = { method: 'GET', path: '/users', request: {}, response: [] }
const contract = (direction, status) => ({ direction, endpoints: [ENDPOINT], status })
const ofBackend = (status) => ['api_contract', 'yolo-fe-lead', contract('backend_to_frontend', status)]
const DESIGN = {
  ...{ phase: '03', department: 'uiux', artifacts: { tokens: 'design-tokens.jsonl' }, ready_components: ['Button'] },
  ...{ deferred: ['Table'], acceptance_criteria: ['contrast 4.5:1'] },
}
const SENT = {
  uiux: [
    ['message', 'yolo-lead', 'The design is ready'],
    ['api_contract', 'yolo-lead', contract('frontend_to_backend', 'proposed')],
    ['design_handoff', 'yolo-fe-lead', { ...DESIGN, status: 'in_progress' }],
    ['design_handoff', 'yolo-fe-lead', { ...DESIGN, status: 'complete' }],
    ['design_handoff', 'yolo-lead', { ...DESIGN, status: 'complete' }],
  ],
  frontend: [
    ['message', 'yolo-lead', 'I propose a contract'],
    ['api_contract', 'yolo-lead', contract('frontend_to_backend', 'proposed')],
  ],
  backend: [
    ['api_contract', 'yolo-ux-lead', contract('backend_to_frontend', 'agreed')],
    ['design_handoff', 'yolo-ux-lead', { ...DESIGN, status: 'complete' }],
    ...['implemented', 'agreed', 'implemented', 'proposed'].map(ofBackend),
  ],
}

const next = (turns) => plan(turns) ?? work(turns)

function settle(turns) {
  const text = JSON.stringify(turns.filter(({ role }) => role !== 'assistant'))
  const [, department] = /Department: (\w+)\. Step 3: planning/.exec(text) ?? []
  if (department === undefined || text.includes('<task id=')) return undefined
  const made = JSON.stringify(turns.filter(({ role }) => role === 'assistant')).split('I hand over').length - 1
  const [type, recipient, content] = SENT[department][made] ?? []
  if (type === undefined) return undefined
  const input = { recipient, type, content: typeof content === 'string' ? content : JSON.stringify(content) }
  return { text: 'I hand over', calls: [{ tool: 'SendMessage', id: `c${turns.length}`, input }] }
}

const ARTEFACTS = {
  'design-tokens.jsonl': { cat: 'color', name: 'primary', val: '#00f' },
  'component-specs.jsonl': { name: 'Button', desc: 'd', states: ['s'], status: 'ready' },
}

function design(turns) {
  const text = JSON.stringify(turns)
  if (!text.includes('Files: design/users.md') || text.includes('design-tokens')) return undefined
  const calls = Object.entries(ARTEFACTS).map(([name, artefact]) => ({
    ...{ tool: 'write_file', id: name },
    input: { path: `.yolo-planning/phases/03-api/${name}`, content: `${JSON.stringify(artefact)}\n` },
  }))
  return { text: 'I design', calls }
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
