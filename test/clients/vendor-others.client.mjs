import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { withOtherProvider } from './fake-google-openai.mjs'
import { toolResults } from './fake-provider.mjs'
import { membersOf } from './processes.mjs'
import { MODEL, recordsOf, vendorGroups, withModels } from './vendor-programs.mjs'

const TEAM = 'others'

/** How each is started, and what has it ask the model of this test. */
const VENDORS = {
  gina: (url, node, [gemini]) => ({
    ...{ preset: 'gemini', command: node, args: [gemini, '--acp'] },
    env: { GEMINI_API_KEY: 'a-key', GOOGLE_GEMINI_BASE_URL: url, GEMINI_MODEL: 'gemini-2.5-pro' },
  }),
  cody: (url, node, [, codex]) => ({
    ...{ preset: 'codex', command: node, args: [codex] },
    env: { CODEX_CONFIG: JSON.stringify(codexConfig(url)), FAKE_KEY: 'a-key' },
  }),
}

/** Gemini CLI and Codex as teammates: each completes a task by our MCP server, against a provider on this machine. */
export const client = {
  title: 'Gemini, Codex',
  node: '22',
  package(platform, arch) {
    if (!['linux', 'darwin'].includes(platform) || !['x64', 'arm64'].includes(arch)) return undefined
    return [
      { name: '@google/gemini-cli', version: '0.61.0', program: 'bundle/gemini.js' },
      { name: '@agentclientprotocol/codex-acp', version: '2.6.0', program: 'dist/index.js' },
    ]
  },
  async prove(world) {
    for (const name of Object.keys(VENDORS)) await proveVendor(world, name)
    return ['Gemini CLI and Codex completed a task each by our MCP server', 'all stopped']
  },
}

async function proveVendor({ node, programs, run, deskmates, json, cli, home }, name) {
  const work = join(home, '..', `others-${name}`)
  mkdirSync(work, { recursive: true })
  const place = ['--team', TEAM, '--cwd', work]
  await deskmates('team', 'create', TEAM, '--cwd', work)
  let printed = ''
  const asked = await withOtherProvider(memberModel(name), (url) =>
    withModels({ lead: leadOf(name) }, async (urls) => {
      const settings = join(home, `others-${name}.json`)
      writeFileSync(settings, JSON.stringify({ agents: { other: { acp: VENDORS[name](url, node, programs) } } }))
      const words = ['-p', 'Have it done.', '-m', MODEL, '--settings', settings, ...place]
      const env = { ANTHROPIC_BASE_URL: `${urls.lead}/v1`, ANTHROPIC_API_KEY: 'sk-ant-test' }
      printed = await run(process.execPath, [cli, ...words], { env, mayFail: true })
    }),
  )
  const [task] = await json('task', 'list', ...place)
  if (task.status !== 'completed' || task.result !== `by ${name}`)
    throw new Error(`${name}: the task is ${task.status}, after ${asked.length} requests: ${printed.slice(-1000)}`)
  const starts = vendorGroups(recordsOf(work, TEAM, name))
  if (starts.length !== 1 || membersOf(starts[0]).length > 0) throw new Error(`${name} has the groups ${starts.join()}`)
}

function codexConfig(url) {
  const provider = { name: 'this test', base_url: `${url}/v1`, env_key: 'FAKE_KEY', wire_api: 'responses' }
  return { model: 'gpt-5', model_provider: 'test', model_providers: { test: provider } }
}

function leadOf(name) {
  const steps = [
    { tool: 'Task', input: { name, prompt: `Welcome, ${name}.`, agent_type: 'other' } },
    { tool: 'TaskCreate', input: { subject: 'a task', description: 'of one', assignee: name } },
  ]
  return ({ messages }) => steps[toolResults(messages).length] ?? { text: 'The team works.' }
}

/** A model that completes its task once it has it. */
function memberModel(name) {
  let isDone = false
  return ({ tools, text }) => {
    const tool = tools.find((one) => one.endsWith('TaskUpdate'))
    if (isDone || tool === undefined || !text.includes('<task id=\\"1\\">')) return { text: 'That is all.' }
    isDone = true
    return { tool, input: { taskId: '1', status: 'completed', result: `by ${name}` } }
  }
}
