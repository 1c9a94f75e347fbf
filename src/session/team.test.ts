import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, realpathSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { z } from 'zod'
import { openTeam } from '../journal/team-handle.ts'
import type { ModelRequest } from '../models/model.ts'
import type { Script } from '../models/scripted/script.ts'
import { scriptedModel } from '../models/scripted/scripted-model.ts'
import { memberNamed } from '../team/state.ts'
import { runToEnd } from '../testing/harnesses/session-harness.ts'
import { defineTool } from '../tools/define-tool.ts'
import { openWorkspace, type Workspace } from '../workspace.ts'
import { openSession } from './open-session.ts'
import type { Session } from './session.ts'
import type { SessionOptions } from './session-options.ts'

let dir: string
let workspace: Workspace
beforeEach(async () => {
  dir = realpathSync(mkdtempSync(join(tmpdir(), 'deskmates-team-')))
  execFileSync('git', ['init', '-q', dir], { env: { ...process.env, GIT_CONFIG_GLOBAL: '/dev/null' } })
  workspace = await openWorkspace({ cwd: dir, env: { DESKMATES_STATE: join(dir, 'state'), PATH: process.env.PATH } })
})
afterEach(() => workspace[Symbol.asyncDispose]())

type Parts = Script['parts']
const open = (parts: Parts, more: Partial<SessionOptions> = {}) =>
  openSession({ workspace, model: scriptedModel({ parts }), permissions: { mode: 'bypassPermissions' }, ...more })

const run = (session: Session, prompt: string) => runToEnd(session, prompt, AbortSignal.timeout(30_000))

const taskOf = (request: ModelRequest) => /<task id=\\"(\d+)\\">/.exec(JSON.stringify(request.turns.at(-1)))?.[1]
const call = (tool: string, input: Record<string, unknown> = {}) => ({ tool, input })

/** A teammate that does its task and says so. */
const diligent: Parts[number] = {
  times: 'always',
  compose: (request) => {
    const task = taskOf(request)
    return task
      ? { calls: [call('TaskUpdate', { taskId: task, status: 'completed', result: `done ${task}` })] }
      : { text: 'Ready.' }
  },
}

/** A lead that makes a team with ada in it, and deletes it at once. */
const madeAndDeleted: Parts = [
  {
    agent: 'lead',
    when: { answer: 1 },
    calls: [
      call('TeamCreate', { name: 'api' }),
      call('TaskCreate', { subject: 'dig', description: '' }),
      call('Task', { name: 'ada', prompt: 'Dig.', task_id: '1' }),
    ],
  },
  { agent: 'lead', when: { answer: 2 }, calls: [call('TeamDelete', { name: 'api' })] },
]

/** Ada looks at the board until she is asked to stop, and then does this. */
const askedToStop = (answer: (request_id: string) => ReturnType<typeof call>[]): Parts[number] => ({
  agent: 'ada',
  times: 'always',
  compose(request) {
    const request_id = /request_id=\\"(r\d+)/.exec(JSON.stringify(request.turns.at(-1)))?.[1]
    return { calls: request_id ? answer(request_id) : [call('TaskList')] }
  },
})

