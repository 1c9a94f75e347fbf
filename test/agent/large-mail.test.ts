import { randomBytes } from 'node:crypto'
import { mkdtempSync, readdirSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { SessionEvent } from '../../src/agent/session-event.ts'
import { openTranscript } from '../../src/agent/transcript/transcript.ts'
import { openTeam } from '../../src/journal/team-handle.ts'
import { type Model, ModelFailure, type ModelRequest } from '../../src/models/model.ts'
import type { Script } from '../../src/models/scripted/script.ts'
import { scriptedModel } from '../../src/models/scripted/scripted-model.ts'
import { openSession } from '../../src/session/open-session.ts'
import type { Session } from '../../src/session/session.ts'
import { unreadOf } from '../../src/team/state.ts'
import { runToEnd } from '../../src/testing/harnesses/session-harness.ts'
import { openWorkspace, type Workspace } from '../../src/workspace.ts'

let dir: string
let workspace: Workspace
beforeEach(async () => {
  dir = realpathSync(mkdtempSync(join(tmpdir(), 'deskmates-mail-')))
  workspace = await openWorkspace({ cwd: dir, env: { HOME: dir, DESKMATES_STATE: join(dir, 'state') } })
})
afterEach(async () => {
  await workspace[Symbol.asyncDispose]()
  rmSync(dir, { recursive: true })
})

type Parts = Script['parts']
const WINDOW = 200_000
const call = (tool: string, input: Record<string, unknown> = {}) => ({ tool, input })
const always: Parts = [{ agent: ['lead', 'ada'], times: 'always', text: 'Well.' }]

/** Fails with 'too long' when a request exceeds the context, as providers do; counts four bytes a token. */
function narrow(parts: Parts, context = WINDOW): Model & { readonly largest: () => number } {
  const script = scriptedModel({ parts })
  let largest = 0
  return {
    ...script,
    context,
    largest: () => largest,
    async *reply(request: ModelRequest, signal) {
      const tokens = Buffer.byteLength(JSON.stringify(request.turns)) / 4
      if (tokens > context) throw new ModelFailure({ model: 'narrow', fault: 'too long' }, `${tokens} tokens.`)
      largest = Math.max(largest, tokens)
      return yield* script.reply(request, signal)
    },
  }
}

const open = (model: Model, team = 'web'): Promise<Session> =>
  openSession({ workspace, model, team, sandbox: { mode: 'off' }, permissions: { mode: 'bypassPermissions' } })
const run = (session: Session, prompt?: string) => runToEnd(session, prompt, AbortSignal.timeout(60_000))
const inputsOf = (events: readonly SessionEvent[], agent = 'lead') =>
  events.flatMap((event) => (event.type === 'input_received' && event.agent === agent ? [event] : []))

async function send(...contents: string[]): Promise<void> {
  await using team = await openTeam(workspace.store, 'web')
  await team.run({ type: 'team.create', team: 'web' })
  for (let at = 0; at < contents.length; at += 500) {
    const some = contents.slice(at, at + 500)
    await team.report(
      some.map((content, i) => ({
        type: 'message.sent',
        message: { id: `m${at + i}`, type: 'message', from: 'ci', to: 'lead', content, timestamp: 1 },
      })),
    )
  }
}

describe('a message that is longer than a turn may hold', () => {
  const texts: [string, string][] = [
    ['a diff', '+ const answer = await team.send({ to, content })\n'.repeat(18_000)],
    ['base64', randomBytes(680_000).toString('base64')],
    ['Japanese', '設計と実装を確認してください。'.repeat(20_000)],
    ['emoji', '😀🙈'.repeat(110_000)],
  ]
  it.for(texts)('enters as head, tail and a path that read_file opens: %s', async ([, text]) => {
    const head = text.slice(0, 20)
    await send(text)
    const model = narrow([
      {
        agent: 'lead',
        when: { answer: 1 },
        compose({ turns }) {
          const [, path] = /All of it is in (\S+):/.exec(JSON.stringify(turns)) ?? []
          return { calls: [call('read_file', { path, limit: 1 })] }
        },
      },
      ...always,
    ])
    await using session = await open(model)
    const { stop, events } = await run(session)
    expect(stop).toMatchObject({ kind: 'finished', text: 'Well.' })
    const [first] = inputsOf(events)
    const shown = first!.turn.content.map((part) => (part.type === 'text' ? part.text : '')).join('')
    expect(shown).toContain(head)
    expect(shown.length).toBeLessThan((WINDOW / 10) * 4)
    const result = events.find((event) => event.type === 'tool_finished')
    expect(result).toMatchObject({ result: { text: expect.stringContaining(head) } })
    const [name] = readdirSync(join(dir, '.teams/web/outputs/lead'))
    expect(readFileSync(join(dir, '.teams/web/outputs/lead', name!), 'utf8')).toBe(text)
    expect(unreadOf(session.team.state, 'lead')).toEqual([])
    expect((await run(session, 'And now?')).stop).toMatchObject({ kind: 'finished', text: 'Well.' })
  }) // T21

  it('has its file written again from the journal when that is missing', async () => {
    const text = 'a line of a long report\n'.repeat(30_000)
    await send(text)
    const first = await open(narrow(always))
    await run(first)
    await first.close()
    const folder = join(dir, '.teams/web/outputs/lead')
    const [name] = readdirSync(folder)
    rmSync(folder, { recursive: true })
    await using again = await open(narrow(always))
    expect(again.id).toBe('web')
    expect(readFileSync(join(folder, basename(name!)), 'utf8')).toBe(text)
  }) // T21
})

describe('a long message that read_inbox delivers', () => {
  const text = 'a line of a long report\n'.repeat(30_000)
  const folder = () => join(dir, '.teams/web/outputs/lead')

  /** The message is sent while the model makes its first answer, so that only read_inbox delivers it. */
  async function deliver(): Promise<string> {
    const sendsThenReads: Parts = [
      {
        agent: 'lead',
        compose: async () => {
          await send(text)
          return { calls: [call('read_inbox')] }
        },
      },
      ...always,
    ]
    const model = narrow(sendsThenReads)
    const session = await openSession({
      workspace,
      model,
      team: 'web',
      spelling: 'simple',
      sandbox: { mode: 'off' },
      permissions: { mode: 'bypassPermissions' },
    })
    const { events } = await run(session, 'Read your mail.')
    await session.close()
    const result = events.find((event) => event.type === 'tool_finished')
    expect(result).toMatchObject({ result: { mail: ['m0'], text: expect.stringContaining('All of it is in ') } })
    const [name, ...others] = readdirSync(folder())
    expect(others).toEqual([])
    expect(readFileSync(join(folder(), name!), 'utf8')).toBe(text)
    return join(folder(), name!)
  }

  it.for<[string, (path: string) => void]>([
    ['missing', (path) => rmSync(path)],
    ['empty, as after a power cut', (path) => writeFileSync(path, '')],
    ['changed', (path) => writeFileSync(path, text.replace('a line', 'A LIE'))],
  ])('has its file written again from the journal when that is %s', async ([, damage]) => {
    const path = await deliver()
    damage(path)
    await using again = await open(narrow(always))
    expect(again.id).toBe('web')
    expect(readFileSync(path, 'utf8')).toBe(text)
  }) // T21
})

describe('three thousand unread messages', () => {
  const contents = Array.from({ length: 3000 }, (_, i) => `report ${i}: ${'all tests of this part pass '.repeat(12)}`)

  /** How often each message stands in the transcript. */
  function tellings(): number[] {
    const text = readFileSync(join(dir, '.teams/web/transcripts/lead.jsonl'), 'utf8')
    const shown = text
      .split('\n')
      .flatMap((line) => (line.includes('"user":') ? [line] : []))
      .join('\n')
    return contents.map((_, i) => shown.split(`report ${i}: `).length - 1)
  }

  it('enter over several turns, in order, none lost and none twice', async () => {
    await send(...contents)
    const model = narrow([{ agent: 'lead', times: 'always', text: 'Noted.' }])
    await using session = await open(model)
    const { stop, events } = await run(session, 'Read your mail.')
    expect(stop.kind).toBe('finished')
    const turns = inputsOf(events)
    expect(turns.length).toBeGreaterThan(5)
    expect(turns[0]!.turn.content[0], 'the prompt comes first').toMatchObject({ text: 'Read your mail.' })
    for (const { turn } of turns) expect(JSON.stringify(turn).length / 4).toBeLessThan(WINDOW / 10)
    expect(turns.flatMap(({ mail }) => mail).filter((id) => /^m\d/.test(id))).toEqual(contents.map((_, i) => `m${i}`))
    expect(tellings().every((count) => count === 1)).toBe(true)
    expect(model.largest()).toBeLessThan(WINDOW)
  }, 60_000) // T21

  it('enter once each when the process ends after some of the turns', async () => {
    await send(...contents)
    for (let life = 0; life < 3; life++) {
      const session = await open(narrow([{ agent: 'lead', times: 'always', text: 'Noted.' }]))
      let turns = 0
      for await (const event of session.run()) if (event.type === 'input_received' && ++turns > 2) break
      await session.close()
    }
    await using session = await open(narrow([{ agent: 'lead', times: 'always', text: 'Noted.' }]))
    expect((await run(session)).stop.kind).toBe('finished')
    expect(tellings().every((count) => count === 1)).toBe(true)
    expect(unreadOf(session.team.state, 'lead')).toEqual([])
  }, 60_000) // T21
})

describe('a turn', () => {
  it('holds messages of the user first, then requests and answers, then the rest in order', async () => {
    await using session = await open(narrow(always))
    const message = (id: string, type: 'message' | 'plan_approval_request', from: string) => ({
      type: 'message.sent' as const,
      message: { id, type, from, to: 'lead', content: id, timestamp: 1 },
    })
    await session.team.report([
      message('first', 'message', 'ci'),
      message('second', 'message', 'ci'),
      message('plan', 'plan_approval_request', 'ada'),
    ])
    const { events } = await run(session, 'Go')
    const [first] = inputsOf(events)
    expect(first!.mail.slice(1)).toEqual(['plan', 'first', 'second'])
  }) // T21

  it.for([
    ['prompts work', false],
    ['/compact works', true],
  ] as const)('that an older version filled beyond the window is cut, so that %s again', async ([, isManual]) => {
    await using team = await openTeam(workspace.store, 'web')
    await team.run({ type: 'team.create', team: 'web' })
    const log = await workspace.store.log('web/transcripts/lead')
    const transcript = await openTranscript({ log, generation: 0 })
    const texts = Array.from({ length: 3000 }, (_, i) => `old message ${i} ${'word '.repeat(60)}`)
    await transcript.addInput({ role: 'user', content: texts.map((text) => ({ type: 'text' as const, text })) }, [])
    await transcript[Symbol.asyncDispose]()
    await using session = await open(narrow(always))
    if (isManual) {
      const loop = session.compact()
      let step = await loop.next()
      for (; !step.done; ) step = await loop.next()
      expect(step.value).toMatchObject({ kind: 'finished', text: expect.stringMatching(/^(Shortened|Compressed)/) })
    }
    const { stop } = await run(session, 'Go on.')
    expect(stop).toMatchObject({ kind: 'finished', text: 'Well.' })
  }) // T21

  it('never holds a prompt that cannot fit: it is refused with its size and the session stays usable', async () => {
    await using session = await open(narrow(always))
    const { stop } = await run(session, 'x y '.repeat(230_000))
    expect(stop).toMatchObject({ kind: 'error', error: { code: 'prompt_too_large' } })
    expect((stop as { error: Error }).error.message).toMatch(/920000 bytes, about \d+ tokens.*Put the text into a file/)
    expect((await run(session, 'Hello')).stop).toMatchObject({ kind: 'finished', text: 'Well.' })
  }) // T21

  it('holds a long task as head, tail and path, and its teammate does it', async () => {
    await using team = await openTeam(workspace.store, 'web')
    await team.run({ type: 'team.create', team: 'web' })
    const description = `Begin. ${'and then check the next page '.repeat(30_000)} End.`
    await team.run({ type: 'task.add', tasks: [{ subject: 'pages', description }] })
    await using session = await open(
      narrow([
        { agent: 'lead', when: { user: 'Go' }, calls: [call('Task', { name: 'ada', prompt: 'Hi.', task_id: '1' })] },
        {
          agent: 'ada',
          when: { answer: 1 },
          calls: [call('TaskUpdate', { taskId: '1', status: 'completed', result: 'done' })],
        },
        ...always,
      ]),
    )
    const { stop, events } = await run(session, 'Go')
    expect(stop.kind).toBe('finished')
    expect(session.left).toEqual([])
    const shown = JSON.stringify(inputsOf(events, 'ada')[0]?.turn)
    expect(shown).toContain('Begin.')
    expect(shown).toContain('End.')
    expect(shown).toMatch(/All of it is in \S+outputs\/ada/)
  }) // T21
})
