import { describe, expect, it, vi } from 'vitest'
import type { Question } from '../../src/agent/questions.ts'
import { folderHash } from '../../src/permissions/trust/folder-hash.ts'
import type { SessionOptions } from '../../src/session/session-options.ts'
import { runToEnd } from '../../src/testing/harnesses/session-harness.ts'
import { call, spawnsVera, vendorHarness } from './vendor-harness.ts'

const completes = [
  { say: 'I dig. ' },
  { tool: 'TaskUpdate', input: { taskId: '$task', status: 'completed', result: 'a hole' } },
  { say: 'The hole is there.' },
]
const endsTurn = [{ say: 'Nothing left.' }]

/** A lead with two tasks, one after the other, of which vera gets the first. */
const twoTasks: NonNullable<Parameters<typeof vendorHarness>[0]>['lead'] = (request) =>
  request.turns.length === 1
    ? {
        calls: [
          call('TaskCreate', { subject: 'dig', description: 'a hole' }),
          call('TaskCreate', { subject: 'fill', description: 'the hole', blockedBy: ['1'] }),
          call('Task', { name: 'vera', agent_type: 'vendor', prompt: 'Welcome, vera.', task_id: '1' }),
        ],
      }
    : { text: 'Good.' }

/** Waits for a condition of another process. */
const until = (condition: () => boolean) =>
  vi.waitFor(() => expect(condition()).toBe(true), { timeout: 30_000, interval: 20 })