describe('a team at work', () => {
  it('has a lead that creates tasks and teammates, gets every report and ends when all work is finished', async () => {
    await using session = await open([
      {
        agent: 'lead',
        when: { user: 'Build it' },
        calls: [
          call('TaskCreate', { subject: 'write', description: 'the code' }),
          call('TaskCreate', { subject: 'test', description: 'the code', blockedBy: ['1'], role: 'tester' }),
          call('Task', { name: 'ada', role: 'dev', prompt: 'Write.', task_id: '1' }),
          call('Task', { name: 'bob', role: 'tester', prompt: 'Test.' }),
        ],
      },
      {
        agent: 'lead',
        times: 'always',
        compose: (request) => ({
          text:
            JSON.stringify(request.turns).includes('done 2') ||
            JSON.stringify(request.turns).match(/from=\\"bob\\" type=\\"result\\"/)
              ? 'All done.'
              : 'Waiting.',
        }),
      },
      { agent: ['ada', 'bob'], ...diligent },
    ])
    const { stop, events } = await run(session, 'Build it')
    expect(stop).toMatchObject({ kind: 'finished', text: 'All done.' })
    const { state } = session.team
    expect(state.tasks.get('1')).toMatchObject({ status: 'completed', owner: 'ada', result: 'done 1' })
    expect(state.tasks.get('2')).toMatchObject({ status: 'completed', owner: 'bob', result: 'done 2' })
    expect(['ada', 'bob'].map((name) => memberNamed(state, name)?.status)).toEqual(['idle', 'idle'])
    expect(events.some((event) => event.type === 'team' && event.event.type === 'task.claimed')).toBe(true)
    const config = () => JSON.parse(readFileSync(join(dir, '.teams', session.id, 'config.json'), 'utf8'))
    const names = () => config().members.map(({ name }: { name: string }) => name)
    await vi.waitFor(() => expect(names()).toEqual(['lead', 'ada', 'bob']), 30_000)
  }) // A1, A2, A6, A88, A90, B54

  it('lets teammates message each other directly, without the lead', async () => {
    await using session = await open([
      {
        agent: 'lead',
        when: { user: 'Go' },
        calls: [
          call('Task', { name: 'ada', prompt: 'Ask bob for the API.' }),
          call('Task', { name: 'bob', prompt: 'You know the API.' }),
        ],
      },
      { agent: 'lead', times: 'always', text: 'I see.' },
      { agent: 'ada', when: { user: 'Ask bob' }, calls: [call('SendMessage', { to: 'bob', content: 'Which API?' })] },
      { agent: 'ada', when: { user: 'GET /users' }, text: 'The API is GET /users.' },
      { agent: 'ada', times: 'always', text: 'I wait for bob.' },
      {
        agent: 'bob',
        when: { user: 'Which API?' },
        calls: [call('SendMessage', { to: 'ada', content: 'GET /users' })],
      },
      { agent: 'bob', times: 'always', text: 'Here.' },
    ])
    const { events } = await run(session, 'Go')
    const messages = events.flatMap((event) =>
      event.type === 'team' && event.event.type === 'message.sent' ? [event.event.message] : [],
    )
    const between = messages.filter(({ type, from, to }) => type === 'message' && from !== 'lead' && to !== 'lead')
    expect(between.map(({ from, to, content }) => [from, to, content])).toEqual([
      ['ada', 'bob', 'Which API?'],
      ['bob', 'ada', 'GET /users'],
    ])
    expect(
      messages.some(
        ({ from, type, content }) => from === 'ada' && type === 'result' && content === 'The API is GET /users.',
      ),
    ).toBe(true)
  }) // A91, F5

  it('creates further teams, whose mail reaches the same lead, and deletes them after all agents stopped', async () => {
    await using session = await open(
      [
        {
          agent: 'lead',
          when: { user: 'Go' },
          calls: [call('TeamCreate', { name: 'api' }), call('Task', { name: 'ada', prompt: 'Hello.' })],
        },
        { agent: 'lead', when: { user: 'from=.ada. team=.api.' }, calls: [call('TeamDelete', { name: 'api' })] },
        {
          agent: 'lead',
          when: { result: { tool: 'TeamDelete', text: 'deleted, 1 teammate notified' } },
          text: 'Over.',
        },
        { agent: 'lead', times: 'always', text: 'Waiting.' },
        { agent: 'ada', times: 'always', text: 'Hello to you.' },
      ].map((part) =>
        part.when && 'user' in part.when && part.when.user?.startsWith('from=')
          ? { ...part, when: { user: /from="ada" team="api" type="result"/ } }
          : part,
      ) as Parts,
    )
    const { stop } = await run(session, 'Go')
    expect(stop).toMatchObject({ kind: 'finished', text: 'Over.' })
    expect(await workspace.store.teams()).toEqual([session.id])
    expect(session.team.state.leads.get()).toEqual([])
  }) // A58, A63, A82, F32

  it('no longer announces its process in a team that it deleted', async () => {
    const withdrawn: string[] = []
    const { store } = workspace
    const presence = Object.create(store.presence, {
      withdraw: {
        value(team: string) {
          withdrawn.push(team)
          return store.presence.withdraw(team)
        },
      },
    })
    const parts: Parts = [
      { when: { answer: 1 }, calls: [call('TeamCreate', { name: 'api' })] },
      { when: { answer: 2 }, calls: [call('TeamDelete', { name: 'api' })] },
      { times: 'always', text: 'Over.' },
    ]
    await using session = await open(parts, {
      workspace: { ...workspace, store: Object.create(store, { presence: { value: presence } }) },
    })
    expect((await run(session, 'Go')).stop).toMatchObject({ kind: 'finished' })
    expect(withdrawn).toEqual(['api'])
  }) // A63

  it('loses no report of a job that ended while a further team could not be read', async () => {
    const asked: string[] = []
    let isBroken = false
    const { store } = workspace
    const breaking: Workspace['store'] = Object.create(store, {
      log: {
        async value(...wanted: Parameters<typeof store.log>) {
          const log = await store.log(...wanted)
          const read: typeof log.read = (from) =>
            isBroken && wanted[0] === 'api/journal' ? Promise.reject(new Error('the disk is away')) : log.read(from)
          return { ...log, read }
        },
      },
    })
    const jobEnds = defineTool({
      name: 'job_ends',
      description: 'Waits for the end of the job.',
      input: z.object({}),
      async run(_, { jobs }) {
        await jobs.list()[0]!.ended
        isBroken = true
        return 'It has ended.'
      },
    })
    const parts: Parts = [
      {
        when: { answer: 1 },
        calls: [
          call('TeamCreate', { name: 'api' }),
          call('bash', { command: 'true', run_in_background: true }),
          call('job_ends'),
        ],
      },
      {
        times: 'always',
        compose({ turns }) {
          asked.push(JSON.stringify(turns))
          return { text: 'I see.' }
        },
      },
    ]
    await using session = await open(parts, {
      workspace: { ...workspace, store: breaking },
      tools: [jobEnds],
      sandbox: { mode: 'off' },
    })
    expect((await run(session, 'Go')).stop).toMatchObject({ kind: 'error', error: { message: 'the disk is away' } })
    isBroken = false
    expect((await run(session, 'Go on')).stop.kind).toBe('finished')
    expect(asked.at(-1)?.match(/<task-notification>/g)).toHaveLength(1)
  })

  it('does not take over a team of another user with the name of one it led, and reports its own as gone', async () => {
    let received = ''
    const parts = [
      {
        agent: 'lead',
        when: { user: 'Go' },
        calls: [call('TeamCreate', { name: 'api' }), call('TeamCreate', { name: 'web' })],
      },
      {
        agent: 'lead',
        times: 'always',
        compose({ turns }) {
          received = JSON.stringify(turns)
          return { text: 'Here.' }
        },
      },
    ] as Parts
    const first = await open(parts)
    await run(first, 'Go')
    expect(first.team.state.leads.get()).toEqual(['api', 'web'])
    await first.close()
    await workspace.store.remove('web', false)
    const strange = await openTeam(workspace.store, 'web')
    await strange.run({ type: 'team.create', team: 'web' })

    await using again = await open(parts, { team: first.id })
    await run(again, 'More')
    expect(again.team.state.leads.get()).toEqual(['api'])
    expect(received).toContain('You have no team web any more')
    expect(received).not.toContain('You have no team api any more')
    await strange.refresh()
    expect(strange.state.supervisor.get().runtime).toBe(null)
    await strange.close()
  })

  it('lets no lead choose a model that is a program, for a teammate either', async () => {
    await using session = await open([
      { agent: 'lead', calls: [call('Task', { name: 'ada', prompt: 'Hi.', model: 'scripted:own.mjs' })] },
      { agent: 'lead', when: { result: { tool: 'Task', text: 'which agents cannot choose' } }, text: 'I see.' },
    ])
    const { stop } = await run(session, 'Go')
    expect(stop).toMatchObject({ kind: 'finished', text: 'I see.' })
    expect(memberNamed(session.team.state, 'ada')).toBeUndefined()
  })

  it('gets the mail of a deleted team once', async () => {
    const received: string[] = []
    await using session = await open([
      ...madeAndDeleted,
      {
        agent: 'lead',
        times: 'always',
        compose({ turns }) {
          received.splice(0, received.length, ...turns.map((turn) => JSON.stringify(turn)))
          return { text: 'Over.' }
        },
      },
      askedToStop((request_id) => [
        call('SendMessage', { to: 'lead', content: 'The schema is wrong.' }),
        call('SendMessage', { type: 'shutdown_response', request_id, approve: true, status: 'clean' }),
      ]),
    ])
    expect((await run(session, 'Go')).stop).toMatchObject({ kind: 'finished', text: 'Over.' })
    const telling = received.filter((turn) => turn.includes('The schema is wrong.'))
    expect(telling).toHaveLength(1)
    expect(telling[0]).toContain('<message from=\\"ada\\" type=\\"message\\">')
    expect(telling[0], 'what the report says needs no letter').not.toContain('shutdown_response')
  }) // A82, F32

  it('deletes a team although a teammate refuses to stop', async () => {
    await using session = await open([
      ...madeAndDeleted,
      { agent: 'lead', times: 'always', text: 'Over.' },
      askedToStop((request_id) => [
        call('SendMessage', { type: 'shutdown_response', request_id, approve: false, reason: 'not yet' }),
      ]),
    ])
    const { stop } = await run(session, 'Go')
    expect(stop).toMatchObject({ kind: 'finished', text: 'Over.' })
    expect(await workspace.store.teams()).toEqual([session.id])
  }) // A82, F32
})
