import { mkdtempSync, realpathSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import type { Script } from '../models/scripted/script.ts'
import { scriptedModel } from '../models/scripted/scripted-model.ts'
import { runToEnd } from '../testing/harnesses/session-harness.ts'
import { openWorkspace, type Workspace } from '../workspace.ts'
import { openSession } from './open-session.ts'
import type { Session } from './session.ts'

let dir: string
let workspace: Workspace
beforeEach(async () => {
  dir = realpathSync(mkdtempSync(join(tmpdir(), 'deskmates-attempt-')))
  workspace = await openWorkspace({ cwd: dir, env: { HOME: dir, DESKMATES_STATE: join(dir, 'state') } })
})
afterEach(async () => {
  await workspace[Symbol.asyncDispose]()
  rmSync(dir, { recursive: true })
})

const call = (tool: string, input: Record<string, unknown> = {}) => ({ tool, input })

it('the next owner of a task learns who held it, why that attempt ended and what it had done', async () => {
  let inputs = ''
  const model = scriptedModel({
    parts: [
      {
        agent: 'lead',
        when: { user: 'Go' },
        calls: [
          call('TaskCreate', { subject: 'migrate', description: 'the database' }),
          call('Task', { name: 'ada', prompt: 'Hi.', task_id: '1' }),
        ],
      },
      {
        agent: 'ada',
        when: { answer: 1 },
        calls: [call('bash', { command: 'echo migrated >> log' })],
      },
      { agent: 'lead', when: { user: 'Again' }, calls: [call('Task', { name: 'bob', prompt: 'Hi.', task_id: '1' })] },
      {
        agent: 'bob',
        when: { answer: 1 },
        compose({ turns }) {
          inputs = JSON.stringify(turns)
          return { calls: [call('TaskUpdate', { taskId: '1', status: 'completed', result: 'done' })] }
        },
      },
      { agent: ['lead', 'ada', 'bob'], times: 'always', text: 'Well.' },
    ],
  })
  await using session = await openSession({
    workspace,
    model,
    permissions: { mode: 'bypassPermissions' },
    sandbox: { mode: 'off' },
  })
  await runToEnd(session, 'Go', AbortSignal.timeout(30_000))
  await session.team.run({ type: 'task.update', id: '1', status: 'pending' })
  await session.team.run({ type: 'member.stop', name: 'ada', reason: 'not needed' })
  await runToEnd(session, 'Again', AbortSignal.timeout(30_000))
  expect(inputs).toContain('ada held this task before you; the claim ended (')
  expect(inputs).toContain('echo migrated >> log')
  expect(inputs).toContain('look at the state of files and tasks before you do any of it again')
}) // T46

/** Lets a team work with these answers; every agent says "Well." to whatever else it is asked. */
async function work(parts: Script['parts'], ...prompts: readonly (string | ((session: Session) => Promise<void>))[]) {
  const model = scriptedModel({ parts: [...parts, { times: 'always', text: 'Well.' }] })
  await using session = await openSession({
    workspace,
    model,
    team: 'web',
    permissions: { mode: 'bypassPermissions' },
    sandbox: { mode: 'off' },
  })
  for (const prompt of prompts)
    await (typeof prompt === 'string' ? runToEnd(session, prompt, AbortSignal.timeout(30_000)) : prompt(session))
}

const begin = {
  agent: 'lead',
  when: { user: 'Go' },
  calls: [
    call('TaskCreate', { subject: 'first', description: '' }),
    call('TaskCreate', { subject: 'second', description: '' }),
    call('Task', { name: 'ada', prompt: 'Hi.', task_id: '1' }),
  ],
}
/** So that it does not take the task from the board again. */
const stopAda = async ({ team }: Session) => {
  await team.run({ type: 'member.stop', name: 'ada', reason: 'not needed' })
}

it('a claim by TaskUpdate during a turn reports all earlier attempts and their last calls', async () => {
  let inputs = ''
  await work(
    [
      begin,
      { agent: 'ada', when: { answer: 1 }, calls: [call('bash', { command: 'echo migrated >> log' })] },
      {
        agent: 'ada',
        when: { answer: 2 },
        calls: [call('TaskUpdate', { taskId: '1', status: 'failed', reason: 'ada is off' })],
      },
      {
        agent: 'lead',
        when: { user: 'Second' },
        calls: [
          call('TaskUpdate', { taskId: '1', status: 'pending' }),
          call('TaskUpdate', { taskId: '1', owner: 'lead' }),
          call('bash', { command: 'echo checked >> log' }),
          call('TaskUpdate', { taskId: '1', status: 'pending', reason: 'no time' }),
        ],
      },
      { agent: 'lead', when: { user: 'Third' }, calls: [call('Task', { name: 'bob', prompt: 'Take task 1.' })] },
      { agent: 'bob', when: { answer: 1 }, calls: [call('TaskUpdate', { taskId: '1', status: 'in_progress' })] },
      {
        agent: 'bob',
        when: { answer: 2 },
        compose({ turns }) {
          inputs = JSON.stringify(turns.at(-1))
          return { calls: [call('TaskUpdate', { taskId: '1', status: 'completed', result: 'done' })] }
        },
      },
    ],
    'Go',
    stopAda,
    'Second',
    'Third',
  )
  expect(inputs).toContain('ada held this task before you; the claim ended (reopened: ada is off)')
  expect(inputs).toContain('echo migrated >> log')
  expect(inputs).toContain('lead held this task before you; the claim ended (released: no time)')
  expect(inputs).toContain('echo checked >> log')
  expect(inputs).toContain('look at the state of files and tasks before you do any of it again')
}) // T46

it('calls after a claim in the middle of a turn are reported as calls for that task', async () => {
  let inputs = ''
  await work(
    [
      begin,
      { agent: 'ada', when: { answer: 1 }, calls: [call('bash', { command: 'echo for the first' })] },
      {
        agent: 'ada',
        when: { answer: 2 },
        calls: [
          call('TaskUpdate', { taskId: '1', status: 'completed', result: 'done' }),
          call('TaskUpdate', { taskId: '2', status: 'in_progress' }),
          call('bash', { command: 'echo for the second' }),
        ],
      },
      {
        agent: 'ada',
        when: { answer: 3 },
        calls: [call('TaskUpdate', { taskId: '2', status: 'failed', reason: 'it does not work' })],
      },
      {
        agent: 'lead',
        when: { user: 'Again' },
        calls: [
          call('TaskUpdate', { taskId: '2', status: 'pending' }),
          call('TaskUpdate', { taskId: '2', status: 'in_progress' }),
        ],
      },
      {
        agent: 'lead',
        compose({ turns }) {
          const last = JSON.stringify(turns.at(-1))
          if (last.includes('earlier-attempt')) inputs = last
          return { text: 'Well.' }
        },
        times: 'always',
      },
    ],
    'Go',
    stopAda,
    'Again',
  )
  expect(inputs).toContain('the claim ended (reopened: it does not work)')
  expect(inputs).toContain('echo for the second')
  expect(inputs).not.toContain('echo for the first')
}) // T46

it('the next owner learns what a replacement had done that did not complete its task', async () => {
  let inputs = ''
  await work(
    [
      {
        agent: 'lead',
        when: { user: 'Go' },
        calls: [
          call('TaskCreate', { subject: 'migrate', description: '' }),
          call('Task', { name: 'ada', prompt: 'Hi.', task_id: '1' }),
        ],
      },
      { agent: 'ada', times: 'always', error: { fault: 'key', message: 'the key is wrong' } },
      {
        agent: 'ada-errand/code-1',
        when: { answer: 1 },
        calls: [call('bash', { command: 'echo by the errand >> log' })],
      },
      {
        agent: 'lead',
        when: { user: 'Again' },
        calls: [
          call('TaskUpdate', { taskId: '1', status: 'pending' }),
          call('Task', { name: 'bob', prompt: 'Hi.', task_id: '1' }),
        ],
      },
      {
        agent: 'bob',
        when: { answer: 1 },
        compose({ turns }) {
          inputs = JSON.stringify(turns)
          return { calls: [call('TaskUpdate', { taskId: '1', status: 'completed', result: 'done' })] }
        },
      },
    ],
    'Go',
    'Again',
  )
  expect(inputs).toContain('ada-errand held this task before you')
  expect(inputs).toContain('echo by the errand >> log')
}) // T46