describe("another vendor's agent as a teammate", () => {
  it('gets its task and mail in a prompt, completes it by our MCP server, and gets the next one', async () => {
    await using world = await vendorHarness({
      steps: [[completes]],
      lead: twoTasks,
    })
    const { stop, tasks, events } = await world.run()
    expect(stop.kind).toBe('finished')
    expect(tasks).toMatchObject([
      { id: '1', status: 'completed', owner: 'vera', result: 'a hole' },
      { id: '2', status: 'completed', owner: 'vera' },
    ])
    const [first, second, ...more] = world.logged('prompt')
    expect(more).toEqual([])
    expect(first?.text).toContain('Welcome, vera.')
    expect(first?.text).toContain('<task id="1">')
    expect(first?.text).toContain('You dig.')
    expect(second?.text).toContain('<task id="2">')
    expect(second?.text).not.toContain('Welcome, vera.')
    expect(events.some((event) => event.type === 'tool_finished' && event.call.toolName === 'TaskUpdate')).toBe(true)
    const { offered } = world.logged('tool')[0]!
    expect(offered).toEqual(expect.arrayContaining(['TaskUpdate', 'SendMessage']))
    expect(offered).not.toContain('bash')
    expect(world.logged('start')).toHaveLength(1)
  })

  it('that uses no MCP servers over HTTP reaches the board through one on stdin and stdout', async () => {
    await using world = await vendorHarness({ steps: [[completes]], lead: twoTasks, env: { ACP_NO_HTTP: '1' } })
    const { tasks } = await world.run()
    expect(tasks).toMatchObject([{ status: 'completed', owner: 'vera', result: 'a hole' }, { status: 'completed' }])
    expect(world.logged('new')[0]).toMatchObject({
      params: { mcpServers: [{ name: 'deskmates', command: process.execPath }] },
    })
    const { offered } = world.logged('tool')[0]!
    expect(offered).toEqual(expect.arrayContaining(['TaskUpdate', 'SendMessage']))
    expect(offered).not.toContain('bash')
  })

  it('has its prompt in the transcript, with the ids of its messages, before its program gets it', async () => {
    await using world = await vendorHarness({ steps: [[completes]], lead: twoTasks })
    await world.run()
    const [prompt, next] = world.logged('prompt')
    expect(next?.recorded).toContain('You hold task 2')
    const input = world.records().find(({ mail }) => Array.isArray(mail) && mail.length > 0)
    expect(prompt?.recorded).toContain('Welcome, vera.')
    expect(prompt?.recorded).toContain(JSON.stringify(input?.mail))
  })

  it('has what its program said and did in the transcript, without escape sequences', async () => {
    const edit = { toolCallId: 'c1', title: 'edit \x1b[31ma.txt', kind: 'edit', status: 'in_progress' }
    const output = [{ type: 'content', content: { type: 'text', text: 'edited \x1b]0;x\x07' } }]
    const updates = [
      { say: 'I look \x1b[2J around.' },
      { update: { sessionUpdate: 'tool_call', ...edit } },
      { update: { sessionUpdate: 'tool_call_update', toolCallId: 'c1', status: 'completed', content: output } },
    ]
    await using world = await vendorHarness({ steps: [[[...updates, ...completes]]] })
    const { events } = await world.run()
    const text = JSON.stringify(world.records())
    expect(text).toContain('I look \ufffd[2J around.')
    expect(text).toContain('edited \ufffd]0;x\ufffd')
    expect(text).toContain('The hole is there.')
    expect(text).not.toMatch(/\\u001b/)
    expect(events).toContainEqual(
      expect.objectContaining({ type: 'tool_finished', agent: 'vera', result: { text: 'edited \ufffd]0;x\ufffd' } }),
    )
  })

  it('has the path or command of a call in the transcript where its program announced it without', async () => {
    const begins = (toolCallId: string, kind: string) => ({
      update: { sessionUpdate: 'tool_call', toolCallId, kind, status: 'pending', title: 'Preparing', rawInput: {} },
    })
    const goesOn = (toolCallId: string, more: object) => ({
      update: { sessionUpdate: 'tool_call_update', toolCallId, ...more },
    })
    const calls = [
      ...[begins('c1', 'edit'), begins('c2', 'execute'), begins('c3', 'edit')],
      goesOn('c1', { title: 'Write a.txt', rawInput: { file_path: 'a.txt' } }),
      { ask: { toolCallId: 'c2', kind: 'execute', title: 'make it', rawInput: { command: 'make' } } },
      ...[goesOn('c1', { status: 'completed' }), goesOn('c2', { status: 'completed' })],
    ]
    await using world = await vendorHarness({ steps: [[[...calls, ...completes]]] })
    await world.run()
    const inputs = world.records().flatMap(({ assistant }) => {
      const { content = [] } = (assistant ?? {}) as { content?: { type: string; toolName?: string; input?: unknown }[] }
      return content.flatMap(({ toolName, input }) => (toolName?.startsWith('acp__') ? [input] : []))
    })
    expect(inputs).toEqual([
      { title: 'Write a.txt', input: { file_path: 'a.txt' } },
      { title: 'make it', command: 'make', input: { command: 'make' } },
      // It never said more.
      { title: 'Preparing', input: {} },
    ])
  })

  it('gets mail into its next prompt once, and sends mail that its recipient reads', async () => {
    const writes = [{ tool: 'SendMessage', input: { recipient: 'lead', content: 'What colour?' } }]
    await using world = await vendorHarness({
      steps: [[writes, completes]],
      lead: (request) => {
        const last = JSON.stringify(request.turns.at(-1))
        return last.includes('What colour?')
          ? { calls: [call('SendMessage', { recipient: 'vera', content: 'Blue.' })] }
          : spawnsVera(request, new AbortController().signal)
      },
    })
    const { stop } = await world.run()
    expect(stop.kind).toBe('finished')
    const texts = world.logged('prompt').map(({ text }) => String(text))
    expect(texts.filter((text) => text.includes('Blue.'))).toHaveLength(1)
  })

  it('is cancelled by urgent mail, and reads that mail next', async () => {
    await using world = await vendorHarness({ steps: [[[{ say: 'I dig.' }, { wait: 'cancel' }], completes]] })
    await using session = await world.open()
    const run = runToEnd(session, 'Dig.', AbortSignal.timeout(60_000))
    await until(() => world.logged('prompt').length === 1)
    await session.team.send({ to: 'vera', content: 'Stop digging there.', extra: { urgent: true } })
    const { stop } = await run
    expect(stop.kind).toBe('finished')
    expect(world.logged('cancel')).toHaveLength(1)
    expect(world.logged('prompt')[1]?.text).toContain('Stop digging there.')
    expect(world.logged('start')).toHaveLength(1)
  })

  it('stays in the mode in which it asks', async () => {
    const steps = [
      [[{ update: { sessionUpdate: 'current_mode_update', currentModeId: 'yolo' } }, ...completes], endsTurn],
    ]
    await using world = await vendorHarness({ steps, env: { ACP_MODES: 'yolo,ask' }, acp: { mode: 'ask' } })
    await world.run()
    expect(world.logged('mode').map(({ params }) => (params as { modeId: string }).modeId)).toEqual(['ask', 'ask'])
  })
})

