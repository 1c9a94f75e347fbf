import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, watch, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { openTeam } from '../../src/journal/team-handle.ts'
import type { Script } from '../../src/models/scripted/script.ts'
import { scriptedModel } from '../../src/models/scripted/scripted-model.ts'
import { openSession } from '../../src/session/open-session.ts'
import type { SessionOptions } from '../../src/session/session-options.ts'
import { unreadOf } from '../../src/team/state.ts'
import { runToEnd } from '../../src/testing/harnesses/session-harness.ts'
import { defineTool } from '../../src/tools/define-tool.ts'
import { openWorkspace } from '../../src/workspace.ts'
import { useDatabase } from './database.ts'

const database = useDatabase()
let dir: string
let place: ReturnType<typeof database.place>
beforeEach(() => {
  dir = realpathSync(mkdtempSync(join(tmpdir(), 'deskmates-fence-')))
  place = database.place()
  writeFileSync(join(dir, 'notes.txt'), 'before')
})
afterEach(() => rmSync(dir, { recursive: true }))

const notes = () => readFileSync(join(dir, 'notes.txt'), 'utf8')
const open = () =>
  openWorkspace({ cwd: dir, env: { HOME: dir, DESKMATES_STATE: join(dir, 'state') }, store: place.url, warn() {} })

/** As if every process that runs now had been silent for longer than its lease. */
const endLeases = () => database.sql(`update ${place.schema}.leases set until = now() - interval '1 second'`)

/** Another process takes the team over and lets its lead say a word. */
async function takeOver(): Promise<void> {
  await endLeases()
  await using workspace = await open()
  const model = scriptedModel({ parts: [{ text: 'Mine now.', times: 'always' }] })
  await using session = await openSession({ workspace, model, team: 'web', sandbox: { mode: 'off' }, env: {} })
  await runToEnd(session, 'Take over.')
  writeFileSync(join(dir, 'notes.txt'), 'successor')
}

async function run(parts: Script['parts'], options: Partial<SessionOptions> = {}) {
  await using workspace = await open()
  const model = scriptedModel({ parts: [...parts, { text: 'Done.', times: 'always' }] })
  const session = await openSession({ workspace, model, team: 'web', sandbox: { mode: 'off' }, env: {}, ...options })
  try {
    return (await runToEnd(session, 'Write it.')).stop
  } finally {
    await session.close().catch(() => {})
  }
}

const write = { tool: 'write_file', input: { path: 'notes.txt', content: 'superseded' } }
const edit = { tool: 'edit_file', input: { path: 'notes.txt', old_text: 'successor', new_text: 'superseded' } }

/** A hook before each change that says that it runs and waits for the file `go`. */
const hooks = () => ({
  PreToolUse: [
    {
      matcher: 'write_file|edit_file|overwrite',
      hooks: [
        {
          type: 'command' as const,
          command: `touch ${join(dir, 'hook-began')}; while [ ! -e ${join(dir, 'go')} ]; do sleep 0.02; done`,
        },
      ],
    },
  ],
})
const waiting = () => ({ hooks: hooks(), permissions: { mode: 'bypassPermissions' as const } })

/** Another process takes over while a hook of this run waits: the run ends, and what it was about to write is not written. */
async function losesItsTeam(stop: ReturnType<typeof run>): Promise<void> {
  await appears('hook-began', stop)
  await takeOver()
  writeFileSync(join(dir, 'go'), '')
  expect(await stop).toMatchObject({ kind: 'error', error: { code: 'superseded' } })
  expect(notes()).toBe('successor')
}

