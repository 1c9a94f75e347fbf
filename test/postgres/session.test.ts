import { mkdtempSync, realpathSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { z } from 'zod'
import type { SessionEvent } from '../../src/agent/session-event.ts'
import type { ModelRequest } from '../../src/models/model.ts'
import type { Script } from '../../src/models/scripted/script.ts'
import { scriptedModel } from '../../src/models/scripted/scripted-model.ts'
import { openSession } from '../../src/session/open-session.ts'
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
  it('shows a note, notifies its lead, and continues', async () => {
    const { stop, events } = await run([
      makesATask,
      { when: { result: { tool: 'TaskCreate' } }, calls: [{ tool: 'lose_end', input: {} }] },
      { when: { user: 'lost its end' }, text: 'then once more' },
    ])
    expect(stop).toEqual({ kind: 'finished', text: 'then once more' })
    const notes = events.flatMap((event) => (event.type === 'note' ? [event.text] : []))
    expect(notes).toEqual([expect.stringMatching(/lost its end.*\(task\.add\)/)])
  }) // F1, F22

  it('stops when it lost the lead of its team, and says how to continue', async () => {
    const { stop } = await run(
      [makesATask, { when: { result: { tool: 'TaskCreate' } }, calls: [{ tool: 'lose_end', input: {} }] }],
      { left: 1 },
    )
    expect(stop).toMatchObject({ kind: 'error', error: { code: 'place_lost' } })
  }) // F33
})

describe('an agent whose transcript loses its end', () => {
  /** Keeps two records, the opening and the prompt: the answer is lost. */
  const losesItsAnswer = { calls: [{ tool: 'lose_talk', input: { left: 2 } }] }

  it('stops if it is the lead, and its session can be resumed with what is there', async () => {
    const { stop } = await run([losesItsAnswer, { text: 'not in the transcript' }])
    expect(stop).toMatchObject({ kind: 'error', error: { code: 'conversation_rewound' } })
    const { message } = (stop as Extract<typeof stop, { kind: 'error' }>).error
    expect(message).toMatch(/web\/transcripts\/lead lost its end, because a server took over.*deskmates resume TEAM/)

    const asked: unknown[] = []
    const compose = ({ turns }: ModelRequest) => {
      asked.push(...turns)
      return { text: 'hello again' }
    }
    expect((await run([{ compose }], { prompt: '' })).stop).toEqual({ kind: 'finished', text: 'hello again' })
    expect(asked).toEqual([{ role: 'user', content: [{ type: 'text', text: 'hello' }] }])
  })

  it('is replaced if it is a teammate, and the lead is notified', async () => {
    const names = ['ada', 'bob', 'cleo']
    const spawns = names.map((name) => ({ tool: 'Task', input: { name, prompt: 'Dig.' } }))
    const { stop, events, breaker } = await run([
      { agent: 'lead', when: { answer: 1 }, calls: spawns },
      ...names.map((agent) => ({ agent, when: { answer: 1 }, ...losesItsAnswer })),
      { agent: names, times: 'always', text: 'Dug.' },
      { agent: 'lead', times: 'always', text: 'Well.' },
    ])
    expect(stop).toEqual({ kind: 'finished', text: 'Well.' })
    const mail = events.flatMap((event) =>
      event.type === 'team' && event.event.type === 'message.sent' ? [event.event.message] : [],
    )
    const toLead = (wanted: string) => mail.filter(({ to, type }) => to === 'lead' && type === wanted)
    const lost = toLead('error').map(({ from, content }) => [
      from,
      /transcripts\/(\S+) lost its end/.exec(content)?.[1],
    ])
    expect(lost.sort()).toEqual(names.map((name) => [name, name]))
    expect(
      toLead('result')
        .map(({ from, content }) => `${from}: ${content}`)
        .sort(),
    ).toEqual(names.map((name) => `${name}: Dug.`))
    expect(breaker).toBe('closed')
  })
})

/** Says hello, or nothing new, to a lead with this script. The tool `lose_end` leaves the journal as it was before, or so many records. */
async function run(parts: Script['parts'], { left, prompt = 'hello' }: { left?: number; prompt?: string } = {}) {
  const loseJournal = defineTool({
    name: 'lose_end',
    description: 'Loses the end of the journal.',
    input: z.object({}),
    async run() {
      await loseEnd(database, schema, left ?? seq)
      return 'It is gone.'
    },
  })
  const loseTalk = defineTool({
    name: 'lose_talk',
    description: 'Loses the end of the transcript of its caller.',
    input: z.object({ left: z.number() }),
    async run({ left }, { agent }) {
      await loseEnd(database, schema, left, `%/transcripts/${agent}`)
      return 'It is gone.'
    },
  })
  const model = scriptedModel({ parts })
  const permissions = { mode: 'bypassPermissions' as const }
  const tools = [loseJournal, loseTalk]
  await using session = await openSession({
    workspace,
    model,
    permissions,
    sandbox: { mode: 'off' },
    tools,
    team: 'web',
  })
  const { seq } = session.team.cursor
  const events: SessionEvent[] = []
  const loop = session.run(prompt === '' ? undefined : prompt)
  for (;;) {
    const step = await loop.next()
    if (step.done) return { events, stop: step.value, breaker: session.team.state.breaker.get().state }
    events.push(step.value)
  }
}
