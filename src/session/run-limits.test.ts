import { mkdtempSync, readFileSync, realpathSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { SessionEvent } from '../agent/session-event.ts'
import type { Script } from '../models/scripted/script.ts'
import { scriptedModel } from '../models/scripted/scripted-model.ts'
import { memberNamed } from '../team/state.ts'
import { runToEnd } from '../testing/harnesses/session-harness.ts'
import { openWorkspace, type Workspace } from '../workspace.ts'
import { openSession } from './open-session.ts'
import type { Session } from './session.ts'
import type { SessionOptions } from './session-options.ts'

let dir: string
let workspace: Workspace
beforeEach(async () => {
  dir = realpathSync(mkdtempSync(join(tmpdir(), 'deskmates-limits-')))
  workspace = await openWorkspace({ cwd: dir, env: { DESKMATES_STATE: join(dir, 'state'), PATH: process.env.PATH } })
})
afterEach(() => workspace[Symbol.asyncDispose]())

type Parts = Script['parts']
const open = (parts: Parts, more: Partial<SessionOptions> = {}) =>
  openSession({ workspace, model: scriptedModel({ parts }), permissions: { mode: 'bypassPermissions' }, ...more })
const run = (session: Session, prompt?: string) => runToEnd(session, prompt, AbortSignal.timeout(30_000))
const call = (tool: string, input: Record<string, unknown> = {}) => ({ tool, input })
const answers = (events: readonly SessionEvent[]) => events.filter(({ type }) => type === 'answered')

/** A lead that hands out two tasks and rests; ada and bob look at the board for ever. */
const endless: Parts = [
  {
    agent: 'lead',
    when: { answer: 1 },
    calls: [
      call('TaskCreate', { subject: 'dig', description: '' }),
      call('TaskCreate', { subject: 'fill', description: '' }),
      call('Task', { name: 'ada', prompt: 'Dig.', task_id: '1' }),
      call('Task', { name: 'bob', prompt: 'Fill.', task_id: '2' }),
    ],
  },
  { agent: 'lead', times: 'always', text: 'I wait.' },
  { agent: ['ada', 'bob'], times: 'always', calls: [call('TaskList')] },
]

describe('the limit of model calls', () => {
  it('counts the calls of lead and teammates and stops the run exactly there', async () => {
    await using session = await open(endless, { limits: { turns: 9 } })
    const { stop, events } = await run(session, 'Go')
    expect(stop).toMatchObject({ kind: 'limit', limit: 'turns' })
    expect(answers(events)).toHaveLength(9)
    expect(new Set(answers(events).map(({ agent }) => agent))).toEqual(new Set(['lead', 'ada', 'bob']))
  }) // T22

  it('counts the calls of subagents', async () => {
    await using session = await open(
      [
        { agent: 'lead', times: 'always', calls: [call('Task', { prompt: 'Look.', agent_type: 'explore' })] },
        { agent: 'lead/explore-1', times: 'always', calls: [call('glob', { pattern: '*' })] },
      ],
      { limits: { turns: 6 } },
    )
    const { stop, events } = await run(session, 'Go')
    expect(stop).toMatchObject({ kind: 'limit', limit: 'turns' })
    expect(answers(events)).toHaveLength(6)
  }) // T22

  it('ends the run with that limit when the lead made the last call and teammates still have work', async () => {
    await using session = await open(endless, { limits: { turns: 2 } })
    const { stop, events } = await run(session, 'Go')
    expect(stop).toMatchObject({ kind: 'limit', limit: 'turns' })
    expect(answers(events).length).toBeLessThanOrEqual(2)
  }) // T22

  it('does not stop a run that is finished with its last call', async () => {
    await using session = await open([{ agent: 'lead', text: 'Done.' }], { limits: { turns: 1 } })
    expect((await run(session, 'Go')).stop).toEqual({ kind: 'finished', text: 'Done.' })
  }) // T22

  it('leaves work that another run continues', async () => {
    const first = await open(endless, { limits: { turns: 7 } })
    await run(first, 'Go')
    await first.close()
    await using again = await open(
      [
        { agent: 'lead', times: 'always', text: 'I wait.' },
        {
          agent: ['ada', 'bob'],
          times: 'always',
          compose: ({ agent, turns }) =>
            JSON.stringify(turns.at(-1)).includes('tool-result')
              ? { text: 'Done.' }
              : {
                  calls: [
                    call('TaskUpdate', { taskId: agent === 'ada' ? '1' : '2', status: 'completed', result: 'ok' }),
                  ],
                },
        },
      ],
      { team: first.id },
    )
    await run(again)
    expect([...again.team.state.tasks.values()].map(({ status }) => status)).toEqual(['completed', 'completed'])
  }) // T22
})

describe('the budget of a run', () => {
  const price = { input: 0, cacheRead: 0, cacheWrite: 0, output: 1_000_000 }
  const openPriced = (parts: Parts) => open(parts, { model: scriptedModel({ parts, price }), limits: { dollars: 4 } })

  it('ends the run when teammates use it up, and the lead learns which one it stopped', async () => {
    await using session = await openPriced([
      ...endless.slice(0, 2).map((part) => ({ ...part, usage: { output: 0 } })),
      { agent: ['ada', 'bob'], times: 'always', calls: [call('TaskList')], usage: { output: 1 } },
    ])
    const { stop, events } = await run(session, 'Go')
    expect(stop).toMatchObject({ kind: 'budget' })
    const errors = events.flatMap((event) =>
      event.type === 'team' && event.event.type === 'message.sent' && event.event.message.type === 'error'
        ? [event.event.message]
        : [],
    )
    expect(errors[0]).toMatchObject({ to: 'lead', content: expect.stringContaining('budget') })
  })

  it('ends the run as used up when the lead spent the rest and a teammate still holds a task', async () => {
    await using session = await openPriced([
      {
        agent: 'lead',
        when: { answer: 1 },
        calls: [
          call('TaskCreate', { subject: 'dig', description: '' }),
          call('Task', { name: 'ada', prompt: 'Dig.', task_id: '1' }),
        ],
        usage: { output: 0 },
      },
      { agent: 'lead', when: { user: 'How deep' }, text: 'Very.', usage: { output: 5 } },
      { agent: 'lead', times: 'always', text: 'I wait.', usage: { output: 0 } },
      {
        agent: 'ada',
        when: { answer: 1 },
        calls: [call('SendMessage', { to: 'lead', content: 'How deep?' })],
        usage: { output: 0 },
      },
      { agent: 'ada', times: 'always', text: ' ', usage: { output: 0 } },
    ])
    const { stop } = await run(session, 'Go')
    expect(stop).toEqual({ kind: 'budget', spent: 5, text: 'Very.' })
  })
})

describe('an agent that repeats failing calls', () => {
  it('ends the run when it is the lead, after a warning', async () => {
    await using session = await open([{ agent: 'lead', times: 'always', calls: [call('no_such_tool')] }])
    const { stop, events } = await run(session, 'Go')
    expect(stop).toMatchObject({ kind: 'limit', limit: 'failures', why: expect.stringContaining('no_such_tool') })
    expect(answers(events).length).toBeLessThan(20)
    const results = events.flatMap((event) => (event.type === 'tool_finished' ? [event.result.text] : []))
    expect(results.some((text) => text.includes('It is not made again'))).toBe(true)
  }) // T54

  it('fails the task of a teammate and reports the reason to the lead', async () => {
    await using session = await open([
      {
        agent: 'lead',
        when: { answer: 1 },
        calls: [
          call('TaskCreate', { subject: 'dig', description: '' }),
          call('Task', { name: 'ada', prompt: 'Dig.', task_id: '1' }),
        ],
      },
      { agent: 'lead', when: { user: 'dig. failed: the same call' }, text: 'I see that it failed.' },
      { agent: 'lead', times: 'always', text: 'I wait.' },
      {
        agent: 'ada',
        times: 'always',
        compose: ({ turns }) => ({
          calls: [call('bash', { command: 'exit 1' }), call('read_file', { path: `no-${turns.length}` })],
        }),
      },
    ])
    const { stop, events } = await run(session, 'Go')
    expect(stop.kind).toBe('finished')
    expect(answers(events).filter(({ agent }) => agent === 'ada').length).toBeLessThan(20)
    expect(session.team.state.tasks.get('1')).toMatchObject({ status: 'failed' })
    expect(memberNamed(session.team.state, 'ada')?.status).toBe('idle')
    const received = events.flatMap((event) =>
      event.type === 'input_received' && event.agent === 'lead' ? [event.turn] : [],
    )
    expect(JSON.stringify(received)).toContain('without any progress')
  }) // T54
})

describe('teammates when a run ends in the middle of the work', () => {
  const spentBudget: Parts = [
    ...endless.slice(0, 2),
    { agent: ['ada', 'bob'], times: 'always', calls: [call('TaskList')] },
  ]
  const lost = (events: readonly SessionEvent[]) =>
    events.filter((event) => event.type === 'team' && event.event.type === 'member.lost')

  it('are parked with the limit as the reason, never lost, and the next run brings them back', async () => {
    const first = await open(spentBudget, { limits: { turns: 9 } })
    const { events } = await run(first, 'Go')
    expect(lost(events)).toEqual([])
    for (const name of ['ada', 'bob'])
      expect(memberNamed(first.team.state, name)).toMatchObject({
        status: 'idle',
        parked: 'this run made all the model calls it was allowed',
      })
    await first.close()
    await using again = await open([{ agent: ['lead', 'ada', 'bob'], times: 'always', text: 'Fine.' }], {
      team: first.id,
    })
    const next = await run(again)
    expect(lost(next.events)).toEqual([])
    expect([...again.team.state.tasks.values()].map(({ ended }) => ended[0]?.end)).toEqual([
      'owner parked',
      'owner parked',
    ])
    expect(memberNamed(again.team.state, 'ada')).toMatchObject({ generation: 2 })
    expect(memberNamed(again.team.state, 'ada')?.parked).toBeUndefined()
  }) // T34

  it('are parked when the run is interrupted', async () => {
    const stop = new AbortController()
    const session = await open([
      ...endless.slice(0, 2),
      {
        agent: ['ada', 'bob'],
        times: 'always',
        compose() {
          stop.abort()
          return { calls: [call('TaskList')] }
        },
      },
    ])
    const { events } = await runToEnd(session, 'Go', stop.signal)
    await session.close()
    expect(lost(events)).toEqual([])
    expect(memberNamed(session.team.state, 'ada')).toMatchObject({ status: 'idle', parked: 'the run was interrupted' })
  }) // T34

  it('are not recorded as interrupted after a later run that finished', async () => {
    const stop = new AbortController()
    const session = await open([
      {
        when: { answer: 1 },
        compose() {
          stop.abort()
          return { calls: [call('TaskList')] }
        },
      },
      { times: 'always', text: 'Done.' },
    ])
    expect((await runToEnd(session, 'Go', stop.signal)).stop.kind).toBe('aborted')
    expect((await run(session, 'Go on')).stop.kind).toBe('finished')
    await session.close()
    const records = readFileSync(workspace.journalOf(session.id), 'utf8').split('\n')
    const gone = records.filter((line) => line.includes('supervisor.gone'))
    expect(gone).toHaveLength(1)
    expect(gone[0]).toContain('its session was closed')
  }) // T34
})

describe('an idle team', () => {
  it('is resumed without a single model call, however often', async () => {
    const first = await open([
      {
        agent: 'lead',
        when: { answer: 1 },
        calls: ['ada', 'bob', 'eve'].map((name) => call('Task', { name, prompt: 'Hello.' })),
      },
      { times: 'always', text: 'Fine.' },
    ])
    await run(first, 'Go')
    await first.close()
    for (let i = 0; i < 3; i++) {
      await using again = await open([{ times: 'always', text: 'Again.' }], { team: first.id })
      const { stop, events } = await run(again)
      expect(stop.kind).toBe('finished')
      expect(answers(events)).toEqual([])
      const sent = events.filter((event) => event.type === 'team' && event.event.type === 'message.sent')
      expect(sent, 'no idle notice is repeated').toEqual([])
    }
  }) // T25
})

describe('the lead', () => {
  it('spends no turn on the notice that a teammate is idle', async () => {
    await using session = await open([
      { agent: 'lead', when: { answer: 1 }, calls: [call('Task', { name: 'ada', prompt: 'Hello.' })] },
      { agent: 'lead', times: 'always', text: 'Fine.' },
      { agent: 'ada', times: 'always', text: ' ' },
    ])
    const { events } = await run(session, 'Go')
    const idle = events.filter(
      (event) =>
        event.type === 'team' &&
        event.event.type === 'message.sent' &&
        event.event.message.type === 'idle_notification',
    )
    expect(idle).toHaveLength(1)
    expect(answers(events).filter(({ agent }) => agent === 'lead')).toHaveLength(2)
  }) // T25

  const waiting: Parts = [
    { agent: 'lead', when: { answer: 1 }, calls: [call('Task', { name: 'ada', prompt: 'Hello.' })] },
    { agent: 'lead', when: { user: 'asked ada to stop' }, text: 'I know.' },
    { agent: 'lead', times: 'always', text: 'Fine.' },
    { agent: 'ada', times: 'always', text: 'Hello.' },
  ]

  it('is notified when the user asks a teammate to stop, with its unfinished work', async () => {
    await using session = await open(waiting)
    await run(session, 'Go')
    await session.team.run({ type: 'request.open', kind: 'shutdown', to: 'ada', content: 'too slow' })
    const { stop, events } = await run(session)
    expect(stop).toMatchObject({ text: 'I know.' })
    const received = JSON.stringify(events.filter((event) => event.type === 'input_received' && event.agent === 'lead'))
    expect(received).toContain('[user asked ada to stop (too slow)] approved: status: clean, pending work: none')
    expect(received).toContain('uncommitted files: not checked')
  }) // T26

  it('is notified when the user stops a teammate without asking it', async () => {
    await using session = await open(waiting)
    await run(session, 'Go')
    await session.team.run({ type: 'member.stop', name: 'ada', reason: 'it is in the way' })
    const { events } = await run(session)
    const received = JSON.stringify(events.filter((event) => event.type === 'input_received' && event.agent === 'lead'))
    expect(received).toContain('[The user stopped ada: it is in the way.]')
  }) // T26

  it('gets status, pending work and uncommitted files of a teammate that agrees to stop', async () => {
    await using session = await open([
      { agent: 'lead', when: { answer: 1 }, calls: [call('Task', { name: 'ada', prompt: 'Hello.' })] },
      {
        agent: 'lead',
        when: { answer: 2 },
        calls: [call('SendMessage', { type: 'shutdown_request', to: 'ada', content: 'Enough.' })],
      },
      { agent: 'lead', times: 'always', text: 'Fine.' },
      {
        agent: 'ada',
        times: 'always',
        compose({ turns }) {
          const id = /request_id=\\"(r\d+)/.exec(JSON.stringify(turns.at(-1)))?.[1]
          const answer = { request_id: id, approve: true, status: 'in_progress', pending_work: ['the tests'] }
          const said = { type: 'shutdown_response', artifacts_committed: true, ...answer }
          return { calls: [id ? call('SendMessage', said) : call('TaskList')] }
        },
      },
    ])
    const { events } = await run(session, 'Go')
    const received = JSON.stringify(events.filter((event) => event.type === 'input_received' && event.agent === 'lead'))
    expect(received).toMatch(
      /approved; status: in_progress, pending work: the tests, artifacts committed: yes, uncommitted/,
    )
  }) // T26

  it.for([
    ['auto', 'approved at once by a rule'],
    ['human', 'goes to the user for approval'],
  ] as const)('learns where the plan of a new teammate goes with plans: %s', async ([plans, words]) => {
    await using session = await open(
      [
        {
          agent: 'lead',
          when: { answer: 1 },
          calls: [call('Task', { name: 'ada', prompt: 'Plan.', require_plan: true })],
        },
        { agent: 'lead', times: 'always', text: 'Fine.' },
        {
          agent: 'ada',
          when: { answer: 1 },
          calls: [call('SendMessage', { type: 'plan_approval_request', content: 'I dig.' })],
        },
        { agent: 'ada', times: 'always', text: 'Planned.' },
      ],
      { supervisor: { plans } },
    )
    const { events } = await run(session, 'Go')
    const spawned = events.flatMap((event) =>
      event.type === 'tool_finished' && event.agent === 'lead' ? [event.result.text] : [],
    )
    expect(spawned[0]).toContain(words)
    const received = JSON.stringify(events.filter((event) => event.type === 'input_received' && event.agent === 'lead'))
    expect(received, 'the lead is not asked').not.toContain('plan_approval_request')
    const [request] = session.team.state.requests.values()
    expect(request).toMatchObject({ state: plans === 'auto' ? 'approved' : 'rejected' })
  }) // T31
})
