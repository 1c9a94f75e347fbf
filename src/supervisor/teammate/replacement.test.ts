import { mkdtempSync, realpathSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { Script } from '../../models/scripted/script.ts'
import { scriptedModel } from '../../models/scripted/scripted-model.ts'
import { openSession } from '../../session/open-session.ts'
import { runToEnd } from '../../testing/harnesses/session-harness.ts'
import { openWorkspace, type Workspace } from '../../workspace.ts'

let workspace: Workspace
beforeEach(async () => {
  const dir = realpathSync(mkdtempSync(join(tmpdir(), 'deskmates-replacement-')))
  workspace = await openWorkspace({ cwd: dir, env: { DESKMATES_STATE: join(dir, 'state'), PATH: process.env.PATH } })
})
afterEach(() => workspace[Symbol.asyncDispose]())

const call = (tool: string, input: Record<string, unknown> = {}) => ({ tool, input })

/** Ada is lost twice with task 1, so a replacement does it. Returns the task afterwards, how often the replacement answered and what the lead read. */
async function taskAfter(...replacement: Script['parts']) {
  let leadRead = ''
  const parts: Script['parts'] = [
    {
      agent: 'lead',
      when: { answer: 1 },
      calls: [
        call('TaskCreate', { subject: 'dig', description: '' }),
        call('Task', { name: 'ada', prompt: 'Dig.', task_id: '1' }),
      ],
    },
    {
      ...{ agent: 'lead', times: 'always' },
      compose({ turns }) {
        leadRead = JSON.stringify(turns)
        return { text: 'I see.' }
      },
    },
    { agent: 'ada', times: 'always', error: { fault: 'key', message: 'the key is wrong' } },
    ...replacement,
  ]
  const model = scriptedModel({ parts })
  await using session = await openSession({ workspace, model, permissions: { mode: 'bypassPermissions' } })
  const { events } = await runToEnd(session, 'Go', AbortSignal.timeout(30_000))
  const answers = events.filter(({ type, agent }) => type === 'answered' && agent === 'ada-errand/code-1').length
  return { task: session.team.state.tasks.get('1'), answers, leadRead }
}

describe('a replacement of a lost teammate', () => {
  it('completes its task by its own tool call', async () => {
    const { task, leadRead } = await taskAfter(
      {
        agent: 'ada-errand/code-1',
        when: { answer: 1 },
        calls: [call('TaskUpdate', { taskId: '1', status: 'completed', result: 'dug' })],
      },
      { agent: 'ada-errand/code-1', times: 'always', text: 'Done.' },
    )
    expect(task).toMatchObject({ status: 'completed', owner: 'ada-errand', result: 'dug' })
    expect(leadRead).toContain('Task 1 (dig) waits for ada or for the subagent in its place.')
    expect(leadRead).not.toContain('is free again')
  }) // T23

  it('that only answers with text is reminded, and its task fails with that text', async () => {
    const { task, answers } = await taskAfter({
      agent: 'ada-errand/code-1',
      times: 'always',
      text: 'All done, I think.',
    })
    expect(task).toMatchObject({ status: 'failed', reason: expect.stringContaining('All done, I think.') })
    expect(answers).toBe(3)
  }) // T23

  it('may set its task to failed itself', async () => {
    const { task } = await taskAfter(
      {
        agent: 'ada-errand/code-1',
        when: { answer: 1 },
        calls: [call('TaskUpdate', { taskId: '1', status: 'failed', reason: 'there is no spade' })],
      },
      { agent: 'ada-errand/code-1', times: 'always', text: 'It cannot be done.' },
    )
    expect(task).toMatchObject({ status: 'failed', reason: 'there is no spade' })
  }) // T23
})
