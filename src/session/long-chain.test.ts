import { mkdtempSync, realpathSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { scriptedModel } from '../models/scripted/scripted-model.ts'
import { openMemoryStore } from '../stores/memory/store.ts'
import { runToEnd } from '../testing/harnesses/session-harness.ts'
import { openWorkspace } from '../workspace.ts'
import { openSession } from './open-session.ts'

const LENGTH = 100_000
/** So many tasks are added with one command: a record holds at most 16 MB. */
const BATCH = 20_000

const update = (taskId: string, status: 'completed' | 'failed') => ({
  tool: 'TaskUpdate',
  input: { taskId, status, ...(status === 'failed' ? { reason: 'no way on' } : { result: 'done' }) },
})

it('a teammate takes its turns on a chain of 100,000 tasks, completes one and fails the next', async () => {
  const dir = realpathSync(mkdtempSync(join(tmpdir(), 'deskmates-chain-')))
  await using workspace = await openWorkspace({ cwd: dir, env: { DESKMATES_STATE: join(dir, 'state') } })
  const model = scriptedModel({
    parts: [
      { agent: 'lead', when: { answer: 1 }, calls: [{ tool: 'Task', input: { name: 'ada', prompt: 'Work.' } }] },
      { agent: 'lead', times: 'always', text: 'All is said.' },
      {
        agent: 'ada',
        times: 'always',
        compose({ turns }) {
          const task = /<task id=\\"(\d+)\\">/.exec(JSON.stringify(turns.at(-1)))?.[1]
          return task ? { calls: [update(task, task === '1' ? 'completed' : 'failed')] } : { text: 'Ready.' }
        },
      },
    ],
  })
  const store = await openMemoryStore()
  const session = await openSession({
    workspace: { ...workspace, store },
    model,
    permissions: { mode: 'bypassPermissions' },
  })
  try {
    const { team } = session
    for (let from = 1; from <= LENGTH; from += BATCH) {
      const ids = Array.from({ length: BATCH }, (_, i) => from + i)
      const tasks = ids.map((id) => ({ subject: `step ${id}`, blockedBy: id === 1 ? [] : [String(id - 1)] }))
      await team.run({ type: 'task.add', tasks })
    }
    await runToEnd(session, 'Go.', AbortSignal.timeout(50_000))
    const statuses = ['1', '2', '3', String(LENGTH)].map((id) => team.state.tasks.get(id)?.status)
    expect(statuses).toEqual(['completed', 'failed', 'pending', 'pending'])
  } finally {
    await session.close()
  }
}) // T30
