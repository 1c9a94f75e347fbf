import { spawn } from 'node:child_process'
import { once } from 'node:events'
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { refusalForPerson } from '../cli/refusal-text.ts'
import type { Log, Store } from '../journal/log/store.ts'
import { openTeam } from '../journal/team-handle.ts'
import type { ModelRequest } from '../models/model.ts'
import type { Script } from '../models/scripted/script.ts'
import { scriptedModel } from '../models/scripted/scripted-model.ts'
import { isGroupAlive } from '../permissions/processes/process-group.ts'
import { folderHash } from '../permissions/trust/folder-hash.ts'
import { runtimeOf } from '../stores/identity.ts'
import { SessionRefused } from '../supervisor/lead/take-lead.ts'
import { memberNamed } from '../team/state.ts'
import { runToEnd } from '../testing/harnesses/session-harness.ts'
import { defineTool } from '../tools/define-tool.ts'
import type { Tool } from '../tools/tool.ts'
import { openWorkspace, type Workspace } from '../workspace.ts'
import { openSession } from './open-session.ts'
import type { Session } from './session.ts'
import type { SessionOptions } from './session-options.ts'

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
    // These tests look at processes from outside; the sandbox has its own.
    sandbox: { mode: 'off' },
    ...options,
  })
}

describe('a session', () => {
  it('is a team named by its session id, whose lead works and is then idle', async () => {
    await using talk = await session([
      { calls: [{ tool: 'bash', input: { command: 'echo hi > made' } }] },
      { when: { result: { tool: 'bash' } }, text: 'made it' },
    ])
    expect(talk.id).toMatch(/^s-\d{8}-\d{6}-[a-z2-7]{4}$/)
    const { stop, events } = await runToEnd(talk, 'make a file')
    expect(stop).toEqual({ kind: 'finished', text: 'made it' })
    expect(readFileSync(join(dir, 'made'), 'utf8')).toBe('hi\n')
    expect(new Set(events.flatMap(({ type, agent }) => (type === 'team' ? [] : [agent])))).toEqual(new Set(['lead']))
    await talk.team.refresh()
    expect(memberNamed(talk.team.state, 'lead')).toMatchObject({ status: 'idle', generation: 1 })
    expect(talk.team.state.spent.get('lead')).toMatchObject({ calls: 2 })
  }) // A8

  it('continues where it was when it is opened again, as a new generation', async () => {
    const first = await session([{ text: 'noted' }])
    await runToEnd(first, 'the word is fig')
    await first.close()
    await using again = await session([{ when: { conversation: 'the word is fig' }, text: 'fig' }], { team: first.id })
    expect((await runToEnd(again, 'what was it?')).stop).toEqual({ kind: 'finished', text: 'fig' })
    expect(memberNamed(again.team.state, 'lead')).toMatchObject({ generation: 2 })
  })

  it('is open in one process at a time, and names the command to watch it', async () => {
    const sleeper = spawn('sleep', ['600'], { stdio: 'ignore' })
    try {
      const team = await openTeam(workspace.store, 'web')
      await team.run({ type: 'team.create', team: 'web' })
      await team.run({ type: 'supervise', runtime: runtimeOf(sleeper.pid!) })
      await team.close()
      const refused = await session([], { team: 'web' }).catch((error: unknown) => error as SessionRefused)
      expect(refused).toBeInstanceOf(SessionRefused)
      expect(refusalForPerson((refused as SessionRefused).refusal)).toContain('deskmates log --follow --team web')
      sleeper.kill('SIGKILL')
      await once(sleeper, 'exit')
      await using free = await session([{ text: 'mine' }], { team: 'web' })
      expect((await runToEnd(free, 'hello')).stop).toMatchObject({ text: 'mine' })
      await expect(session([], { team: 'web' })).rejects.toThrow('This process runs web already')
    } finally {
      sleeper.kill('SIGKILL')
    }
  })

  it('waits for background jobs without model calls, and reports their end once', async () => {
    await using talk = await session([
      { calls: [{ tool: 'bash', input: { command: 'sleep 0.1; echo done', run_in_background: true } }] },
      { when: { result: 'task_id' }, text: 'it runs' },
      { when: { user: '<status>completed</status>' }, text: 'it is done' },
    ])
    const { stop, events } = await runToEnd(talk, 'start it')
    expect(stop).toEqual({ kind: 'finished', text: 'it is done' })
    expect(events.filter(({ type }) => type === 'answered')).toHaveLength(3)
    const received = events.flatMap((event) => (event.type === 'input_received' ? event.turn.content : []))
    expect(received.filter((part) => JSON.stringify(part).includes('task-notification'))).toHaveLength(1)
  }) // A55, A56

  it('reports in the next run how an unreported job ended, and reports no death of its process', async () => {
    const begin = [{ calls: [{ tool: 'bash', input: { command: 'sleep 600', run_in_background: true } }] }]
    const first = await session(begin, { limits: { turns: 1 } })
    expect((await runToEnd(first, 'start it')).stop).toMatchObject({ kind: 'limit' })
    await first.close()
    let inputs = ''
    const listen = {
      compose({ turns }: ModelRequest) {
        inputs = JSON.stringify(turns.at(-1))
        return { text: 'heard' }
      },
    }
    await using again = await session([listen], { team: first.id })
    await runToEnd(again)
    expect(inputs).toContain('<task-id>b000001</task-id>')
    expect(inputs).toContain('stopped before it ended')
    expect(inputs).not.toContain('has died')
  }) // F39

  it('wakes for mail while a job runs', async () => {
    await using talk = await session([
      { calls: [{ tool: 'bash', input: { command: 'sleep 600', run_in_background: true } }] },
      { when: { result: 'task_id' }, text: 'it runs' },
      { when: { user: 'enough' }, calls: [{ tool: 'TaskStop', input: { task_id: 'b000001' } }] },
      { when: { result: { tool: 'TaskStop', text: 'stopped' } }, text: 'stopped it' },
    ])
    const loop = talk.run('start it')
    for (;;) {
      const step = await loop.next()
      if (step.done) {
        expect(step.value).toEqual({ kind: 'finished', text: 'stopped it' })
        return
      }
      const isResting = step.value.type === 'answered' && JSON.stringify(step.value).includes('it runs')
      if (isResting) await talk.team.send({ to: 'lead', content: 'enough' })
    }
  })

  it('starts subagents with the prompt alone, which only read and start no others', async () => {
    const asked: string[][] = []
    await using talk = await session([
      {
        agent: 'lead',
        calls: [{ tool: 'Task', input: { prompt: 'find the port', agent_type: 'explore', description: 'find it' } }],
      },
      {
        agent: 'lead/explore-1',
        compose({ turns, tools, system }) {
          asked.push(tools.map(({ name }) => name))
          expect(turns).toEqual([{ role: 'user', content: [{ type: 'text', text: 'find the port' }] }])
          expect(system).not.toContain('You are the lead')
          return { calls: [{ tool: 'bash', input: { command: 'echo x > written' } }] }
        },
      },
      { agent: 'lead/explore-1', when: { result: 'Denied' }, text: 'port 80' },
      { agent: 'lead', when: { result: { tool: 'Task', text: 'port 80' } }, text: 'It is 80.' },
    ])
    const { stop, events } = await runToEnd(talk, 'where is the port?')
    expect(stop).toEqual({ kind: 'finished', text: 'It is 80.' })
    expect(existsSync(join(dir, 'written'))).toBe(false)
    expect(asked[0]).toEqual(expect.arrayContaining(['bash', 'read_file', 'glob', 'grep']))
    for (const tool of ['Task', 'write_file', 'edit_file', 'TaskStop']) expect(asked[0]).not.toContain(tool)
    const subagentRun = events.filter(({ agent }) => agent === 'lead/explore-1')
    expect(subagentRun.length).toBeGreaterThan(3)
    expect(subagentRun.every((event) => 'parent' in event && event.parent === 'call_1_1')).toBe(true)
  }) // A15, F31

  it('lets no agent choose a model that is a program or a recording', async () => {
    const asked: string[] = []
    writeFileSync(join(dir, 'own.mjs'), "import { writeFileSync } from 'node:fs'; writeFileSync('escaped', '')")
    const call = (model: string) => ({ tool: 'Task', input: { prompt: 'x', model } })
    await using talk = await session(
      [
        { calls: [call(`scripted:${dir}/own.mjs`), call('replay:x.jsonl'), call('openai/gpt-5')] },
        { when: { result: 'agents cannot choose' }, text: 'no' },
      ],
      {
        modelFor: async (name) => {
          asked.push(name)
          throw new Error('no such model')
        },
      },
    )
    expect((await runToEnd(talk, 'go')).stop).toMatchObject({ text: 'no' })
    expect(asked).toEqual(['openai/gpt-5'])
  })

  it('counts subagents against the same budget', async () => {
    const price = { input: 0, cacheRead: 0, cacheWrite: 0, output: 1_000_000 }
    const parts: Script['parts'] = [
      {
        agent: 'lead',
        calls: [{ tool: 'Task', input: { prompt: 'spend', agent_type: 'code' } }],
        usage: { output: 1 },
      },
      { agent: 'lead/code-1', text: 'spent', usage: { output: 9 } },
    ]
    await using talk = await session(parts, { model: scriptedModel({ parts, price }), limits: { dollars: 5 } })
    expect((await runToEnd(talk, 'go')).stop).toMatchObject({ kind: 'budget', spent: 10 })
    expect(talk.team.state.spent.get('lead')).toMatchObject({ cost: 10, calls: 2 })
  })

  it('stops when its events are no longer read, and can be resumed', async () => {
    const parts: Script['parts'] = [
      { when: { answer: 1 }, calls: [{ tool: 'bash', input: { command: 'echo $$ > pid; sleep 600' } }] },
      { when: { result: 'Interrupted' }, text: 'I was interrupted' },
    ]
    const talk = await session(parts)
    for await (const event of talk.run('sleep')) {
      if (event.type !== 'tool_started') continue
      while (!existsSync(join(dir, 'pid')) || readFileSync(join(dir, 'pid'), 'utf8') === '')
        await new Promise((resolve) => setTimeout(resolve, 5))
      break
    }
    const pid = Number(readFileSync(join(dir, 'pid'), 'utf8'))
    expect(isGroupAlive(pid)).toBe(false)
    expect((await runToEnd(talk)).stop).toEqual({ kind: 'finished', text: 'I was interrupted' })
    await talk.close()
  }) // F38

  it('stops a run whose events are not read when it is closed, with every process it started', async () => {
    const talk = await session([
      { when: { answer: 1 }, calls: [{ tool: 'bash', input: { command: 'echo $$ > pid; sleep 600' } }] },
      { when: { result: 'Interrupted' }, text: 'I was interrupted' },
    ])
    const loop = talk.run('sleep')
    let step = await loop.next()
    while (!step.done && step.value.type !== 'progress' && step.value.type !== 'tool_started') step = await loop.next()
    while (!existsSync(join(dir, 'pid')) || readFileSync(join(dir, 'pid'), 'utf8') === '')
      await new Promise((resolve) => setTimeout(resolve, 5))
    await talk.close()
    expect(isGroupAlive(Number(readFileSync(join(dir, 'pid'), 'utf8')))).toBe(false)
    await using again = await session([{ when: { result: 'Interrupted' }, text: 'so I was' }], { team: talk.id })
    expect((await runToEnd(again)).stop).toEqual({ kind: 'finished', text: 'so I was' })
  }) // F38

  it('reports the failure, and the last text, when its journal can no longer be written', async () => {
    const talk = await session([
      {
        compose() {
          const journal = workspace.journalOf(talk.id)
          renameSync(journal, `${journal}.away`)
          writeFileSync(journal, '')
          return { text: 'all done' }
        },
      },
    ])
    const { stop } = await runToEnd(talk, 'go')
    expect(stop).toMatchObject({ kind: 'error', text: 'all done' })
    await talk.close().catch(() => {})
  }) // F37

  it('continues with the next prompt when one could not be written, and closes', async () => {
    let isFull = false
    const store: Store = {
      ...workspace.store,
      async log(name) {
        const log = await workspace.store.log(name)
        const append: Log['append'] = async (records) => {
          if (isFull) throw new Error('no space left')
          return log.append(records)
        }
        return { ...log, append }
      },
    }
    const talk = await session([{ text: 'here I am' }], { workspace: { ...workspace, store } })
    isFull = true
    expect((await runToEnd(talk, 'one')).stop).toMatchObject({ kind: 'error', error: { message: 'no space left' } })
    isFull = false
    expect((await runToEnd(talk, 'two')).stop).toEqual({ kind: 'finished', text: 'here I am' })
    expect(memberNamed(talk.team.state, 'lead')).toMatchObject({ status: 'idle' })
    await talk.close()
  })

  it('ends a run only when the answer of its lead is durable', async () => {
    let appended = 0
    let durable = 0
    const store: Store = {
      ...workspace.store,
      async log(name, options) {
        const log = await workspace.store.log(name, options)
        if (!name.endsWith('/transcripts/lead')) return log
        const append: Log['append'] = async (records) => {
          appended += records.length
          const written = appended
          const result = await log.append(records)
          return {
            outcomes: result.outcomes,
            get durable() {
              return result.durable.then(async () => {
                await new Promise((resolve) => setTimeout(resolve, 50))
                durable = Math.max(durable, written)
              })
            },
          }
        }
        return { ...log, append }
      },
    }
    const answer = async () => {
      // Its input is durable and acknowledged by then.
      while (durable === 0) await new Promise((resolve) => setTimeout(resolve, 10))
      return { text: 'here I am' }
    }
    await using talk = await session([{ compose: answer }], { workspace: { ...workspace, store } })
    expect((await runToEnd(talk, 'go')).stop).toEqual({ kind: 'finished', text: 'here I am' })
    expect(appended).toBeGreaterThan(1)
    expect(durable).toBe(appended)
  }) // F24

  it('writes nothing for a lead that stays idle', async () => {
    const no = { type: 'command' as const, command: 'echo no >&2; exit 2' }
    const talk = await session([], { hooks: { UserPromptSubmit: [{ hooks: [no] }] } })
    expect((await runToEnd(talk, 'one')).stop).toMatchObject({ kind: 'error', error: { code: 'prompt_refused' } })
    await talk.close()
    expect(readFileSync(workspace.journalOf(talk.id), 'utf8')).not.toContain('member.activity')
  })

  it('hides keys of models from commands, and ids and times from models', async () => {
    let system = ''
    await using talk = await session(
      [
        {
          compose(request) {
            system = request.system
            return { calls: [{ tool: 'bash', input: { command: 'env' } }] }
          },
        },
        { when: { result: 'SHOWN=yes' }, text: 'seen' },
      ],
      { env: { PATH: process.env.PATH, ANTHROPIC_API_KEY: 'sk-secret', SHOWN: 'yes' } },
    )
    const { stop, events } = await runToEnd(talk, 'look')
    expect(stop).toMatchObject({ text: 'seen' })
    expect(JSON.stringify(events)).not.toContain('sk-secret')
    expect(system).toContain('your team')
    expect(system).not.toMatch(/s-\d{8}-|\b[0-9A-HJKMNP-TV-Z]{26}\b|\d\d:\d\d/)
  })

  it('keeps file tools away from settings and trust when the workspace is the home folder', async () => {
    const files = { settings: join('.config', 'deskmates', 'settings.json'), state: join('state', 'trust', 'x.json') }
    mkdirSync(join(dir, '.config', 'deskmates'), { recursive: true })
    writeFileSync(join(dir, files.settings), '{"providers":{"own":{"key":"sk-secret"}}}')
    const results: unknown[] = []
    const tries = Object.values(files).flatMap((path) => [
      { tool: 'read_file', input: { path } },
      { tool: 'write_file', input: { path, content: '{"permissions":{"mode":"bypassPermissions"}}' } },
    ])
    const env = { HOME: dir, PATH: process.env.PATH, DESKMATES_STATE: join(dir, 'state') }
    await using talk = await session(
      [
        { calls: [...tries, { tool: 'grep', input: { pattern: 'secret' } }] },
        {
          compose({ turns }) {
            results.push(turns.at(-1))
            return { text: 'tried' }
          },
        },
      ],
      { env },
    )
    expect((await runToEnd(talk, 'go')).stop).toMatchObject({ text: 'tried' })
    expect(JSON.stringify(results).match(/denies (reading|writing)/g)).toHaveLength(4)
    expect(JSON.stringify(results)).not.toContain('sk-')
    expect(readFileSync(join(dir, files.settings), 'utf8')).toContain('sk-secret')
    expect(existsSync(join(dir, files.state))).toBe(false)
  })

  it('takes tools of the caller, but not two of one name', async () => {
    const own = (name: string) =>
      defineTool({ name, description: 'x', input: z.object({}), run: () => ({ found: 3 }) as never }) as Tool
    await expect(session([], { tools: [own('bash')] })).rejects.toThrow('bash')
    await using talk = await session(
      [{ calls: [{ tool: 'look', input: {} }] }, { when: { result: '{"found":3}' }, text: 'three' }],
      { tools: [own('look')] },
    )
    expect((await runToEnd(talk, 'look')).stop).toMatchObject({ text: 'three' })
  })

  it('can be opened again when opening it has failed', async () => {
    const missing = { folders: [join(dir, 'missing')], team: 'web' }
    await expect(session([], missing)).rejects.toThrow('missing')
    await expect(session([], missing)).rejects.toThrow('missing')
    await using talk = await session([{ text: 'here' }], { team: 'web' })
    expect((await runToEnd(talk, 'hello')).stop).toMatchObject({ text: 'here' })
  }) // F38

  it('ignores the agent types of a project until the user trusts it', async () => {
    mkdirSync(join(dir, 'agents'))
    writeFileSync(join(dir, 'agents', 'poet.md'), '---\nname: poet\ndescription: rhymes\n---\nYou rhyme.\n')
    const offered: string[] = []
    const parts: Script['parts'] = [
      {
        compose({ tools }) {
          offered.push(tools.find(({ name }) => name === 'Task')!.description)
          return { text: 'ok' }
        },
      },
    ]
    const warnings: string[] = []
    for (const trusts of [false, true]) {
      if (trusts) workspace.trust.trustFolder(dir, folderHash(dir))
      const talk = await session(parts, { warn: (text) => void warnings.push(text) })
      await runToEnd(talk, 'hello')
      await talk.close()
    }
    expect(offered.map((text) => text.includes('poet'))).toEqual([false, true])
    expect(warnings.filter((text) => !text.includes('sandbox'))).toEqual([expect.stringContaining('deskmates trust')])
  })
})