describe("the permissions of another vendor's agent", () => {
  const asks = (toolCall: object) => [{ ask: { toolCallId: 'c1', title: 'a call', ...toolCall } }, ...completes]

  async function answers(toolCall: object, options: Partial<SessionOptions> = {}, allowed = true) {
    const questions: Question[] = []
    await using world = await vendorHarness({ steps: [[asks(toolCall), endsTurn]] })
    const ask = async (question: Question) => {
      questions.push(question)
      return allowed ? ({ allowed } as const) : ({ allowed, why: 'not today' } as const)
    }
    await world.run('Dig.', { permissions: { mode: 'default' }, ask, ...options })
    const [answer] = world.logged('answer')
    return { questions, answer: answer?.answer, prompts: world.logged('prompt').map(({ text }) => String(text)) }
  }
  const chose = (optionId: string) => ({ outcome: { outcome: 'selected', optionId } })

  it('are asked of a person, who allows one call and never all of a kind', async () => {
    const { questions, answer } = await answers({ kind: 'execute', rawInput: { command: 'npm publish' } })
    expect(questions).toMatchObject([{ agent: 'vera', action: { kind: 'run', tool: 'bash', command: 'npm publish' } }])
    expect(answer).toEqual(chose('allow_once'))
  })

  it('are denied where the person denies, and the agent is told why', async () => {
    const { answer, prompts } = await answers({ kind: 'execute', rawInput: { command: 'npm publish' } }, {}, false)
    expect(answer).toEqual(chose('reject_once'))
    expect(prompts.join('\n')).toContain('not today')
  })

  it('follow the rules: what is denied is not asked, and what is allowed is not either', async () => {
    const permissions = { mode: 'default', deny: ['bash(rm *)'], allow: ['bash(ls *)'] } as const
    const denied = await answers({ kind: 'execute', rawInput: { command: 'rm -r src' } }, { permissions })
    expect(denied).toMatchObject({ questions: [], answer: chose('reject_once') })
    const allowed = await answers({ kind: 'execute', rawInput: { command: 'ls src' } }, { permissions })
    expect(allowed).toMatchObject({ questions: [], answer: chose('allow_once') })
  })

  it('are asked for a kind of call that is not known, and for a command that is only in the title', async () => {
    for (const toolCall of [
      { kind: 'teleport' },
      { kind: 'execute', title: 'ls' },
      { kind: 'other', title: 'TaskUpdate' },
    ]) {
      const { questions } = await answers(toolCall)
      expect(questions, JSON.stringify(toolCall)).toHaveLength(1)
      expect(questions[0]?.action.kind).toBe('use')
    }
  })

  it('never reach outside of the workspace, whatever a person would say', async () => {
    for (const toolCall of [
      { kind: 'edit', locations: [{ path: '/etc/passwd' }] },
      { kind: 'read', rawInput: { file_path: '../../secret' } },
      { kind: 'edit', locations: [{ path: '.git/config' }] },
    ]) {
      const { questions, answer } = await answers(toolCall)
      expect(questions, JSON.stringify(toolCall)).toEqual([])
      expect(answer).toEqual(chose('reject_once'))
    }
  })

  it('let its calls of our own tools pass, which are judged when they arrive', async () => {
    const { questions, answer } = await answers({ kind: 'other', title: 'mcp__deskmates__TaskUpdate' })
    expect(questions).toEqual([])
    expect(answer).toEqual(chose('allow_once'))
    const rawInput = { server: 'deskmates', tool: 'TaskUpdate', arguments: {} }
    const codex = { kind: 'execute', title: 'mcp.deskmates.TaskUpdate', rawInput }
    const gemini = { kind: 'other', title: 'TaskUpdate (deskmates MCP Server)' }
    for (const own of [codex, gemini])
      expect(await answers(own)).toMatchObject({ questions: [], answer: chose('allow_once') })
    for (const spoofed of [
      { kind: 'execute', title: 'mcp__deskmates__TaskUpdate', rawInput: { command: 'id' } },
      { ...codex, rawInput: { ...rawInput, script: 'id' } },
      { ...codex, title: 'id' },
    ])
      expect([spoofed, (await answers(spoofed)).questions.length]).toEqual([spoofed, 1])
  })
})