describe('an agent whose lease ended while it waited', () => {
  it.for([
    ['write_file', [write]],
    ['edit_file', [{ tool: 'read_file', input: { path: 'notes.txt' } }, edit]],
    ['a tool of the caller', [{ tool: 'overwrite', input: {} }]],
  ] as const)('does not run %s when another process took over while its hook ran', async ([, calls]) => {
    const overwrite = defineTool({
      name: 'overwrite',
      description: 'Overwrites the notes.',
      input: z.object({}),
      action: () => ({ kind: 'use', tool: 'overwrite' }),
      run() {
        writeFileSync(join(dir, 'notes.txt'), 'superseded')
        return 'Done.'
      },
    })
    const stop = run([{ agent: 'lead', calls: [...calls] }], { ...waiting(), tools: [overwrite] })
    await losesItsTeam(stop)
  }) // T47

  it('does not run a call that a person allowed after another process took over', async () => {
    let allow = () => {}
    const { promise: asked, resolve: onAsked } = signalled()
    const ask: SessionOptions['ask'] = () => {
      onAsked()
      return new Promise((resolve) => {
        allow = () => resolve({ allowed: true })
      })
    }
    const stop = run([{ agent: 'lead', calls: [write] }], { ask })
    await asked
    await takeOver()
    allow()
    expect(await stop).toMatchObject({ kind: 'error', error: { code: 'superseded' } })
    expect(notes()).toBe('successor')
  }) // T47

  it.for(['PreToolUse', 'Stop', 'UserPromptSubmit'] as const)(
    'does not run the next %s hook when another process took over while one ran',
    async (event) => {
      const { hooks: first } = hooks().PreToolUse[0]!
      const next = { type: 'command' as const, command: `touch ${join(dir, 'next-hook')}` }
      const matcher = event === 'PreToolUse' ? { matcher: 'write_file' } : {}
      const settings = { [event]: [{ ...matcher, hooks: [...first, next] }] }
      const stop = run([{ agent: 'lead', calls: [write] }], { ...waiting(), hooks: settings })
      await appears('hook-began', stop)
      await takeOver()
      writeFileSync(join(dir, 'go'), '')
      expect(await stop).toMatchObject({ kind: 'error', error: { code: 'superseded' } })
      expect(existsSync(join(dir, 'next-hook'))).toBe(false)
      expect(notes()).toBe('successor')
    },
  ) // T47

  it('sends no prompt to its successor when a hook of the prompt held it up', async () => {
    const settings = { UserPromptSubmit: [{ hooks: hooks().PreToolUse[0]!.hooks }] }
    const stop = run([{ agent: 'lead', calls: [write] }], { ...waiting(), hooks: settings })
    await appears('hook-began', stop)
    await takeOver()
    writeFileSync(join(dir, 'go'), '')
    expect(await stop).toMatchObject({ kind: 'error', error: { code: 'superseded' } })
    await using workspace = await open()
    await using team = await openTeam(workspace.store, 'web')
    await team.refresh()
    expect(unreadOf(team.state, 'lead')).toEqual([])
  }) // T47

  it('does not let its subagent write', async () => {
    const subagentCall = { tool: 'Task', input: { description: 'write', prompt: 'Write it.', agent_type: 'code' } }
    const parts = [
      { agent: 'lead', when: { answer: 1 }, calls: [subagentCall] },
      { when: { answer: 1 }, calls: [write] },
    ]
    const stop = run(parts, waiting())
    await losesItsTeam(stop)
  }) // T47
})

describe('a process that is stopped while a hook of write_file runs', () => {
  it('does not overwrite the file of its successor when it continues', async () => {
    const script = join(dir, 'script.json')
    writeFileSync(script, JSON.stringify({ parts: [{ calls: [write] }, { text: 'Done.' }] }))
    const settings = { hooks: hooks(), permissions: { mode: 'acceptEdits' }, sandbox: { mode: 'off' } }
    mkdirSync(join(dir, '.config', 'deskmates'), { recursive: true })
    writeFileSync(join(dir, '.config', 'deskmates', 'settings.json'), JSON.stringify(settings))
    const command = join(dirname(fileURLToPath(import.meta.url)), '..', '..', 'bin', 'deskmates')
    const args = ['-p', 'Write it.', '-m', `scripted:${script}`, '--store', place.url, '--team', 'default']
    const child = spawn(process.execPath, [command, ...args], {
      cwd: dir,
      env: { PATH: process.env.PATH, HOME: dir, DESKMATES_STATE: join(dir, 'state') },
      stdio: ['ignore', 'ignore', 'pipe'],
    })
    let said = ''
    child.stderr.on('data', (bytes) => {
      said += bytes
    })
    const ended = once(child, 'exit').then(([code]) => ({ code, said }))
    try {
      await appears('hook-began', ended)
      child.kill('SIGSTOP')
      await endLeases()
      await using workspace = await open()
      const model = scriptedModel({ parts: [{ text: 'Mine now.', times: 'always' }] })
      const session = await openSession({ workspace, model, team: 'default', sandbox: { mode: 'off' }, env: {} })
      await runToEnd(session, 'Take over.')
      writeFileSync(join(dir, 'notes.txt'), 'successor')
      child.kill('SIGCONT')
      writeFileSync(join(dir, 'go'), '')
      const { code } = await ended
      await session.close()
      expect(notes(), said).toBe('successor')
      expect(code, said).toBe(1)
      expect(said).toContain('was taken over by another process')
    } finally {
      child.kill('SIGKILL')
    }
  }, 60_000) // T47
})

function signalled() {
  let resolve = () => {}
  const promise = new Promise<void>((onResolve) => {
    resolve = onResolve
  })
  return { promise, resolve }
}

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
