import { mkdtempSync, realpathSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { scriptedModel } from '../models/scripted/scripted-model.ts'
import { openWorkspace, type Workspace } from '../workspace.ts'
import { openSession } from './open-session.ts'
import { runToEnd } from './practice-run.ts'

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

it('the next owner of a task is told who held it, why that ended and what that attempt had done', async () => {
  let told = ''
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
          told = JSON.stringify(turns)
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
  expect(told).toContain('ada held this task before you; the claim ended (')
  expect(told).toContain('echo migrated >> log')
  expect(told).toContain('look at the state of files and tasks before you do any of it again')
}) // T46