describe("a spawn of another vendor's agent", () => {
  async function refusal(options: Parameters<typeof vendorHarness>[0], more: Partial<SessionOptions> = {}) {
    await using world = await vendorHarness(options)
    await world.run('Dig.', more)
    expect(world.logged('start')).toEqual([])
    return JSON.stringify(world.requests.at(-1)?.turns)
  }

  it('is refused with a money limit and no limit of turns', async () => {
    expect(await refusal({}, { limits: { dollars: 5 } })).toContain('Add a limit of turns (--max-turns)')
    await using world = await vendorHarness({ steps: [[completes]], env: { ACP_USAGE: '1' } })
    const { tasks, state } = await world.run('Dig.', { limits: { dollars: 5, turns: 50 } })
    expect(tasks[0]?.status).toBe('completed')
    // Tokens are counted as reported, and a price that is not stays unknown.
    expect(state.spent.get('vera')).toMatchObject({ usage: { input: 100, output: 20 }, unpriced: 1, cost: 0 })
  })

  it('counts the price that its program reports', async () => {
    const cost = { sessionUpdate: 'usage_update', used: 10, size: 100, cost: { amount: 0.25, currency: 'USD' } }
    await using world = await vendorHarness({ steps: [[[{ update: cost }, ...completes]]] })
    const { state } = await world.run()
    expect(state.spent.get('vera')).toMatchObject({ cost: 0.25, unpriced: 0 })
  })

  it('is refused with require_plan where the agent is not known to ask', async () => {
    const lead: Parameters<typeof vendorHarness>[0] = {
      lead: ({ turns }) =>
        turns.length === 1
          ? { calls: [call('Task', { name: 'vera', agent_type: 'vendor', prompt: 'Dig.', require_plan: true })] }
          : { text: 'Good.' },
    }
    expect(await refusal(lead)).toContain('require_plan needs an agent that asks')
  })

  it('is refused where its program is not installed, with what to do', async () => {
    expect(await refusal({ acp: { command: 'no-such-agent' } })).toContain('no-such-agent is not installed')
  })

  it('is refused for a type of the project that no person has approved as it is', async () => {
    const trusted = (world: Awaited<ReturnType<typeof vendorHarness>>) =>
      world.workspace.trust.trustFolder(world.root, folderHash(world.root))
    await using world = await vendorHarness({ type: { isProject: true } })
    trusted(world)
    await world.run()
    expect(world.logged('start')).toEqual([])
    expect(JSON.stringify(world.requests.at(-1)?.turns)).toContain('deskmates agents approve vendor')
  })

  it('is refused as a subagent', async () => {
    const lead = { lead: spawnAsSubagent }
    expect(await refusal(lead)).toContain('works as a teammate only')
  })
})

const spawnAsSubagent: NonNullable<Parameters<typeof vendorHarness>[0]>['lead'] = ({ turns }) =>
  turns.length === 1 ? { calls: [call('Task', { agent_type: 'vendor', prompt: 'Dig.' })] } : { text: 'Good.' }

describe("the environment of another vendor's agent", () => {
  it('has a key that its program signs in with when it is told to, where there is such a key', async () => {
    const options = { steps: [[completes]], acp: { preset: 'codex', mode: 'ask' } } as const
    const env = { ACP_AUTH: 'api-key', ACP_MODES: 'ask' }
    await using world = await vendorHarness({ ...options, env })
    await world.run('Dig.', { env: { ...world.environment, CODEX_API_KEY: 'its own' } })
    expect(world.logged('authenticate')).toMatchObject([{ params: { methodId: 'api-key' } }])
    await using without = await vendorHarness({ ...options, env })
    expect((await without.run()).tasks[0]?.status).toBe('completed')
    expect(without.logged('authenticate')).toEqual([])
  })

  it('has its own credentials and no key of ours or other secret', async () => {
    await using world = await vendorHarness({
      steps: [[completes]],
      acp: { preset: 'claude-code', mode: 'default' },
      env: { ACP_MODES: 'default' },
    })
    const env = {
      ...world.environment,
      CLAUDE_CODE_OAUTH_TOKEN: 'its own',
      ANTHROPIC_API_KEY: 'sk-ant-ours',
      OPENAI_API_KEY: 'sk-ours',
      GITHUB_TOKEN: 'ghp_secret',
      MY_KEY: 'a key of a provider of ours',
      GRANTED: 'for commands only',
      DATABASE_URL: 'postgres://u:pw@h/db',
    }
    const sandbox = { mode: 'off' as const, env: ['GITHUB_TOKEN', 'GRANTED'] }
    await world.run('Dig.', { env, keyVariables: ['MY_KEY'], sandbox })
    const given = world.logged('start')[0]?.env as Record<string, string>
    expect(given.CLAUDE_CODE_OAUTH_TOKEN).toBe('its own')
    for (const name of ['ANTHROPIC_API_KEY', 'OPENAI_API_KEY', 'GITHUB_TOKEN', 'DATABASE_URL', 'DESKMATES_STATE'])
      expect(given, name).not.toHaveProperty(name)
    expect(JSON.stringify(given)).not.toMatch(/sk-ours|sk-ant-ours|ghp_secret|u:pw/)
  })
})
