import { describe, expect, it } from 'vitest'
import { scriptedModel } from '../models/scripted/scripted-model.ts'
import { createPlace, openMemoryStore } from '../stores/memory/store.ts'
import { openTestSession, runToEnd } from '../testing/harnesses/session-harness.ts'

describe('a session that is closed between two runs', () => {
  it('refuses a further run, and a second close waits for the first one', async () => {
    const store = await openMemoryStore(createPlace())
    const model = scriptedModel({ parts: [{ times: 'always', text: 'Done.' }] })
    const session = await openTestSession({ store, model, team: 'web' })
    await runToEnd(session, 'Go')
    const first = session.close()
    expect(session.closing.aborted).toBe(true)
    expect(session.close()).toBe(first)
    await expect(session.run('again').next()).rejects.toThrow('The session web is closed. Open it again to run it.')
    await first
    await using again = await openTestSession({ store, model, team: 'web' })
    expect((await runToEnd(again, 'Go on')).stop.kind).toBe('finished')
  }) // C75
})
