import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { toolResults } from './fake-provider.mjs'
import { membersOf } from './processes.mjs'
import {
  agentTypes,
  installed,
  MODEL,
  recordsOf,
  vendorGroups,
  vendorPackages,
  withModels,
} from './vendor-programs.mjs'

const TEAM = 'control'

/** How each vendor's program names the tools that its model calls, and what it gets. */
const VENDORS = {
  claudia: {
    ...{ title: 'Claude Code', type: 'claude', prefix: 'mcp__deskmates__' },
    write: (path) => ({ tool: 'Write', input: { file_path: path, content: 'written\n' } }),
    run: (command) => ({ tool: 'Bash', input: { command, description: 'runs it' } }),
  },
  oscar: {
    ...{ title: 'opencode', type: 'opencode', prefix: 'deskmates_' },
    write: (path) => ({ tool: 'write', input: { filePath: path, content: 'written\n' } }),
    run: (command) => ({ tool: 'bash', input: { command, description: 'runs it' } }),
  },
}

/** Claude Code and opencode under our control: their edits and commands judged by our rules, cancelled, killed and brought back. */
export const client = {
  title: 'Vendors, judged',
  node: '22',
  package: vendorPackages,
  async prove(world) {
    // One after the other: where two teammates are lost within a minute, none is brought back.
    for (const name of Object.keys(VENDORS)) await proveVendor(world, name)
    return [
      'edits and commands of Claude Code and opencode allowed and denied by our rules',
      'cancelled by an urgent message',
      'killed, and brought back with the conversation loaded',
      'no hook, plugin or server of the workspace ran',
    ]
  },
}

async function proveVendor(world, name) {
  const { node, programs, run, deskmates, json, cli, home } = world
  const [claude, opencode] = programs
  const work = join(home, '..', `control-${name}`)
  mkdirSync(work, { recursive: true })
  layTraps(work)
  const place = ['--team', TEAM, '--cwd', work]
  await deskmates('team', 'create', TEAM, '--cwd', work)
  const interrupt = () => deskmates('send', 'lead', 'Interrupt it.', ...place)
  const member = scenario({ ...VENDORS[name], name, work, interrupt, kill: () => killProgram(work, name) })
  let printed = ''
  await withModels({ lead: leadOf(name), member: member.model }, async (urls) => {
    const settings = join(home, `control-${name}.json`)
    const key = 'sk-ant-test'
    const agents = agentTypes({
      claude: { url: urls.member, key, node, program: claude },
      opencode: { url: urls.member, key },
    })
    writeFileSync(settings, JSON.stringify({ permissions: PERMISSIONS, agents }))
    const words = ['-p', 'Have it done.', '-m', MODEL, '--settings', settings, ...place]
    const PATH = installed(opencode, 'opencode', world)
    const env = { PATH, ANTHROPIC_BASE_URL: `${urls.lead}/v1`, ANTHROPIC_API_KEY: key }
    // Its exit code says that something was denied.
    printed = await run(process.execPath, [cli, ...words], { env, mayFail: true })
  })
  const tasks = await json('task', 'list', ...place)
  expectDone(member, { tasks, work, printed })
}

const PERMISSIONS = {
  allow: ['edit_file(ok.txt)', 'bash(touch ran)'],
  deny: ['edit_file(no.txt)', 'bash(touch not-ran)'],
}

const TRAPS = ['hook-ran', 'server-ran', 'plugin-ran']

