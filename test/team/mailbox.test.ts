import { mkdtempSync, realpathSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import type { Model } from '../../src/models/model.ts'
import { openSession } from '../../src/session/open-session.ts'
import { createPlace, openMemoryStore } from '../../src/stores/memory/store.ts'
import { unreadOf } from '../../src/team/state.ts'
import { workspaceOn } from '../../src/testing/harnesses/workspace-harness.ts'

describe('the mailbox of a lead', () => {
  it('with 1,000 messages in it still delivers all, and what comes after: report and notice of a teammate', async () => {
    const root = realpathSync(mkdtempSync(join(tmpdir(), 'deskmates-mailbox-')))
    const heard: string[] = []
    await using session = await openSession({
      workspace: workspaceOn(await openMemoryStore(createPlace()), root),
      model: hearing(heard),
      permissions: { mode: 'bypassPermissions' },
      sandbox: { mode: 'off' },
      env: {},
    })
    const numbers = Array.from({ length: 1000 }, (_, i) => i)
    await Promise.all(numbers.map((number) => session.team.send({ to: 'lead', content: `[letter ${number}]` })))
    const loop = session.run('Go.')
    for (let step = await loop.next(); !step.done; step = await loop.next());
    const all = heard.at(-1)!
    for (const number of numbers) expect(all.split(`[letter ${number}]`)).toHaveLength(2)
    expect(all).toContain('<message from=\\"ada\\" type=\\"result\\">\\nMy report.')
    expect(all).toContain('<message from=\\"ada\\" type=\\"idle_notification\\">')
    expect(unreadOf(session.team.state, 'lead')).toEqual([])
    rmSync(root, { recursive: true, force: true })
  }) // G1, G4
})

/** Its lead makes ada, who reports and rests. What the lead is asked with is kept. */
function hearing(heard: string[]): Model {
  return {
    name: 'mailbox/one',
    provider: 'mailbox',
    account: 'mailbox',
    context: undefined,
    price: undefined,
    async *reply({ agent, turns }, signal) {
      signal.throwIfAborted()
      if (agent === 'lead') heard.push(JSON.stringify(turns))
      yield { type: 'text', delta: '' }
      const text = agent === 'lead' ? 'I see.' : 'My report.'
      const input = { name: 'ada', prompt: 'Look.' }
      const spawn = { type: 'tool-call' as const, toolCallId: 'call-1', toolName: 'Task', input }
      const content = [{ type: 'text' as const, text }, ...(agent === 'lead' && turns.length === 1 ? [spawn] : [])]
      const usage = { input: 1, cacheRead: 0, cacheWrite: 0, output: 1 }
      return { turn: { role: 'assistant', content }, end: 'finished', usage, cost: 0, model: 'mailbox/one' }
    },
  } as Model
}
