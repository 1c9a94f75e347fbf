import { existsSync, mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { Script } from '../models/scripted/script.ts'
import { scriptedModel } from '../models/scripted/scripted-model.ts'
import type { HookSettings } from '../permissions/hooks/hook-settings.ts'
import { runToEnd } from '../testing/harnesses/session-harness.ts'
import { openWorkspace, type Workspace } from '../workspace.ts'
import { openSession } from './open-session.ts'
import type { SessionOptions } from './session-options.ts'

let dir: string
let workspace: Workspace
beforeEach(async () => {
  dir = realpathSync(mkdtempSync(join(tmpdir(), 'deskmates-hooks-')))
  workspace = await openWorkspace({ cwd: dir, env: { HOME: dir, DESKMATES_STATE: join(dir, 'state') } })
})
afterEach(async () => {
  await workspace[Symbol.asyncDispose]()
  rmSync(dir, { recursive: true })
})

const command = (text: string, timeout?: number) => ({
  type: 'command' as const,
  command: text,
  ...(timeout && { timeout }),
})

async function run(parts: Script['parts'], hooks: HookSettings, options: Partial<SessionOptions> = {}) {
  await using talk = await openSession({
    workspace,
    model: scriptedModel({ parts }),
    permissions: { mode: 'bypassPermissions' },
    sandbox: { mode: 'off' },
    hooks,
    ...options,
  })
  const { stop, events } = await runToEnd(talk, 'go')
  const ran = events.flatMap((event) => (event.type === 'hook' ? [event] : []))
  const called = events.flatMap((event) => (event.type === 'tool_finished' ? [event] : []))
  return { stop, ran, called, received: JSON.stringify(events.filter(({ type }) => type === 'input_received')) }
}

const bash: Script['parts'] = [
  { calls: [{ tool: 'bash', input: { command: 'echo hi > made' } }] },
  { when: { result: { tool: 'bash' } }, text: 'done' },
]

describe('a PreToolUse hook', () => {
  it('gets the agent and its call, and lets the call pass', async () => {
    const hooks = { PreToolUse: [{ matcher: 'Bash|edit_file', hooks: [command('cat > told.json')] }] }
    const { stop, ran } = await run(bash, hooks)
    expect(stop).toEqual({ kind: 'finished', text: 'done' })
    expect(existsSync(join(dir, 'made'))).toBe(true)
    expect(JSON.parse(readFileSync(join(dir, 'told.json'), 'utf8'))).toMatchObject({
      session_id: expect.stringMatching(/^s-/),
      agent: 'lead',
      hook_event_name: 'PreToolUse',
      tool_name: 'bash',
      tool_input: { command: 'echo hi > made' },
      cwd: dir,
    })
    expect(ran).toMatchObject([{ agent: 'lead', event: 'PreToolUse', tool: 'bash', outcome: 'passed' }])
  }) // B72, F48

  const refusals: Record<string, [text: string, why: string, timeout?: number]> = {
    'exit 2': ['echo "not on a Friday" >&2; exit 2', 'not on a Friday'],
    'a decision': [`echo '{"decision":"block","reason":"no"}'`, 'no'],
    'a permission decision': [
      `echo '{"hookSpecificOutput":{"permissionDecision":"deny","permissionDecisionReason":"mine"}}'`,
      'mine',
    ],
    'asking without a person': [`echo '{"permissionDecision":"ask","reason":"hm"}'`, 'person to be asked'],
    'breaking down': ['echo oops >&2; exit 1', 'oops'],
    'being killed': ['kill -9 $$', 'SIGKILL'],
    'a program that is not there': ['/nowhere/hook', 'not found'],
    'being late': ['sleep 600', 'longer than 0.2 s', 0.2],
  }
  it.for(Object.entries(refusals))('refuses by %s', async ([, [text, why, timeout]]) => {
    const { called, stop } = await run(bash, { PreToolUse: [{ matcher: '*', hooks: [command(text, timeout)] }] })
    expect(called).toMatchObject([{ denied: expect.stringContaining(why), result: { isError: true } }])
    expect(existsSync(join(dir, 'made'))).toBe(false)
    expect(stop).toMatchObject({ kind: 'finished' })
  }) // B72, F50

  it('that fails is ignored where hooks fail open, and a refusal still counts', async () => {
    const late = { PreToolUse: [{ hooks: [command('sleep 600', 0.2), command('exit 3')] }] }
    const { ran } = await run(bash, late, { hooksFail: 'open' })
    expect(existsSync(join(dir, 'made'))).toBe(true)
    expect(ran.map(({ outcome }) => outcome)).toEqual(['late', 'failed'])
    rmSync(join(dir, 'made'))
    await run(bash, { PreToolUse: [{ hooks: [command('exit 2')] }] }, { hooksFail: 'open' })
    expect(existsSync(join(dir, 'made'))).toBe(false)
  }) // F50

  it('never allows what the policy denies, and does not run for it', async () => {
    const yes = `echo asked > asked; echo '{"hookSpecificOutput":{"permissionDecision":"allow"}}'`
    const permissions = { mode: 'bypassPermissions' as const, deny: ['bash(echo *)'] }
    const { called } = await run(bash, { PreToolUse: [{ hooks: [command(yes)] }] }, { permissions })
    expect(called).toMatchObject([{ denied: expect.stringContaining('bash(echo *)') }])
    expect(existsSync(join(dir, 'asked'))).toBe(false)
  })

  it('gets the calls of subagents under their own names, in parallel', async () => {
    const parts: Script['parts'] = [
      { agent: 'lead', calls: [{ tool: 'Task', input: { prompt: 'look', agent_type: 'code' } }] },
      { agent: 'lead/code-1', when: { answer: 1 }, calls: [{ tool: 'bash', input: { command: 'echo x' } }] },
      { agent: 'lead/code-1', text: 'refused' },
      { agent: 'lead', when: { result: { tool: 'Task' } }, text: 'ok' },
    ]
    const onlyLead = `grep -q '"agent":"lead"' || { echo "only the lead" >&2; exit 2; }`
    const { ran, called } = await run(parts, { PreToolUse: [{ matcher: 'bash|Task', hooks: [command(onlyLead)] }] })
    expect(ran.map(({ agent, tool, outcome }) => [agent, tool, outcome])).toEqual([
      ['lead', 'Task', 'passed'],
      ['lead/code-1', 'bash', 'refused'],
    ])
    expect(called.find(({ agent }) => agent === 'lead/code-1')?.denied).toContain('only the lead')
  }) // B72, F48
})

describe('PostToolUse, UserPromptSubmit and Stop hooks', () => {
  it('report their objection to the model, with the result of the tool', async () => {
    const text = `grep -q tool_response && { echo 'format it first' >&2; exit 2; }`
    const { called } = await run(bash, { PostToolUse: [{ matcher: 'bash', hooks: [command(text)] }] })
    expect(called[0]?.result.text).toContain('[a hook objects: format it first]')
    expect(existsSync(join(dir, 'made'))).toBe(true)
  }) // B72

  it('refuse a prompt, which then reaches no agent, or add to it', async () => {
    const refused = await run([{ text: 'never' }], {
      UserPromptSubmit: [{ hooks: [command('echo secret! >&2; exit 2')] }],
    })
    expect(refused.stop).toMatchObject({ kind: 'error', error: { code: 'prompt_refused' } })
    expect(refused.received).toBe('[]')
    const added = await run([{ when: { user: 'branch main' }, text: 'ok' }], {
      UserPromptSubmit: [{ hooks: [command('echo branch main')] }],
    })
    expect(added.stop).toEqual({ kind: 'finished', text: 'ok' })
  }) // B72

  it('make an agent continue with what is missing, and know that it does, up to a limit', async () => {
    const text = `cat > last.json; test -e done || { touch done; echo 'run the tests' >&2; exit 2; }`
    const parts: Script['parts'] = [{ text: 'finished' }, { when: { user: 'run the tests' }, text: 'they pass' }]
    const once = await run(parts, { Stop: [{ hooks: [command(text)] }] })
    expect(once.stop).toEqual({ kind: 'finished', text: 'they pass' })
    expect(JSON.parse(readFileSync(join(dir, 'last.json'), 'utf8'))).toMatchObject({ stop_hook_active: true })
    const never = await run([{ times: 'always', text: 'again' }], { Stop: [{ hooks: [command('exit 2')] }] })
    expect(never.stop).toEqual({ kind: 'finished', text: 'again' })
    expect(never.ran.length).toBeLessThan(20)
  }) // B72

  it('make a teammate continue too, under its own name', async () => {
    const text = `grep -q '"agent":"ada"' && { test -e done || { touch done; echo 'run the tests' >&2; exit 2; }; }`
    const parts: Script['parts'] = [
      { agent: 'lead', calls: [{ tool: 'Task', input: { name: 'ada', prompt: 'work' } }] },
      { agent: 'lead', times: 'always', text: 'I see.' },
      { agent: 'ada', when: { user: 'run the tests' }, text: 'they pass' },
      { agent: 'ada', text: 'finished' },
    ]
    const { ran } = await run(parts, { Stop: [{ hooks: [command(`${text}; true`)] }] })
    const ofAda = ran.filter(({ agent }) => agent === 'ada').map(({ outcome }) => outcome)
    expect(ofAda).toEqual(['refused', 'passed'])
  }) // B72, F48

  it('of a project do not run until the user trusts the folder; a changed one needs trust again', async () => {
    const { loadSettings } = await import('../settings/load-settings.ts')
    const { isTrusted } = await import('../permissions/trust/folder-trust.ts')
    const { folderHash } = await import('../permissions/trust/folder-hash.ts')
    mkdirSync(join(dir, '.deskmates'))
    const file = join(dir, '.deskmates', 'settings.json')
    const write = (text: string) =>
      writeFileSync(file, JSON.stringify({ hooks: { Stop: [{ hooks: [command(text)] }] } }))
    const load = () =>
      loadSettings({ workspace: dir, env: { HOME: dir }, managed: '/nowhere', isTrusted: () => isTrusted(workspace) })
    write('true')
    expect(load().settings.hooks).toBe(undefined)
    expect(load().warnings.join()).toContain('hooks has no effect until you trust this folder: deskmates trust')
    workspace.trust.trustFolder(dir, folderHash(dir))
    expect(load().settings.hooks).toMatchObject({ Stop: [{}] })
    write('rm -rf /')
    expect(load().settings.hooks).toBe(undefined)
  })
})
