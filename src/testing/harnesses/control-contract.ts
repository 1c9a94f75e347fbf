import { randomUUID } from 'node:crypto'
import { existsSync, mkdtempSync, realpathSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, describe, expect, it, vi } from 'vitest'
import type { ModelRequest } from '../../models/model.ts'
import { type OpenControl, openControl } from '../../session/control/open-control.ts'
import type { SessionControl } from '../../session/control/session-control.ts'
import type { SessionOptions } from '../../session/session-options.ts'
import type { TimedLine } from '../../session/wire/live-line.ts'
import { createPlace, openMemoryStore } from '../../stores/memory/store.ts'
import { memberNamed } from '../../team/state.ts'
import { type Compose, composedModel, neverAnswers } from './composed-model.ts'
import { workspaceOn } from './session-harness.ts'

type AnyLine = TimedLine['line']

/** Resolves when the condition holds; a control in another process needs real time. */
export function until(condition: () => boolean, what = String(condition)): Promise<void> {
  return vi.waitFor(() => expect(condition(), what).toBe(true), { timeout: 30_000, interval: 1 })
}

/** A session with its control, a scripted model and a store in memory. */
export async function controlHarness(compose: Compose, options: Partial<SessionOptions> = {}) {
  const root = realpathSync(mkdtempSync(join(tmpdir(), 'deskmates-control-')))
  const store = await openMemoryStore(createPlace())
  const { model, requests } = composedModel(compose)
  const own = await openControl({
    workspace: workspaceOn(store, root),
    model,
    version: '1.2.3',
    sandbox: { mode: 'off' },
    env: {},
    ...options,
  })
  return {
    own,
    root,
    requests,
    requestsOf: (agent: string) => requests.filter((request) => request.agent === agent),
    team: own.opened.team,
    statusOf: (name: string) => memberNamed(own.opened.team.state, name)?.status,
  }
}

/** Reads all lines of a control. */
export function reader(control: SessionControl) {
  const lines: AnyLine[] = []
  let ended: string | undefined
  const stop = control.subscribe(
    ({ line }) => void lines.push(line),
    (why) => {
      ended = why
    },
  )
  const of = <Type extends AnyLine['type']>(type: Type) =>
    lines.filter((line): line is Extract<AnyLine, { type: Type }> => line.type === type)
  return {
    lines,
    stop,
    of,
    get ended() {
      return ended
    },
    run: () => of('deskmates/run').at(-1),
    question: () => of('deskmates/question').at(-1),
    texts: () =>
      of('assistant').flatMap(({ message }) => message.content.flatMap((part) => ('text' in part ? part.text : []))),
  }
}

const lastTurn = ({ turns }: ModelRequest) => JSON.stringify(turns.at(-1))
const bash = (command: string) => ({ calls: [{ tool: 'bash', input: { command } }] })
const answersWithText: Compose = () => ({ text: 'So it is.' })

/** Calls this command for the first input, then answers. */
const runs =
  (command: string): Compose =>
  ({ turns }) =>
    turns.at(-1)?.role === 'user' ? bash(command) : { text: 'Ran.' }

/**
 * What every control of a session promises, in the process of the session and in another one. `reach` returns the control
 * under test for a session that is open here, and closes it after the test.
 */
