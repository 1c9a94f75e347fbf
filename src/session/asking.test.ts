import { existsSync, mkdtempSync, realpathSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { PersonAnswer, Question } from '../agent/questions.ts'
import type { ModelRequest } from '../models/model.ts'
import type { Script } from '../models/scripted/script.ts'
import { scriptedModel } from '../models/scripted/scripted-model.ts'
import { runToEnd } from '../testing/harnesses/session-harness.ts'
import { openWorkspace, type Workspace } from '../workspace.ts'
import { openSession } from './open-session.ts'
import type { Session } from './session.ts'
import type { SessionOptions } from './session-options.ts'
import { createRunSummary } from './wire/run-summary.ts'

let dir: string
let workspace: Workspace
beforeEach(async () => {
  dir = realpathSync(mkdtempSync(join(tmpdir(), 'deskmates-asking-')))
  workspace = await openWorkspace({ cwd: dir, env: { HOME: dir, DESKMATES_STATE: join(dir, 'state') } })
})
afterEach(async () => {
  await workspace[Symbol.asyncDispose]()
  rmSync(dir, { recursive: true, force: true })
})

const call = (tool: string, input: Record<string, unknown> = {}) => ({ tool, input })
const plan = (content: string) => call('SendMessage', { to: 'lead', type: 'plan_approval_request', content })
const write = (path: string) => call('write_file', { path, content: 'x' })

async function open(parts: Script['parts'], more: Partial<SessionOptions> = {}): Promise<Session> {
  const model = scriptedModel({ parts })
  return openSession({ workspace, model, team: 'web', sandbox: { mode: 'off' }, env: {}, ...more })
}

/** A lead that makes these, each of whom writes a file of its name, and hears what became of it. */
function writers(names: readonly string[], results: Record<string, string>): Script['parts'] {
  const hear = (request: ModelRequest) => {
    results[request.agent] = JSON.stringify(request.turns.find(({ role }) => role === 'tool'))
    return { text: 'Well.' }
  }
  return [
    { agent: 'lead', when: { user: 'Go' }, calls: names.map((name) => call('Task', { name, prompt: 'Write.' })) },
    ...names.map((agent) => ({ agent, when: { answer: 1 }, calls: [write(`${agent}.txt`)] })),
    { agent: [...names], times: 'always' as const, compose: hear },
    { agent: 'lead', times: 'always', text: 'I see.' },
  ]
}

describe('permission for a teammate', () => {
  it('asks the person with the name of the agent, and gives each agent its own answer', async () => {
    const questions: Question[] = []
    const results: Record<string, string> = {}
    // Answered only when both have asked.
    const waiting: (() => void)[] = []
    const ask = async (question: Question): Promise<PersonAnswer> => {
      questions.push(question)
      await new Promise<void>((go) => {
        waiting.push(go)
        if (waiting.length === 2) for (const answer of waiting) answer()
      })
      return question.agent === 'ada' ? { allowed: true } : { allowed: false, why: 'leave that' }
    }
    await using session = await open(writers(['ada', 'bob'], results), { ask })
    expect((await runToEnd(session, 'Go')).stop.kind).toBe('finished')
    expect(questions.map(({ agent, team, action, rules }) => [agent, team, action.kind, rules]).sort()).toEqual([
      ['ada', 'web', 'write', ['write_file']],
      ['bob', 'web', 'write', ['write_file']],
    ])
    expect(results.ada).toContain('Wrote')
    expect(results.bob).toContain('Denied: the user said no: leave that')
  })

  it('is awaited also while the lead itself waits for permission', async () => {
    const asked: string[] = []
    let leadMay = () => {}
    const leadWaits = new Promise<void>((resolve) => {
      leadMay = resolve
    })
    const results: Record<string, string> = {}
    const [spawn, ...rest] = writers(['ada'], results)
    const parts = [
      spawn!,
      { agent: 'lead', when: { answer: 2 }, calls: [write('lead.txt')] },
      ...rest,
    ] as Script['parts']
    const ask = async ({ agent }: Question): Promise<PersonAnswer> => {
      asked.push(agent)
      // The lead is answered last, when ada has had her answer.
      if (agent === 'lead') await leadWaits
      else setImmediate(leadMay)
      return { allowed: true }
    }
    await using session = await open(parts, { ask })
    expect((await runToEnd(session, 'Go')).stop.kind).toBe('finished')
    expect(asked.sort()).toEqual(['ada', 'lead'])
    expect(results.ada).toContain('Wrote')
  })

  it('is void when the session is closed, and asked again when it is resumed', async () => {
    const results: Record<string, string> = {}
    const signals: AbortSignal[] = []
    let isAsked = () => {}
    const asked = new Promise<void>((resolve) => {
      isAsked = resolve
    })
    const first = await open(writers(['ada'], results), {
      ask: (_, signal) => {
        signals.push(signal)
        isAsked()
        return new Promise(() => {})
      },
    })
    const running = runToEnd(first, 'Go')
    await asked
    await first.close()
    expect((await running).stop.kind).toBe('aborted')
    expect(signals[0]!.aborted).toBe(true)
    expect(first.team.state.requests.get('r1')?.state).toBe('void')

    let again = 0
    await using second = await open(
      [
        { agent: 'ada', when: { user: 'brought back' }, calls: [write('ada.txt')] },
        { agent: ['ada', 'lead'], times: 'always', text: 'Well.' },
      ],
      {
        async ask() {
          again++
          return { allowed: true }
        },
      },
    )
    expect((await runToEnd(second)).stop.kind).toBe('finished')
    expect(again).toBe(1)
    expect(second.team.state.requests.get('r2')).toMatchObject({ kind: 'permission', state: 'approved' })
  })

  it('denies at once when no person can be asked, names a rule, and notifies the lead once', async () => {
    const results: Record<string, string> = {}
    const received: string[] = []
    const parts = writers(['ada'], results).slice(0, -1)
    parts.splice(1, 1, {
      agent: 'ada',
      when: { answer: 1 },
      calls: [write('a.txt'), write('b.txt'), call('bash', { command: 'make all' })],
    })
    const compose = (request: ModelRequest) => {
      received.push(JSON.stringify(request.turns.at(-1)))
      return { text: 'I see.' }
    }
    await using session = await open([...parts, { agent: 'lead', times: 'always', compose }])
    const { stop, events } = await runToEnd(session, 'Go')
    expect(stop.kind).toBe('finished')
    expect(results.ada).toContain("The user can allow it: --allowedTools 'write_file'")
    const inputs = events.flatMap((event) =>
      event.type === 'team' && event.event.type === 'message.sent' && event.event.message.type === 'error'
        ? [event.event.message]
        : [],
    )
    expect(inputs.map(({ from, to, content }) => [from, to, /--allowedTools '[^']*'/.exec(content)?.[0]])).toEqual([
      ['ada', 'lead', "--allowedTools 'write_file'"],
      ['ada', 'lead', "--allowedTools 'bash(make *)'"],
    ])
    expect(received.join()).toContain('ada was denied to run: make all')
  }) // B70

  it('is never requested for what the lead may not do either', async () => {
    const results: Record<string, string> = {}
    let asked = 0
    await using session = await open(writers(['ada'], results), {
      permissions: { deny: ['write_file(ada.txt)'] },
      async ask() {
        asked++
        return { allowed: true }
      },
    })
    await runToEnd(session, 'Go')
    expect(asked).toBe(0)
    expect(results.ada).toContain('the rule write_file(ada.txt) denies it')
  })
})

describe('permission for a subagent', () => {
  const sendOut = (input: Record<string, unknown> = {}) =>
    call('Task', { prompt: 'Write.', agent_type: 'code', ...input })
  const receivesTask = { result: { tool: 'Task' } }

  /** Keeps every question open until its session ends. */
  function silent() {
    const open: { question: Question; signal: AbortSignal }[] = []
    let isAsked = () => {}
    const asked = new Promise<void>((resolve) => {
      isAsked = resolve
    })
    const ask = (question: Question, signal: AbortSignal): Promise<PersonAnswer> => {
      open.push({ question, signal })
      isAsked()
      return new Promise(() => {})
    }
    return { open, asked, ask }
  }

  it('is requested from the same person, with the names of parent and subagent', async () => {
    const asked: string[] = []
    const parts: Script['parts'] = [
      { agent: 'lead', when: { user: 'Go' }, calls: [sendOut(), sendOut({ agent_type: 'explore' })] },
      { agent: 'lead/code-1', when: { answer: 1 }, calls: [write('allowed.txt')] },
      { agent: 'lead/explore-1', when: { answer: 1 }, calls: [call('bash', { command: 'echo x > refused.txt' })] },
      { agent: 'lead/code-1', when: { result: 'Wrote' }, text: 'I wrote it.' },
      { agent: 'lead/explore-1', when: { result: 'Denied: the user said no: not that' }, text: 'I may not.' },
      { agent: 'lead', when: receivesTask, text: 'Well.' },
    ]
    await using session = await open(parts, {
      async ask({ agent, team, action }): Promise<PersonAnswer> {
        asked.push(`${agent} of ${team}: ${action.kind}`)
        return action.kind === 'write' ? { allowed: true } : { allowed: false, why: 'not that' }
      },
    })
    const { stop, events } = await runToEnd(session, 'Go')
    expect(stop).toEqual({ kind: 'finished', text: 'Well.' })
    expect(asked.sort()).toEqual(['lead › code of web: write', 'lead › explore of web: run'])
    expect([existsSync(join(dir, 'allowed.txt')), existsSync(join(dir, 'refused.txt'))]).toEqual([true, false])
    // People who look into the journal see it too.
    const requests = [...session.team.state.requests.values()].map(({ from, content, state }) => ({
      from,
      content,
      state,
    }))
    expect(requests).toContainEqual({
      from: 'lead',
      content: expect.stringMatching(/^for lead › code: write .*allowed\.txt/),
      state: 'approved',
    })
    const denied = events.flatMap((event) => (event.type === 'tool_finished' && event.denied ? [event.agent] : []))
    expect(denied).toEqual(['lead/explore-1'])
  })

  it('is never requested for what a rule denies', async () => {
    let asked = 0
    const parts: Script['parts'] = [
      { agent: 'lead', when: { user: 'Go' }, calls: [sendOut()] },
      { agent: 'lead/code-1', when: { answer: 1 }, calls: [write('kept.txt')] },
      { agent: 'lead/code-1', when: { result: 'Denied: the rule write_file(kept.txt) denies it' }, text: 'I may not.' },
      { agent: 'lead', when: receivesTask, text: 'Well.' },
    ]
    await using session = await open(parts, {
      permissions: { deny: ['write_file(kept.txt)'] },
      async ask() {
        asked++
        return { allowed: true }
      },
    })
    await runToEnd(session, 'Go')
    expect([asked, existsSync(join(dir, 'kept.txt'))]).toEqual([0, false])
  })

  it('is no longer awaited when the agent that started the subagent is interrupted', async () => {
    const { open: questions, asked, ask } = silent()
    const parts: Script['parts'] = [
      { agent: 'lead', when: { user: 'Go' }, calls: [sendOut()] },
      { agent: 'lead/code-1', when: { answer: 1 }, calls: [write('late.txt')] },
    ]
    await using session = await open(parts, { ask })
    const stop = new AbortController()
    const running = session.run('Go', stop.signal)
    const ended = (async () => {
      for (;;) {
        const step = await running.next()
        if (step.done) return step.value
      }
    })()
    await asked
    stop.abort()
    expect((await ended).kind).toBe('aborted')
    expect(questions.map(({ signal }) => signal.aborted)).toEqual([true])
    expect(session.team.state.requests.get('r1')).toMatchObject({ state: 'void' })
    expect(existsSync(join(dir, 'late.txt'))).toBe(false)
  })

  it('for a background subagent delays neither the lead nor, once it is stopped, the end of the run', async () => {
    const { open: questions, asked, ask } = silent()
    const parts: Script['parts'] = [
      { agent: 'lead', when: { user: 'Go' }, calls: [sendOut({ run_in_background: true })] },
      { agent: 'lead/code-1', when: { answer: 1 }, calls: [write('late.txt')] },
      { agent: 'lead', when: { user: 'Enough' }, calls: [call('TaskStop', { task_id: 'a000001' })] },
      { agent: 'lead', times: 'always', text: 'Well.' },
    ]
    await using session = await open(parts, { ask })
    const running = runToEnd(session, 'Go')
    await asked
    await session.team.send({ to: 'lead', content: 'Enough' })
    expect((await running).stop).toEqual({ kind: 'finished', text: 'Well.' })
    expect(questions.map(({ signal }) => signal.aborted)).toEqual([true])
    expect(session.team.state.requests.get('r1')).toMatchObject({ state: 'void' })
  })

  it('is requested also for the subagent that replaces a lost teammate', async () => {
    const asked: string[] = []
    const broken = { error: { fault: 'key' as const, message: 'the key is wrong' } }
    const parts: Script['parts'] = [
      { agent: 'lead', when: { user: 'Go' }, calls: [call('TaskCreate', { subject: 'dig', description: 'Dig.' })] },
      {
        agent: 'lead',
        when: { result: { tool: 'TaskCreate' } },
        calls: [call('Task', { name: 'ada', prompt: 'Dig.', task_id: '1' })],
      },
      { agent: 'ada', times: 'always', ...broken },
      { agent: 'ada-errand/code-1', when: { answer: 1 }, calls: [write('dug.txt')] },
      {
        agent: 'ada-errand/code-1',
        when: { result: 'Wrote' },
        calls: [call('TaskUpdate', { taskId: '1', status: 'completed', result: 'Dug.' })],
      },
      { agent: 'ada-errand/code-1', when: { result: { tool: 'TaskUpdate' } }, text: 'Dug.' },
      { agent: 'lead', times: 'always', text: 'Well.' },
    ]
    await using session = await open(parts, {
      async ask({ agent }): Promise<PersonAnswer> {
        asked.push(agent)
        return { allowed: true }
      },
    })
    expect((await runToEnd(session, 'Go')).stop.kind).toBe('finished')
    expect(asked).toEqual(['ada-errand › code'])
    expect(session.team.state.tasks.get('1')).toMatchObject({ status: 'completed', result: 'Dug.' })
  })

  it('denies a permission request at once when no person can be asked', async () => {
    const parts: Script['parts'] = [
      { agent: 'lead', when: { user: 'Go' }, calls: [sendOut()] },
      { agent: 'lead/code-1', when: { answer: 1 }, calls: [write('never.txt')] },
      { agent: 'lead/code-1', when: { result: 'no person can be asked here' }, text: 'I need leave to write.' },
      { agent: 'lead', when: receivesTask, text: 'Well.' },
    ]
    await using session = await open(parts)
    const { events } = await runToEnd(session, 'Go')
    const summary = createRunSummary()
    for (const event of events) summary.add(event)
    expect(summary.denials.map(({ agent, tool_name }) => [agent, tool_name])).toEqual([['lead/code-1', 'write_file']])
    expect(session.team.state.requests.size).toBe(0)
  })
})

describe('a plan that a person is to approve', () => {
  const parts: Script['parts'] = [
    {
      agent: 'lead',
      when: { user: 'Go' },
      calls: [call('Task', { name: 'ada', prompt: 'Write.', require_plan: true })],
    },
    { agent: 'ada', when: { answer: 1 }, calls: [plan('I write it.')] },
    { agent: 'ada', when: { user: 'with a test' }, calls: [plan('I write it with a test.')] },
    { agent: 'ada', when: { user: 'pproved' }, calls: [write('done.txt')] },
    { agent: ['lead', 'ada'], times: 'always', text: 'Well.' },
  ]
  const more = { permissions: { mode: 'acceptEdits' }, supervisor: { plans: 'human' } } as const

  it('is shown to the person until approved, and nothing is changed before', async () => {
    const asked: string[] = []
    const session = await open(parts, {
      ...more,
      async askPlan({ agent, team, plan }) {
        asked.push(`${agent} of ${team}: ${plan} ${existsSync(join(dir, 'done.txt'))}`)
        return asked.length > 1 ? { allowed: true } : { allowed: false, why: 'Only with a test.' }
      },
    })
    expect((await runToEnd(session, 'Go')).stop.kind).toBe('finished')
    await session.close()
    expect(asked).toEqual(['ada of web: I write it. false', 'ada of web: I write it with a test. false'])
    expect(existsSync(join(dir, 'done.txt'))).toBe(true)
  }) // B67

  it('is rejected with the reason when the person cannot be asked', async () => {
    const session = await open(parts, { ...more, askPlan: () => Promise.reject(new Error('the screen is gone')) })
    expect((await runToEnd(session, 'Go')).stop.kind).toBe('finished')
    const [request] = session.team.state.requests.values()
    await session.close()
    expect(request).toMatchObject({ state: 'rejected', feedback: expect.stringContaining('the screen is gone') })
    expect(existsSync(join(dir, 'done.txt'))).toBe(false)
  })
})
