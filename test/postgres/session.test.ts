import { mkdtempSync, realpathSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { z } from 'zod'
import type { Script } from '../../src/models/scripted/script.ts'
import { scriptedModel } from '../../src/models/scripted/scripted-model.ts'
import { openSession } from '../../src/session/open-session.ts'
import type { SessionEvent } from '../../src/session/session.ts'
import { defineTool } from '../../src/tools/define-tool.ts'
import { openWorkspace, type Workspace } from '../../src/workspace.ts'
import { useDatabase } from './database.ts'
import { loseEnd } from './lose-end.ts'

const database = useDatabase()
let dir: string
let schema: string
let workspace: Workspace
beforeEach(async () => {
  dir = realpathSync(mkdtempSync(join(tmpdir(), 'deskmates-session-')))
  const place = database.place()
  schema = place.schema
  const env = { HOME: dir, DESKMATES_STATE: join(dir, 'state') }
  workspace = await openWorkspace({ cwd: dir, env, store: place.url, warn() {} })
})
afterEach(async () => {
  await workspace[Symbol.asyncDispose]()
  rmSync(dir, { recursive: true })
})

const makesATask = { calls: [{ tool: 'TaskCreate', input: { subject: 'lost', description: 'soon' } }] }

describe('a session whose journal loses its end', () => {
  it('shows it, tells its lead, and goes on (F1, F22)', async () => {
    const { stop, events } = await run([
      makesATask,
      { when: { result: { tool: 'TaskCreate' } }, calls: [{ tool: 'lose_end', input: {} }] },
      { when: { user: 'lost its end' }, text: 'then once more' },
    ])
    expect(stop).toEqual({ kind: 'finished', text: 'then once more' })
    const notes = events.flatMap((event) => (event.type === 'note' ? [event.text] : []))
    expect(notes).toEqual([expect.stringMatching(/lost its end.*\(task\.add\)/)])
  })

  it('stops where it has lost with it that it leads, and says how to go on (F33)', async () => {
    const { stop } = await run(
      [makesATask, { when: { result: { tool: 'TaskCreate' } }, calls: [{ tool: 'lose_end', input: {} }] }],
      1,
    )
    expect(stop).toMatchObject({ kind: 'error', error: { code: 'place_lost' } })
  })
})

/** Says hello to a lead with this script. The tool `lose_end` leaves the journal as it was before, or so many records. */
async function run(parts: Script['parts'], left?: number) {
  const tool = defineTool({
    name: 'lose_end',
    description: 'Loses the end of the journal.',
    input: z.object({}),
    async run() {
      await loseEnd(database, schema, left ?? seq)
      return 'It is gone.'
    },
  })
  const model = scriptedModel({ parts })
  const permissions = { mode: 'bypassPermissions' as const }
  await using session = await openSession({ workspace, model, permissions, sandbox: { mode: 'off' }, tools: [tool] })
  const { seq } = session.team.cursor
  const events: SessionEvent[] = []
  const loop = session.run('hello')
  for (;;) {
    const step = await loop.next()
    if (step.done) return { events, stop: step.value }
    events.push(step.value)
  }
}
