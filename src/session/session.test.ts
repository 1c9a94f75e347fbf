import { mkdtempSync, readFileSync, realpathSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { Script } from '../models/scripted/script.ts'
import { scriptedModel } from '../models/scripted/scripted-model.ts'
import { memberNamed } from '../team/state.ts'
import { openWorkspace, type Workspace } from '../workspace.ts'
import { openSession, type SessionOptions } from './open-session.ts'
import type { Session, SessionEvent } from './session.ts'

let dir: string
let workspace: Workspace
beforeEach(async () => {
  dir = realpathSync(mkdtempSync(join(tmpdir(), 'deskmates-session-')))
  workspace = await openWorkspace({ cwd: dir, env: { HOME: dir, DESKMATES_STATE: join(dir, 'state') } })
})
afterEach(async () => {
  await workspace[Symbol.asyncDispose]()
  rmSync(dir, { recursive: true })
})

async function session(parts: Script['parts'], options: Partial<SessionOptions> = {}): Promise<Session> {
  return openSession({
    workspace,
    model: scriptedModel({ parts }),
    permissions: { mode: 'bypassPermissions' },
    ...options,
  })
}

async function all(session: Session, prompt?: string, signal?: AbortSignal) {
  const events: SessionEvent[] = []
  const loop = session.run(prompt, signal)
  for (;;) {
    const step = await loop.next()
    if (step.done) return { events, stop: step.value }
    events.push(step.value)
  }
}

describe('a session', () => {
  it('is a team named by its session id, whose lead works and then rests (A8)', async () => {
    await using talk = await session([
      { calls: [{ tool: 'bash', input: { command: 'echo hi > made' } }] },
      { when: { result: { tool: 'bash' } }, text: 'made it' },
    ])
    expect(talk.id).toMatch(/^s-\d{8}-\d{6}-[a-z2-7]{4}$/)
    const { stop, events } = await all(talk, 'make a file')
    expect(stop).toEqual({ kind: 'finished', text: 'made it' })
    expect(readFileSync(join(dir, 'made'), 'utf8')).toBe('hi\n')
    expect(new Set(events.map(({ agent }) => agent))).toEqual(new Set(['lead']))
    await talk.team.refresh()
    expect(memberNamed(talk.team.state, 'lead')).toMatchObject({ status: 'idle', generation: 1 })
    expect(talk.team.state.spent.get('lead')).toMatchObject({ calls: 2 })
  })
})
