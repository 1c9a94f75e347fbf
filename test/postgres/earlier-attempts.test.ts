import { existsSync, mkdtempSync, readFileSync, realpathSync, rmSync, watch, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { Script } from '../../src/models/scripted/script.ts'
import { scriptedModel } from '../../src/models/scripted/scripted-model.ts'
import { openSession } from '../../src/session/open-session.ts'
import { runToEnd } from '../../src/testing/harnesses/session-harness.ts'
import { openWorkspace } from '../../src/workspace.ts'
import { useDatabase } from './database.ts'

const database = useDatabase()
let dir: string
let place: ReturnType<typeof database.place>
beforeEach(() => {
  dir = realpathSync(mkdtempSync(join(tmpdir(), 'deskmates-attempts-')))
  place = database.place()
})
afterEach(() => rmSync(dir, { recursive: true }))

const call = (tool: string, input: Record<string, unknown> = {}) => ({ tool, input })
const migrate = { agent: 'ada', when: { answer: 1 }, calls: [call('bash', { command: 'echo migrated >> log' })] }
const begin = {
  agent: 'lead',
  when: { user: 'Go' },
  calls: [
    call('TaskCreate', { subject: 'migrate', description: 'the database' }),
    call('Task', { name: 'ada', prompt: 'Hi.', task_id: '1' }),
  ],
}

/** A process of its own as far as the database knows: one team, one session. */
async function open(parts: Script['parts']) {
  const env = { HOME: dir, DESKMATES_STATE: join(dir, 'state') }
  const workspace = await openWorkspace({ cwd: dir, env, store: place.url, warn() {} })
  const model = scriptedModel({ parts: [...parts, { times: 'always', text: 'Well.' }] })
  const options = { workspace, model, team: 'web', sandbox: { mode: 'off' as const }, env: {} }
  const session = await openSession({ ...options, permissions: { mode: 'bypassPermissions' } })
  return {
    session,
    async close() {
      await session.close().catch(() => {})
      await workspace[Symbol.asyncDispose]()
    },
  }
}

/** The subagent that does the task in place of ada: keeps the turns it gets, and completes the task. */
function takingOver() {
  const received: string[] = []
  const part = {
    agent: 'ada-errand/code-1',
    when: { answer: 1 },
    compose({ turns }: { turns: readonly unknown[] }) {
      received.push(JSON.stringify(turns))
      return { calls: [call('TaskUpdate', { taskId: '1', status: 'completed', result: 'it was migrated already' })] }
    },
  }
  return { received, part }
}

describe('the next owner of a task in PostgreSQL', () => {
  it('gets a report of the work of a member that was lost in an outage of its provider', async () => {
    const { received, part } = takingOver()
    const outage = { agent: 'ada', times: 'always' as const, error: { fault: 'server' as const, message: 'outage' } }
    const { session, close } = await open([begin, migrate, outage, part])
    try {
      await runToEnd(session, 'Go', AbortSignal.timeout(60_000))
      expect(session.team.state.tasks.get('1')).toMatchObject({ status: 'completed', owner: 'ada-errand' })
    } finally {
      await close()
    }
    expect(received).toHaveLength(1)
    expect(received[0]).toContain('ada held this task before you; the claim ended (owner lost: outage')
    expect(received[0]).toContain('echo migrated >> log')
    expect(readFileSync(join(dir, 'log'), 'utf8')).toBe('migrated\n')
  }, 120_000) // T46

  it('gets a report of the work of a member whose process lost the server for longer than its lease', async () => {
    const hanging = {
      agent: 'ada',
      when: { answer: 2 },
      calls: [call('bash', { command: 'touch waits; while [ ! -e go ]; do sleep 0.02; done' })],
    }
    const first = await open([begin, migrate, hanging])
    const run = runToEnd(first.session, 'Go', AbortSignal.timeout(60_000))
    await appears('waits', run)
    await database.sql(`update ${place.schema}.leases set until = now() - interval '1 second'`)

    const { received, part } = takingOver()
    const broken = { agent: 'ada', times: 'always' as const, error: { fault: 'key' as const, message: 'no such key' } }
    const second = await open([broken, part])
    try {
      await runToEnd(second.session, 'Take over.', AbortSignal.timeout(60_000))
      expect(second.session.team.state.tasks.get('1')).toMatchObject({ status: 'completed', owner: 'ada-errand' })
    } finally {
      writeFileSync(join(dir, 'go'), '')
      await run
      await first.close()
      await second.close()
    }
    expect(received).toHaveLength(1)
    expect(received[0]).toContain('echo migrated >> log')
    expect(readFileSync(join(dir, 'log'), 'utf8')).toBe('migrated\n')
  }, 120_000) // T46
})

/** Resolves when the file is there; rejects when the run ends before. */
async function appears(file: string, ended: Promise<unknown>): Promise<void> {
  const stop = new AbortController()
  await new Promise<void>((resolve, reject) => {
    const look = () => existsSync(join(dir, file)) && resolve()
    watch(dir, { signal: stop.signal }, look)
    look()
    ended.then((end) => reject(new Error(`It ended before: ${JSON.stringify(end)}`)), reject)
  }).finally(() => stop.abort())
}
