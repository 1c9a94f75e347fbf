import { mkdtempSync, realpathSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { scriptedModel } from '../models/scripted/scripted-model.ts'
import { createMessageRouting } from '../organisation/routing/message-routing.ts'
import { engineering } from '../testing/harnesses/organisation-harness.ts'
import { runToEnd } from '../testing/harnesses/session-harness.ts'
import { openWorkspace, type Workspace } from '../workspace.ts'
import { openSession } from './open-session.ts'

let workspace: Workspace
beforeEach(async () => {
  const dir = realpathSync(mkdtempSync(join(tmpdir(), 'deskmates-routing-')))
  workspace = await openWorkspace({ cwd: dir, env: { DESKMATES_STATE: join(dir, 'state'), PATH: process.env.PATH } })
})
afterEach(() => workspace[Symbol.asyncDispose]())

const call = (tool: string, input: Record<string, unknown>) => ({ tool, input })
const PROGRESS = { task: '03-01/T1', plan_id: '03-01', commit: 'abc1234', status: 'complete', concerns: [] }

describe('a session with an organisation', () => {
  it('refuses a message of a developer to the lead before delivery, and delivers it to the senior', async () => {
    const progress = (recipient: string) =>
      call('SendMessage', { type: 'dev_progress', recipient, content: JSON.stringify(PROGRESS) })
    const routing = createMessageRouting({ organisation: engineering(), department: 'backend', folder: 'phases/03' })
    const model = scriptedModel({
      parts: [
        {
          agent: 'lead',
          when: { user: 'Begin' },
          calls: [
            call('Task', { name: 'senior', role: 'senior', prompt: 'Wait for reports.' }),
            call('Task', { name: 'dev-1', role: 'dev', prompt: 'Report.' }),
          ],
        },
        { agent: 'dev-1', when: { answer: 1 }, calls: [progress('lead')] },
        { agent: 'dev-1', when: { answer: 2 }, calls: [progress('senior')] },
        { times: 'always', text: 'Done.' },
      ],
    })
    await using session = await openSession({ workspace, model, routing, permissions: { mode: 'bypassPermissions' } })
    const { events } = await runToEnd(session, 'Begin', AbortSignal.timeout(30_000))
    const sent = events.flatMap((event) =>
      event.type === 'team' && event.event.type === 'message.sent' && event.event.message.type === 'dev_progress'
        ? [event.event.message]
        : [],
    )
    expect(sent).toMatchObject([{ from: 'dev-1', to: 'senior' }])
    expect(JSON.stringify(events)).toContain('not to lead. Allowed recipients: senior.')
  }) // C26, C30, F50
})
