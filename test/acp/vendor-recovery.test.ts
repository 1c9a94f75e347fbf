import { describe, expect, it } from 'vitest'
import { spawnsVera, vendorHarness } from './vendor-harness.ts'

const completes = [
  { tool: 'TaskUpdate', input: { taskId: '$task', status: 'completed', result: 'a hole' } },
  { say: 'The hole is there.' },
]
const dies = [
  { say: 'Half of it is dug. ' },
  { update: { sessionUpdate: 'tool_call', toolCallId: 'c1', title: 'dig', kind: 'edit', status: 'in_progress' } },
  { exit: 1 },
]

describe("another vendor's agent whose program died in the middle of a prompt", () => {
  it('is brought back, and its program is briefed anew where it cannot load the conversation', async () => {
    await using world = await vendorHarness({ steps: [[dies], [completes]] })
    const { stop, tasks } = await world.run()
    expect(stop.kind).toBe('finished')
    expect(tasks).toMatchObject([{ status: 'completed', owner: 'vera', result: 'a hole' }])
    expect(world.logged('load')).toEqual([])
    expect(world.logged('new')).toHaveLength(2)
    const [, again] = world.logged('prompt')
    expect(again?.text).toContain('Your earlier conversation is lost to your program.')
    expect(again?.text).toContain('You may have read it')
    expect(again?.text).toContain('Half of it is dug.')
    expect(again?.text).toContain('<task id="1">')
    // The call that it was busy with has a result, and is not made again by us.
    const results = world.records().filter(({ result }) => result !== undefined)
    expect(JSON.stringify(results[0])).toContain('Interrupted before it ended')
  })

  it('is brought back, and its program loads the conversation where it can', async () => {
    await using world = await vendorHarness({ steps: [[dies], [completes]], env: { ACP_LOAD: '1' } })
    const { tasks } = await world.run()
    expect(tasks).toMatchObject([{ status: 'completed', owner: 'vera' }])
    expect(world.logged('load')).toMatchObject([{ params: { sessionId: 'session-0' } }])
    expect(world.logged('new')).toHaveLength(1)
    const [, again] = world.logged('prompt')
    expect(again?.text).not.toContain('Your earlier conversation is lost')
    expect(again?.text).toContain('You may have read it')
  })

  it('has the history that its program repeats in the transcript only once', async () => {
    await using world = await vendorHarness({ steps: [[dies], [completes]], env: { ACP_LOAD: '1' } })
    const { events } = await world.run()
    expect(world.logged('load')).toHaveLength(1)
    expect(JSON.stringify(world.records())).not.toContain('words of the history')
    expect(JSON.stringify(world.records())).not.toContain('an old call')
    expect(JSON.stringify(events)).not.toContain('words of the history')
  })

  it('continues in a later session, with the same conversation of its program', async () => {
    await using world = await vendorHarness({
      steps: [[completes, [{ say: 'Yes.' }]]],
      env: { ACP_LOAD: '1' },
      lead: (request, signal) =>
        JSON.stringify(request.turns.at(-1)).includes('Ask her')
          ? { calls: [{ tool: 'SendMessage', input: { recipient: 'vera', content: 'Is it deep?' } }] }
          : spawnsVera(request, signal),
    })
    await world.run()
    await world.run('Ask her.')
    expect(world.logged('load')).toHaveLength(1)
    const texts = world.logged('prompt').map(({ text }) => String(text))
    expect(texts.filter((text) => text.includes('Is it deep?'))).toHaveLength(1)
    expect(texts.at(-1)).not.toContain('Welcome, vera.')
  })
})

describe("a hostile program of another vendor's agent", () => {
  const problems = (events: readonly { type: string; text?: unknown }[]) =>
    events.flatMap(({ type, text }) => (type === 'note' ? [String(text)] : [])).join('\n')

  it('that floods is ended, and another agent does the task', async () => {
    await using world = await vendorHarness({
      steps: [[[{ flood: 50_000 }, { wait: 'forever' }]]],
      lead: (request, signal) => (request.agent === 'lead' ? spawnsVera(request, signal) : replacement(request.turns)),
    })
    const { stop, events, tasks } = await world.run()
    expect(stop.kind).toBe('finished')
    expect(problems(events)).toContain('it sent more than 2000 messages in a second')
    expect(tasks[0]?.status).toBe('completed')
  })

  it('gets no files and no terminal from us, and cannot write to the terminal of the user', async () => {
    const raw = JSON.stringify({ jsonrpc: '2.0', id: '\x1b[31mforged', result: {} })
    const steps = [
      { request: { method: 'fs/read_text_file', params: { path: '/etc/passwd' } } },
      { request: { method: 'fs/write_text_file', params: { path: '/tmp/x', content: 'x' } } },
      { request: { method: 'terminal/create', params: { command: 'id' } } },
      { raw },
      { raw: 'no JSON \x1b[31m' },
      {
        raw: JSON.stringify({
          jsonrpc: '2.0',
          method: 'session/update',
          params: { sessionId: 'session-0', update: { sessionUpdate: 'tool_call' } },
        }),
      },
      ...completes,
    ]
    await using world = await vendorHarness({ steps: [[steps]] })
    const printed: unknown[] = []
    const { error } = console
    console.error = (...words) => void printed.push(words)
    try {
      const { tasks } = await world.run()
      expect(tasks[0]?.status).toBe('completed')
    } finally {
      console.error = error
    }
    expect(printed).toEqual([])
    expect(world.logged('request').map(({ answer }) => answer)).toEqual(Array(3).fill({ code: -32601 }))
    expect(world.logged('initialize')[0]?.params).toMatchObject({
      clientCapabilities: { fs: { readTextFile: false, writeTextFile: false }, terminal: false },
    })
  })

  it('that dies at its start is reported with its exit code and its last words', async () => {
    const script = "console.error('\\x1b[31mError: cannot find its configuration'); process.exitCode = 7"
    await using world = await vendorHarness({
      acp: { args: ['-e', script] },
      lead: (request, signal) => (request.agent === 'lead' ? spawnsVera(request, signal) : replacement(request.turns)),
    })
    const { events } = await world.run()
    expect(problems(events)).toMatch(/it ended with exit code 7\. It wrote: .*Error: cannot find its configuration/)
    // biome-ignore lint/suspicious/noControlCharactersInRegex: this is what must not be there
    expect(problems(events)).not.toMatch(/\x1b/)
  })

  it('that is not signed in is not started again and again, and the user learns what to do', async () => {
    await using world = await vendorHarness({
      steps: ['sign in'],
      lead: (request, signal) => (request.agent === 'lead' ? spawnsVera(request, signal) : replacement(request.turns)),
    })
    const { stop, events } = await world.run()
    expect(stop.kind).toBe('finished')
    expect(problems(events)).toContain('is not signed in')
    expect(world.logged('start').length).toBeLessThan(6)
  })
})

/** One of our own agents that does the task of a lost teammate. */
function replacement(turns: readonly unknown[]) {
  const last = JSON.stringify(turns.at(-1))
  const task = /<task id=\\"(\d+)\\">/.exec(last)?.[1]
  return task
    ? { calls: [{ tool: 'TaskUpdate', input: { taskId: task, status: 'completed', result: 'by a replacement' } }] }
    : { text: 'Done.' }
}
