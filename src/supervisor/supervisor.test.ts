import { spawn } from 'node:child_process'
import { mkdtempSync, realpathSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { SessionEvent } from '../agent/session-event.ts'
import { refusalForPerson } from '../cli/refusal-text.ts'
import { openTeam } from '../journal/team-handle.ts'
import type { ModelRequest } from '../models/model.ts'
import type { Script } from '../models/scripted/script.ts'
import { scriptedModel } from '../models/scripted/scripted-model.ts'
import { openSession } from '../session/open-session.ts'
import type { Session } from '../session/session.ts'
import type { SessionOptions } from '../session/session-options.ts'
import { runtimeOf } from '../stores/identity.ts'
import { composedModel, untilAborted } from '../testing/harnesses/composed-model.ts'
import { runToEnd } from '../testing/harnesses/session-harness.ts'
import { openWorkspace, type Workspace } from '../workspace.ts'

let dir: string
let workspace: Workspace
beforeEach(async () => {
  dir = realpathSync(mkdtempSync(join(tmpdir(), 'deskmates-office-')))
  workspace = await openWorkspace({ cwd: dir, env: { HOME: dir, DESKMATES_STATE: join(dir, 'state') } })
})
afterEach(async () => {
  await workspace[Symbol.asyncDispose]()
  rmSync(dir, { recursive: true })
})

type Parts = Script['parts']
const open = (parts: Parts, more: Partial<SessionOptions> = {}) =>
  openSession({
    workspace,
    model: scriptedModel({ parts }),
    permissions: { mode: 'bypassPermissions' },
    sandbox: { mode: 'off' },
    ...more,
  })

const run = (session: Session, prompt: string) => runToEnd(session, prompt, AbortSignal.timeout(30_000))

const lastWords = ({ turns }: ModelRequest) => JSON.stringify(turns.at(-1))
const call = (tool: string, input: Record<string, unknown> = {}) => ({ tool, input })
const complete = (taskId: string) => call('TaskUpdate', { taskId, status: 'completed', result: 'done' })
const inputsOf = (name: string, events: readonly SessionEvent[]) =>
  events.flatMap((event) =>
    event.type === 'input_received' && event.agent === name ? [JSON.stringify(event.turn)] : [],
  )

describe('a rate limit that all agents share', () => {
  it('admits calls for a task that others wait for before those for a task without dependents', async () => {
    const urgency = new Map<string, number | undefined>()
    await using session = await open([
      {
        agent: 'lead',
        when: { answer: 1 },
        calls: [
          call('TaskCreate', { subject: 'design', description: '' }),
          call('TaskCreate', { subject: 'write', description: '', blockedBy: ['1'] }),
          call('TaskCreate', { subject: 'test', description: '', blockedBy: ['2'] }),
          call('TaskCreate', { subject: 'lone', description: '' }),
          call('Task', { name: 'bob', prompt: 'Go.', task_id: '4' }),
          call('Task', { name: 'ada', prompt: 'Go.', task_id: '1' }),
        ],
      },
      { agent: 'lead', times: 'always', text: 'Well.' },
      {
        agent: ['ada', 'bob'],
        times: 'always',
        compose(request) {
          const [, task] = /<task id=\\"(\d+)\\">/.exec(lastWords(request)) ?? []
          if (task === undefined) return { text: 'Ready.' }
          urgency.set(task, request.urgency)
          return { calls: [complete(task)] }
        },
      },
    ])
    expect((await run(session, 'Go')).stop.kind).toBe('finished')
    expect(session.left).toEqual([])
    expect(urgency.get('1')).toBeGreaterThan(urgency.get('4')!)
  })
})

describe('an urgent message to the lead', () => {
  it('interrupts its model call, and is in its next model request', async () => {
    let letAdaAnswer = () => {}
    const adaMayAnswer = new Promise<void>((resolve) => {
      letAdaAnswer = resolve
    })
    const { model, requests } = composedModel(async ({ agent, turns }, signal) => {
      if (agent === 'ada') {
        await adaMayAnswer
        const urgent = call('SendMessage', { to: 'lead', content: 'Wrong file!', urgent: true })
        return { text: 'I told it.', calls: turns.length === 1 ? [urgent] : [] }
      }
      const asked = requests.filter((request) => request.agent === 'lead').length
      if (asked === 1) return { calls: [call('Task', { name: 'ada', prompt: 'Look.' })] }
      if (asked > 2) return { text: 'I heard.' }
      letAdaAnswer()
      return untilAborted(signal)
    })
    await using session = await open([], { model })
    expect((await run(session, 'Go')).stop).toMatchObject({ kind: 'finished', text: 'I heard.' })
    const asked = requests.filter(({ agent }) => agent === 'lead').map(lastWords)
    expect(asked[1]).not.toContain('Wrong file!')
    expect(asked[2]).toContain('Wrong file!')
  })
})

describe('a plan', () => {
  /** Ada needs leave for her plan; the lead never says a word about it. */
  const parts: Parts = [
    {
      agent: 'lead',
      when: { answer: 1 },
      calls: [
        call('TaskCreate', { subject: 'dig', description: '' }),
        call('Task', { name: 'ada', prompt: 'Dig.', task_id: '1', require_plan: true }),
      ],
    },
    { agent: 'lead', times: 'always', text: 'Well.' },
    {
      agent: 'ada',
      when: { answer: 1 },
      calls: [call('SendMessage', { type: 'plan_approval_request', content: 'I dig.' })],
    },
    { agent: 'ada', when: { user: 'Approved by rule' }, calls: [complete('1')] },
    { agent: 'ada', times: 'always', text: 'I wait.' },
  ]

  it('is approved by rule with plans: auto, and the task gets done without the lead', async () => {
    await using session = await open(parts, { supervisor: { plans: 'auto' } })
    const { stop, events } = await run(session, 'Go')
    expect(stop.kind).toBe('finished')
    const { requests, tasks } = session.team.state
    expect([...requests.values()]).toMatchObject([{ kind: 'plan_approval', from: 'ada', state: 'approved' }])
    expect(tasks.get('1')).toMatchObject({ status: 'completed', owner: 'ada' })
    expect(inputsOf('lead', events).join()).not.toContain('waits for your answer')
  })

  it('is rejected when the lead ignores it after one reminder; its teammate learns that', async () => {
    await using session = await open(parts)
    const { stop, events } = await run(session, 'Go')
    expect(stop.kind).toBe('finished')
    expect([...session.team.state.requests.values()]).toMatchObject([{ kind: 'plan_approval', state: 'rejected' }])
    expect(inputsOf('lead', events).filter((turn) => turn.includes('waits for your answer'))).toHaveLength(1)
    expect(inputsOf('ada', events).filter((turn) => turn.includes('No person answered.'))).toHaveLength(1)
  }) // F28
})

describe('a team that another process works on', () => {
  it('is refused with the commands that show its state and activity', async () => {
    const other = spawn('sleep', ['600'], { stdio: 'ignore' })
    try {
      const team = await openTeam(workspace.store, 'web')
      await team.run({ type: 'team.create', team: 'web' })
      await team.run({ type: 'supervise', runtime: runtimeOf(other.pid!) })
      await team.close()
      const refused = await open([], { team: 'web' }).catch((error) => error)
      expect(refused).toMatchObject({ code: 'supervised' })
      expect(refusalForPerson(refused.refusal)).toContain('deskmates status web')
      expect(refusalForPerson(refused.refusal)).toContain('deskmates log --follow --team web')
    } finally {
      other.kill('SIGKILL')
    }
  })
})