/** A workspace that has the programs run something, if they load their settings from it. */
function layTraps(work) {
  for (const folder of ['.claude', '.opencode/plugin']) mkdirSync(join(work, folder), { recursive: true })
  const command = (trap) => `touch '${join(work, trap)}'`
  const hook = [{ hooks: [{ type: 'command', command: command('hook-ran') }] }]
  const events = ['SessionStart', 'UserPromptSubmit', 'PreToolUse', 'Stop']
  const hooks = Object.fromEntries(events.map((event) => [event, hook]))
  const settings = { hooks, enableAllProjectMcpServers: true, permissions: { allow: ['Write', 'Edit', 'Bash'] } }
  writeFileSync(join(work, '.claude', 'settings.json'), JSON.stringify(settings))
  const server = { command: '/bin/sh', args: ['-c', command('server-ran')] }
  writeFileSync(join(work, '.mcp.json'), JSON.stringify({ mcpServers: { trap: server } }))
  const plugin = `require('fs').writeFileSync(${JSON.stringify(join(work, 'plugin-ran'))}, '')\nexport const X = async () => ({})\n`
  writeFileSync(join(work, '.opencode', 'plugin', 'trap.js'), plugin)
  writeFileSync(join(work, 'opencode.json'), JSON.stringify({ permission: { '*': 'allow' } }))
}

/** Spawns the member on a task, and sends it an urgent message when the user says so. */
function leadOf(name) {
  return ({ messages }) => {
    const steps = [
      { tool: 'Task', input: { name, prompt: `Welcome, ${name}.`, agent_type: VENDORS[name].type } },
      { tool: 'TaskCreate', input: { subject: 'a task', description: 'of one', assignee: name } },
    ]
    const urgent = { type: 'message', recipient: name, content: INTERRUPTION, urgent: true }
    if (JSON.stringify(messages).includes('Interrupt it.')) steps.push({ tool: 'SendMessage', input: urgent })
    return steps[toolResults(messages).length] ?? { text: 'The team works.' }
  }
}

const INTERRUPTION = 'Do something else now.'

/** As a crash would: the whole process group at once. Only one that this run has on record. */
function killProgram(work, name) {
  process.kill(-vendorGroups(recordsOf(work, TEAM, name)).at(-1), 'SIGKILL')
}

/** What the model of a vendor's agent does with each request, whatever its program does in between. */
function scenario({ name, title, prefix, work, write, run, interrupt, kill }) {
  const seen = { interruption: false, conversation: false }
  const steps = [
    () => write(join(work, 'ok.txt')),
    () => write(join(work, 'no.txt')),
    () => run('touch ran'),
    () => run('touch not-ran'),
    () => void interrupt(),
    (text) => {
      seen.interruption = text.includes(INTERRUPTION)
      kill()
    },
    (text) => {
      // What was said and done before the program was killed.
      seen.conversation = text.includes('touch ran') && !text.includes('Your earlier conversation is lost')
      return { tool: `${prefix}TaskUpdate`, input: { taskId: '1', status: 'completed', result: `by ${name}` } }
    },
  ]
  let next = 0
  const model = ({ tools, messages }) => {
    const text = JSON.stringify(messages)
    const isAtWork = tools.includes(`${prefix}TaskUpdate`) && text.includes('<task id=\\"1\\">')
    return isAtWork && next < steps.length ? steps[next++](text) : { text: 'That is all.' }
  }
  return { name, title, seen, model, stepsDone: () => next }
}

function expectDone({ name, title, seen, stepsDone }, { tasks, work, printed }) {
  const isThere = (file) => existsSync(join(work, file))
  const starts = vendorGroups(recordsOf(work, TEAM, name))
  const facts = {
    'a file that rules allow': isThere('ok.txt'),
    'no file that rules deny': !isThere('no.txt'),
    'a command that rules allow': isThere('ran'),
    'no command that rules deny': !isThere('not-ran'),
    'the urgent message read': seen.interruption,
    'the conversation as it was, after the program was killed': seen.conversation,
    'two starts of the program': starts.length === 2,
    'nothing of it left': starts.flatMap(membersOf).length === 0,
    'the task completed': tasks[0].status === 'completed' && tasks[0].result === `by ${name}`,
    'nothing that the workspace had it run': !TRAPS.some(isThere),
  }
  for (const [what, holds] of Object.entries(facts))
    if (!holds) throw new Error(`${title}: not seen: ${what}, after ${stepsDone()} steps: ${printed.slice(-1000)}`)
}
