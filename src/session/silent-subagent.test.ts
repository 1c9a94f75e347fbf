import { mkdtempSync, realpathSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { scriptedModel } from '../models/scripted/scripted-model.ts'
import { memberNamed } from '../team/state.ts'
import { untilAborted } from '../testing/harnesses/composed-model.ts'
import { runToEnd } from '../testing/harnesses/session-harness.ts'
import { manualClock } from '../testing/manual-clock.ts'
import { openWorkspace } from '../workspace.ts'
import { openSession } from './open-session.ts'

it('a run ends although a background subagent stays silent, and names it', async () => {
  const dir = realpathSync(mkdtempSync(join(tmpdir(), 'deskmates-silent-')))
  const clock = manualClock()
  const input = { prompt: 'Look.', description: 'look', run_in_background: true }
  let isAsked = false
  const model = scriptedModel({
    parts: [
      { agent: 'lead', when: { answer: 1 }, calls: [{ tool: 'Task', input }] },
      { agent: 'lead', times: 'always', text: 'I see.' },
      {
        times: 'always',
        compose(_, signal) {
          isAsked = true
          return untilAborted(signal)
        },
      },
    ],
  })
  const workspace = await openWorkspace({ cwd: dir, env: { HOME: dir, DESKMATES_STATE: join(dir, 'state') } })
  try {
    await using session = await openSession({ workspace, model, clock, sandbox: { mode: 'off' }, env: {} })
    const run = runToEnd(session, 'Go', AbortSignal.timeout(30_000))
    const isWaiting = () => isAsked && memberNamed(session.team.state, 'lead')?.status === 'idle'
    for (let i = 0; i < 100_000 && !isWaiting(); i++) await new Promise((resolve) => setImmediate(resolve))
    clock.advance(119)
    for (let i = 0; i < 50; i++) await new Promise((resolve) => setImmediate(resolve))
    clock.advance(2)
    const { stop, events } = await run
    expect(stop).toMatchObject({ kind: 'finished', text: 'I see.' })
    const problems = events.flatMap((event) => (event.type === 'problem' ? event.text : []))
    expect(problems).toEqual([
      expect.stringContaining('lead/code-1 was not waited for: its model was silent for 120 s'),
    ])
  } finally {
    await workspace[Symbol.asyncDispose]()
    rmSync(dir, { recursive: true })
  }
}) // T54