export function controlContract(name: string, reach: (own: OpenControl) => Promise<SessionControl>): void {
  const open = new Set<AsyncDisposable>()
  afterEach(async () => {
    for (const one of [...open].reverse()) await one[Symbol.asyncDispose]()
    open.clear()
  })

  async function start(compose: Compose, options: Partial<SessionOptions> = {}) {
    const harness = await controlHarness(compose, options)
    open.add(harness.own)
    const control = await reach(harness.own)
    if (control !== harness.own) open.add(control)
    const read = reader(control)
    await until(() => read.run() !== undefined)
    return { ...harness, control, read }
  }

  describe(`the control of a session, ${name}`, () => {
    it('begins with the state of everything, and writes what happens in a run', async () => {
      const { control, read } = await start(answersWithText)
      expect(read.lines.map(({ type }) => type)).toEqual([
        ...['system', 'deskmates/state', 'deskmates/mode', 'deskmates/run'],
      ])
      expect(read.lines[0]).toMatchObject({ subtype: 'init', session_id: control.session, version: '1.2.3' })
      expect(read.run()).toMatchObject({ state: 'settled', error: null })
      expect(await control.prompt('Is it so?')).toBe('started')
      await until(() => read.of('deskmates/run').length === 3)
      expect(read.of('deskmates/run').map(({ state }) => state)).toEqual(['settled', 'working', 'settled'])
      expect(
        read
          .of('deskmates/delta')
          .map(({ text }) => text)
          .join(''),
      ).toBe('So it is.')
      expect(read.texts()).toEqual(['So it is.'])
      const sent = read
        .of('deskmates/record')
        .filter(({ events }) => events.some(({ type }) => type === 'message.sent'))
      expect(sent).toHaveLength(1)
      expect(sent[0]!.seq).toBeGreaterThan(read.of('deskmates/state')[0]!.seq)
      expect(JSON.stringify(read.of('user')[0])).toContain('Is it so?')
    }) // A87

    it('delivers a prompt to the lead that works at its next step, once', async () => {
      const { control, read, requests, root } = await start(runs('until [ -e go ]; do sleep 0.01; done; touch done'), {
        permissions: { mode: 'bypassPermissions' },
      })
      await control.prompt('First.')
      await until(() => read.of('deskmates/tool_started').length === 1)
      expect(await control.prompt('Second.')).toBe('queued')
      writeFileSync(join(root, 'go'), '')
      await until(() => read.run()?.state === 'settled')
      const times = requests.map(({ turns }) => JSON.stringify(turns).split('Second.').length - 1)
      expect(times).toEqual([0, 1, 1])
      expect(existsSync(join(root, 'done'))).toBe(true)
    })

    it('refuses a prompt that is empty, too large or refused by a hook, with nothing sent', async () => {
      const { control, requests, team } = await start(answersWithText, {
        hooks: { UserPromptSubmit: [{ hooks: [{ type: 'command', command: 'grep -q secret && exit 2 || exit 0' }] }] },
      })
      expect(await control.prompt(' \n')).toMatchObject({ refused: expect.stringContaining('empty') })
      expect(await control.prompt('word '.repeat(300_000))).toMatchObject({
        refused: expect.stringContaining('tokens'),
      })
      expect(await control.prompt('the secret plan')).toMatchObject({ refused: expect.stringContaining('hook') })
      expect(team.state.mailboxes.get('lead')?.size ?? 0).toBe(0)
      expect(requests).toHaveLength(0)
    })

    it('tells what a person typed from what hooks, commands and the runtime said', async () => {
      const { control, read, team } = await start(answersWithText, {
        hooks: { UserPromptSubmit: [{ hooks: [{ type: 'command', command: 'echo on main' }] }] },
        permissions: { mode: 'bypassPermissions' },
      })
      await control.prompt('Is it so?')
      await until(() => read.of('deskmates/run').length === 3)
      await control.prompt('Review src in all details.', '/review src')
      await until(() => read.of('deskmates/run').length === 5)
      await team.report([
        {
          type: 'message.sent',
          message: { id: 'm1', type: 'message', from: 'ada', to: 'lead', content: 'Red.', timestamp: 1 },
        },
      ])
      await control.prompt('And now?')
      await until(() => read.of('user').some((line) => JSON.stringify(line).includes('And now?')))
      await until(() => read.run()?.state === 'settled')
      const typed = (lines: readonly AnyLine[]) =>
        lines.flatMap((line) => (line.type === 'user' ? (line.typed?.map(({ text }) => text) ?? ['unknown']) : []))
      const expected = ['Is it so?', '/review src', 'And now?']
      expect(typed(read.lines)).toEqual(expected)
      const past = (await control.history('lead', 100)).map(({ line }) => line)
      expect(typed(past)).toEqual(expected)
      expect(JSON.stringify(past)).toContain('[added by a hook of the user]')
    })

    it('lists the rules that count, also those that a person answered with', async () => {
      const { control, read } = await start(runs('touch a'), { permissions: { deny: ['read_file(.env)'] } })
      const written = { decision: 'deny', rule: 'read_file(.env)', from: 'session' }
      expect(await control.rules()).toEqual([written])
      await control.prompt('Go.')
      await until(() => read.question() !== undefined)
      await control.answer(read.question()!.id, { allowed: true, always: true })
      const [, ...answered] = await control.rules()
      expect(answered.length).toBeGreaterThan(0)
      for (const { decision, from } of answered) expect([decision, from]).toEqual(['allow', 'session'])
      await until(() => read.run()?.state === 'settled')
    })

    it('attaches files that mail of a person names, but none that a rule denies', async () => {
      const { control, read, root, requestsOf, statusOf } = await start(answersWithText, {
        permissions: { deny: ['read_file(secret.txt)'] },
      })
      writeFileSync(join(root, 'plan.txt'), 'first the schema')
      writeFileSync(join(root, 'secret.txt'), 'hidden words')
      for (const name of ['ada', 'bob']) await control.spawn(name, 'coder', 'Wait.')
      await until(() => statusOf('ada') === 'idle' && statusOf('bob') === 'idle')
      const before = { ada: requestsOf('ada').length, bob: requestsOf('bob').length }
      const lastInputOf = (name: 'ada' | 'bob') =>
        JSON.stringify(requestsOf(name).slice(before[name]).at(-1)?.turns.at(-1))
      await control.send('ada', 'Read @plan.txt and @secret.txt first.')
      await until(() => requestsOf('ada').length > before.ada)
      expect(lastInputOf('ada')).toContain('first the schema')
      expect(lastInputOf('ada')).not.toContain('hidden words')
      const notes = () => read.of('deskmates/note').map(({ text }) => text)
      await until(() => notes().some((text) => text.includes('secret.txt is not attached')))
      await until(() => statusOf('ada') === 'idle')
      await control.send('all', 'All of you: @plan.txt')
      for (const name of ['ada', 'bob'] as const)
        await until(() => /All of you.*first the schema/.test(lastInputOf(name) ?? ''), `${name} gets the file`)
    })

    it('runs by itself when mail for the lead comes in', async () => {
      const { read, team, requests } = await start(answersWithText)
      await team.send({ to: 'lead', content: 'The build is red.' })
      await until(() => read.run()?.state === 'settled' && requests.length === 1)
      expect(lastTurn(requests[0]!)).toContain('The build is red.')
    })

    it('does not repeat a run that failed before something comes from outside', async () => {
      const { control, read, requests } = await start(({ turns }) =>
        JSON.stringify(turns.at(-1)).includes('again')
          ? { text: 'Now.' }
          : { error: { fault: 'key', message: 'no key' } as never },
      )
      await control.prompt('Go.')
      await until(() => read.of('deskmates/run').length >= 3)
      expect(read.run()).toMatchObject({ state: 'settled', error: expect.stringMatching(/./) })
      const before = requests.length
      await control.setMode('plan')
      expect(requests).toHaveLength(before)
      expect(read.of('deskmates/run')).toHaveLength(3)
      await control.prompt('Try again.')
      await until(() => read.texts().includes('Now.') && read.run()?.state === 'settled')
      expect(read.run()).toMatchObject({ error: null })
    })

    it('interrupts the lead alone, which waits for the next message', async () => {
      const { control, read, requestsOf, statusOf } = await start((request, signal) => {
        if (request.agent === 'ada') return neverAnswers(request, signal)
        return lastTurn(request).includes('interrupted you') ? { text: 'As you wish.' } : neverAnswers(request, signal)
      })
      expect(await control.interrupt('lead')).toBe(false)
      await control.spawn('ada', 'coder', 'Work.')
      await control.prompt('Go.')
      await until(() => requestsOf('lead').length === 1 && requestsOf('ada').length === 1)
      expect(await control.interrupt('lead')).toBe(true)
      await until(() => statusOf('lead') === 'idle')
      expect(await control.interrupt('lead')).toBe(false)
      expect(statusOf('ada')).toBe('working')
      expect(requestsOf('lead')).toHaveLength(1)
      expect(read.run()).toMatchObject({ state: 'working' })
      expect(await control.prompt('Something else.')).toBe('queued')
      await until(() => read.texts().includes('As you wish.'))
      expect(await control.interrupt('ada')).toBe(true)
      await until(() => statusOf('ada') === 'idle' && read.run()?.state === 'settled')
      expect(read.run()).toMatchObject({ error: null })
    }) // A87

    it('takes one answer to a question, although several come at once', async () => {
      const { control, own, read, root } = await start(runs('echo x >> file'))
      await control.prompt('Go.')
      await until(() => read.question() !== undefined)
      const asked = read.question()!
      expect(asked).toMatchObject({
        agent: 'lead',
        about: { kind: 'permission', tool: 'bash', input: { command: 'echo x >> file' } },
      })
      const answers = await Promise.all([
        control.answer(asked.id, { allowed: true }),
        own.answer(asked.id, { allowed: false }),
        control.answer(asked.id, { allowed: true }),
      ])
      expect(answers.filter((answer) => answer === 'accepted')).toHaveLength(1)
      expect(answers.filter((answer) => answer === 'late')).toHaveLength(2)
      await until(() => read.run()?.state === 'settled')
      expect(read.of('deskmates/question_closed').map(({ id }) => id)).toEqual([asked.id])
      expect(existsSync(join(root, 'file'))).toBe(read.of('deskmates/question_closed')[0]!.outcome === 'allowed')
      expect(await control.answer(asked.id, { allowed: true })).toBe('late')
      expect(await control.answer('q99', { allowed: true })).toBe('late')
    }) // B70

    it('does not take an answer to a question that is void', async () => {
      const { control, read, root } = await start(runs('touch file'))
      await control.prompt('Go.')
      await until(() => read.question() !== undefined)
      await control.interrupt('lead')
      await until(() => read.run()?.state === 'settled')
      expect(await control.answer(read.question()!.id, { allowed: true })).toBe('late')
      expect(read.of('deskmates/question_closed')).toMatchObject([{ outcome: 'void' }])
      expect(existsSync(join(root, 'file'))).toBe(false)
    })

    it('allows what an answer allows for the session, and still asks where a rule wants it', async () => {
      const commands = ['touch one', 'touch two', 'rm one']
      const { control, read, root } = await start(
        ({ turns }) => {
          const command = commands[turns.filter(({ role }) => role === 'tool').length]
          return command === undefined ? { text: 'Done.' } : bash(command)
        },
        { permissions: { ask: ['bash(rm *)'] } },
      )
      await control.prompt('Go.')
      await until(() => read.question() !== undefined)
      expect(read.question()?.about).toMatchObject({ rules: ['bash(touch *)'] })
      await control.answer(read.question()!.id, { allowed: true, always: true })
      await until(() => read.of('deskmates/question').length === 2)
      expect(existsSync(join(root, 'two'))).toBe(true)
      expect(read.question()?.about).toMatchObject({ input: { command: 'rm one' }, rules: [] })
      await control.answer(read.question()!.id, { allowed: false, why: 'keep it', always: true })
      await until(() => read.run()?.state === 'settled')
      expect(existsSync(join(root, 'one'))).toBe(true)
    })

    it('changes the mode for the next action of every agent, but not to bypassPermissions', async () => {
      const write = { calls: [{ tool: 'write_file', input: { path: 'a.txt', content: 'x' } }] }
      const { control, read, root } = await start(({ turns }) =>
        turns.at(-1)?.role === 'user' ? write : { text: 'Written.' },
      )
      expect(await control.setMode('bypassPermissions')).toMatchObject({ refused: expect.stringContaining('started') })
      expect(await control.setMode('acceptEdits')).toBeUndefined()
      await until(() => read.of('deskmates/mode').at(-1)?.mode === 'acceptEdits')
      await control.prompt('Write.')
      await until(() => read.run()?.state === 'settled' && read.texts().includes('Written.'))
      expect(existsSync(join(root, 'a.txt'))).toBe(true)
      expect(read.question()).toBeUndefined()
    })

    it('spawns a teammate, writes to it, stops it, and names what it cannot do', async () => {
      const { control, read, requestsOf, statusOf } = await start(answersWithText)
      expect(await control.spawn('ada', 'coder', 'Hello.')).toBeUndefined()
      await until(() => statusOf('ada') === 'idle' && read.run()?.state === 'settled')
      expect(await control.send('ada', 'Are you there?')).toBeUndefined()
      await until(() => requestsOf('ada').length === 2)
      expect(lastTurn(requestsOf('ada')[1]!)).toContain('Are you there?')
      await until(() => statusOf('ada') === 'idle')
      expect(await control.send('all', 'We freeze.')).toBeUndefined()
      await until(() => requestsOf('ada').length === 3 && statusOf('ada') === 'idle')
      expect(await control.stop('ada', false)).toBeUndefined()
      await until(() => statusOf('ada') === 'stopped')
      expect(await control.send('bob', 'Hello.')).toMatchObject({ refused: expect.stringContaining('no member bob') })
      expect(await control.stop('bob', true)).toMatchObject({ refused: expect.stringContaining('no member bob') })
      expect(await control.answerRequest('r99', true, '')).toMatchObject({ refused: expect.stringContaining('r99') })
      expect(await control.spawn('lead', 'x', 'x')).toMatchObject({ refused: expect.any(String) })
      expect(await control.stop('lead', true)).toMatchObject({ refused: expect.stringContaining('session') })
      expect(await control.setModel('scripted:x')).toMatchObject({ refused: expect.any(String) })
    }) // B75

    it('keeps a plan open that the lead does not answer, for the person', async () => {
      const { control, read, team, statusOf } = await start((request) => {
        if (request.agent === 'lead') return { text: 'I see.' }
        if (JSON.stringify(request.turns).includes('looks good')) return { text: 'I begin.' }
        if (request.turns.length > 1) return { text: 'I wait.' }
        return { calls: [{ tool: 'SendMessage', input: { type: 'plan_approval_request', content: 'I dig.' } }] }
      })
      await control.spawn('ada', 'coder', 'Plan first.')
      await until(() => team.state.requests.get('r1')?.state === 'pending' && read.run()?.state === 'settled')
      expect(team.state.requests.get('r1')).toMatchObject({ kind: 'plan_approval', state: 'pending' })
      expect(await control.answerRequest('r1', true, 'looks good')).toBeUndefined()
      await until(() => team.state.requests.get('r1')?.state === 'approved' && statusOf('ada') === 'idle')
      expect(await control.answerRequest('r1', true, '')).toMatchObject({ refused: expect.stringContaining('r1') })
    })

    it('asks another model from the next call of the lead on', async () => {
      const { control, read } = await start(answersWithText, {
        modelFor: async (name) => composedModel(() => ({ text: 'Quite so.' }), { name }).model,
      })
      expect(await control.setModel('other/model')).toBeUndefined()
      await until(() => read.of('system').length === 2)
      expect(read.of('system')[1]).toMatchObject({ model: 'other/model' })
      await control.prompt('Is it so?')
      await until(() => read.texts().includes('Quite so.'))
      expect(read.of('assistant')[0]!.message.model).toBe('other/model')
    })

    it('returns the conversation of an agent from its transcript, the last lines', async () => {
      const { control, read } = await start(runs('true'), { permissions: { mode: 'bypassPermissions' } })
      await control.prompt('Go.')
      await until(() => read.run()?.state === 'settled' && read.texts().includes('Ran.'))
      await vi.waitFor(async () => expect(await control.history('lead', 100)).toHaveLength(4), { timeout: 30_000 })
      const all = await control.history('lead', 100)
      expect(all.map(({ line }) => line.type)).toEqual(['user', 'assistant', 'user', 'assistant'])
      const live = read.lines.filter(({ type }) => type === 'assistant')
      expect(all.filter(({ line }) => line.type === 'assistant').map(({ line }) => line)).toEqual(live)
      expect(all[0]!.at).toBeGreaterThan(1_600_000_000)
      expect(await control.history('lead', 1)).toEqual(all.slice(-1))
      expect(await control.history('../lead', 1)).toEqual([])
    })

    it('summarises the conversation when no agent works', async () => {
      const { control, read } = await start((request, signal) =>
        lastTurn(request).includes('Never end') ? neverAnswers(request, signal) : { text: 'So it is.' },
      )
      expect(await control.compact(undefined)).toBe('[Nothing to compress.]')
      await control.prompt('Remember this.')
      await until(() => read.texts().includes('So it is.') && read.run()?.state === 'settled')
      // A line tells everyone who reads the session; the answer does not say it again.
      expect(await control.compact(undefined)).toBe('')
      await until(() => read.lines.some((line) => line.type === 'system' && line.subtype === 'compact_boundary'))
      await control.prompt('Never end.')
      await until(() => read.run()?.state === 'working')
      expect(await control.compact('tests')).toMatchObject({ refused: expect.stringContaining('working') })
    })

    it('writes no secret and no terminal control, also in a text that streams in pieces', async () => {
      const key = `sk-ant-api03-${randomUUID().replaceAll('-', '')}${randomUUID().replaceAll('-', '')}`
      const { control, read } = await start(
        ({ turns }) =>
          turns.at(-1)?.role === 'user'
            ? {
                text: `The key is ${key} \u001b[31mred\u0007 \u{1F600}`,
                chunk: 3,
                ...bash('printf "\\033]0;x\\007\\r\\n\\001"'),
              }
            : { text: 'Done.' },
        { permissions: { mode: 'bypassPermissions' }, secrets: ['correct horse battery'] },
      )
      await control.prompt('Say correct horse battery.')
      await until(() => read.run()?.state === 'settled' && read.texts().includes('Done.'))
      const all = JSON.stringify(read.lines)
      expect(all).toContain('The key is')
      expect(all).toContain('\u{1F600}')
      expect(all).not.toContain(key.slice(0, 24))
      expect(all).not.toContain(key.slice(-20))
      expect(all).not.toContain('correct horse')
      expect(all).not.toMatch(/(?<!\\)\\(u00[01]|[rbf])|\u007f/)
    })

    it('says why no line follows when the session is closed', async () => {
      const { own, read } = await start(answersWithText)
      open.delete(own)
      await own[Symbol.asyncDispose]()
      await until(() => read.ended !== undefined)
      expect(read.ended).toMatch(/closed|ended/)
    })
  })
}
