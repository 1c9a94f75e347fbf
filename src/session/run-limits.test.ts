import { mkdtempSync, realpathSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { Script } from '../models/scripted/script.ts'
import { scriptedModel } from '../models/scripted/scripted-model.ts'
import { memberNamed } from '../team/state.ts'
import { openWorkspace, type Workspace } from '../workspace.ts'
import { openSession, type SessionOptions } from './open-session.ts'
import { runToEnd } from './practice-run.ts'
import type { Session, SessionEvent } from './session.ts'

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

  it('leaves work that another run goes on with', async () => {
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

describe('an agent that repeats failing calls', () => {
  it('ends the run when it is the lead, after it was told', async () => {
    await using session = await open([{ agent: 'lead', times: 'always', calls: [call('no_such_tool')] }])
    const { stop, events } = await run(session, 'Go')
    expect(stop).toMatchObject({ kind: 'limit', limit: 'failures', why: expect.stringContaining('no_such_tool') })
    expect(answers(events).length).toBeLessThan(20)
    const results = events.flatMap((event) => (event.type === 'called' ? [event.result.text] : []))
    expect(results.some((text) => text.includes('Do not repeat it'))).toBe(true)
  }) // T54

  it('fails the task of a teammate and tells the lead why', async () => {
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
    const heard = events.flatMap((event) => (event.type === 'heard' && event.agent === 'lead' ? [event.turn] : []))
    expect(JSON.stringify(heard)).toContain('without any progress')
  }) // T54
})
