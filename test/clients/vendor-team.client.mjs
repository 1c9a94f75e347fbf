import { mkdirSync, writeFileSync } from 'node:fs'
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

const TEAM = 'chain'

/** In the order of their tasks. Each writes to the next, and the last to the lead. */
const MEMBERS = ['olga', 'claudia', 'oscar']
const TYPES = { claudia: 'claude', oscar: 'opencode' }
/** Which key each model has to be asked with. */
const KEYS = { ours: 'sk-ant-ours', claudia: 'sk-ant-claude', oscar: 'sk-ant-opencode' }

/** A team of three: our own loop, and Claude Code and opencode by the Agent Client Protocol, both in the sandbox. */
export const client = {
  title: 'A mixed team',
  node: '22',
  package: vendorPackages,
  async prove(world) {
    const { node, programs, run, deskmates, json, cli, home } = world
    const [claude, opencode] = programs
    const work = join(home, '..', 'team')
    mkdirSync(work, { recursive: true })
    const place = ['--team', TEAM, '--cwd', work]
    await deskmates('team', 'create', TEAM, '--cwd', work)
    const models = {
      ...{ claudia: memberModel('claudia', 'mcp__deskmates__'), oscar: memberModel('oscar', 'deskmates_') },
      ours: ourModel,
    }
    const asked = await withModels(models, async (urls) => {
      const settings = join(home, 'mixed-team.json')
      const agents = agentTypes({
        claude: { url: urls.claudia, key: KEYS.claudia, node, program: claude },
        opencode: { url: urls.oscar, key: KEYS.oscar },
      })
      writeFileSync(settings, JSON.stringify({ agents }))
      const words = ['-p', 'Have the chain of tasks done.', '-m', MODEL, '--settings', settings, ...place]
      const PATH = installed(opencode, 'opencode', world)
      const env = { PATH, ANTHROPIC_BASE_URL: `${urls.ours}/v1`, ANTHROPIC_API_KEY: KEYS.ours }
      await run(process.execPath, [cli, ...words], { env })
    })
    expectBoard(await json('task', 'list', ...place))
    expectStopped(await json('team', 'show', ...place))
    const records = recordsOf(work, TEAM)
    expectMailOnce(asked, records)
    expectEnded(records)
    for (const [name, requests] of Object.entries(asked))
      for (const { key } of requests) if (key !== KEYS[name]) throw new Error(`${name} was asked with the key ${key}`)
    return [
      'our own loop, Claude Code and opencode completed a chain of tasks',
      'mail delivered once',
      'own keys only',
      'all stopped',
    ]
  },
}

function ourModel(request) {
  return request.tools.includes('Task') ? leadModel(request) : memberModel('olga', '')(request)
}

/** Spawns the team, puts the chain on the board and, when the last member has written and is idle, stops all of them. */
function leadModel({ messages }) {
  const spawns = MEMBERS.map((name) => ({
    tool: 'Task',
    input: { name, prompt: `Welcome, ${name}.`, ...(TYPES[name] && { agent_type: TYPES[name] }) },
  }))
  const tasks = MEMBERS.map((name, i) => ({
    tool: 'TaskCreate',
    input: { subject: `link ${i + 1}`, description: `of ${name}`, assignee: name, blockedBy: i > 0 ? [`${i}`] : [] },
  }))
  const stops = MEMBERS.map((recipient) => ({
    tool: 'SendMessage',
    input: { type: 'shutdown_request', recipient, reason: 'All is done.' },
  }))
  const said = JSON.stringify(messages)
  const written = said.indexOf(messageOf('oscar'))
  const isDone = written >= 0 && said.indexOf('from=\\"oscar\\" type=\\"idle_notification\\"', written) >= 0
  const steps = [...spawns, ...tasks, ...(isDone ? stops : [])]
  return steps[toolResults(messages).length] ?? { text: 'The team works.' }
}

/** A model that completes its task once it has it, writes to the next member, and ends its turn. */
function memberModel(name, prefix) {
  const id = `${MEMBERS.indexOf(name) + 1}`
  const steps = [
    { tool: `${prefix}TaskUpdate`, input: { taskId: id, status: 'completed', result: `made by ${name}` } },
    { tool: `${prefix}SendMessage`, input: { recipient: nextOf(name), content: messageOf(name) } },
  ]
  return ({ tools, messages }) => {
    const isGiven = tools.includes(`${prefix}TaskUpdate`) && JSON.stringify(messages).includes(`<task id=\\"${id}\\">`)
    return (isGiven && steps[toolResults(messages).length]) || { text: 'That is all.' }
  }
}

function nextOf(name) {
  return MEMBERS[MEMBERS.indexOf(name) + 1] ?? 'lead'
}

function messageOf(name) {
  return `${name} is done, and it is the turn of ${nextOf(name)}.`
}

function expectBoard(tasks) {
  const board = tasks.map(({ owner, status, result }) => `${owner} ${status}: ${result}`).join(', ')
  const wanted = MEMBERS.map((name) => `${name} completed: made by ${name}`).join(', ')
  if (board !== wanted) throw new Error(`the board has ${board}`)
}

function expectStopped({ members }) {
  const left = members.filter(({ name, status }) => name !== 'lead' && status !== 'stopped')
  if (members.length !== 4 || left.length > 0) throw new Error(`not all are stopped: ${JSON.stringify(members)}`)
}

/** Every message between members stands once in the conversation of its recipient, and every id of mail in one record of one transcript. */
function expectMailOnce(asked, records) {
  const conversations = {
    lead: asked.ours.filter(({ tools }) => tools.includes('Task')),
    claudia: asked.claudia,
    oscar: asked.oscar,
  }
  for (const name of MEMBERS) {
    const sizes = conversations[nextOf(name)].map(({ messages }) => messages.length)
    const whole = conversations[nextOf(name)][sizes.indexOf(Math.max(...sizes))]
    const times = JSON.stringify(whole.messages).split(messageOf(name)).length - 1
    if (times !== 1) throw new Error(`the model of ${nextOf(name)} read the message of ${name} ${times} times`)
  }
  const ids = records.flatMap(({ mail }) => mail ?? [])
  if (new Set(ids).size !== ids.length) throw new Error(`a message was delivered twice: ${ids.join()}`)
}

/** Both vendors' programs ran once, and nothing of them runs any more now that the command has ended. */
function expectEnded(records) {
  const groups = vendorGroups(records)
  if (groups.length !== 2) throw new Error(`${groups.length} programs of vendors were started`)
  const left = groups.flatMap(membersOf)
  if (left.length > 0) throw new Error(`of the process groups ${groups.join(' and ')} still run ${left.join()}`)
}
