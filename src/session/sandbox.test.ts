import { mkdtempSync, realpathSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { scriptedModel } from '../models/scripted/scripted-model.ts'
import { openWorkspace, type Workspace } from '../workspace.ts'
import { openSession } from './open-session.ts'
import type { SessionOptions } from './session-options.ts'

let dir: string
let workspace: Workspace
beforeEach(async () => {
  dir = realpathSync(mkdtempSync(join(tmpdir(), 'deskmates-sandbox-')))
  workspace = await openWorkspace({ cwd: dir, env: { HOME: dir, DESKMATES_STATE: join(dir, 'state') } })
})
afterEach(async () => {
  await workspace[Symbol.asyncDispose]()
  rmSync(dir, { recursive: true })
})

/** Looks at the team's files by a command, twice, and says what it saw, what was said and how things stood. */
async function look(options: Partial<SessionOptions>) {
  const warnings: string[] = []
  const command = 'ls .teams/*/journal.jsonl; echo x > made && echo written'
  const calls = [{ tool: 'bash', input: { command } }]
  await using talk = await openSession({
    workspace,
    model: scriptedModel({ parts: [{ calls }, { when: { answer: 2 }, calls }, { text: 'seen' }] }),
    permissions: { mode: 'bypassPermissions' },
    env: { PATH: process.env.PATH, HOME: dir },
    warn: (message) => void warnings.push(message),
    ...options,
  })
  const shown: string[] = []
  for await (const event of talk.run('look')) if (event.type === 'tool_finished') shown.push(event.result.text)
  return { state: talk.sandbox, warnings, shown: shown.join('\n') }
}

it('runs the commands of a session in a sandbox where that works, and reports its state', async () => {
  const { state, shown, warnings } = await look({})
  expect(shown).toContain('written')
  expect(state).toBe(/\.teams\/.*journal\.jsonl\n/.test(shown) ? 'missing' : 'on')
  expect(warnings).toHaveLength(state === 'on' ? 0 : 1)
})

it('warns once that commands run without a sandbox, with the cause and what to do', async () => {
  const { state, shown, warnings } = await look({ env: { PATH: '/nowhere', HOME: dir } })
  expect(state).toBe('missing')
  expect(shown).toContain('written')
  expect(warnings).toEqual([expect.stringMatching(/without a sandbox: .*not installed.*alter the team's files/s)])
})

it('runs no command where a required sandbox is missing, and warns where it is switched off', async () => {
  const env = { PATH: '/nowhere', HOME: dir }
  const required = await look({ env, sandbox: { mode: 'require' } })
  expect(required.shown).toContain('commands must run in a sandbox, and there is none here')
  expect(required.shown).not.toContain('written')
  expect(required.warnings).toEqual([expect.stringMatching(/^No command is run: .*not installed.*--sandbox auto/s)])
  expect(await look({ env, sandbox: { mode: 'off' } })).toMatchObject({ state: 'off', warnings: [expect.any(String)] })
})

it('warns before the first command what commands can do without a sandbox', async () => {
  const warnings: string[] = []
  const model = scriptedModel({ parts: [{ text: 'hello' }] })
  const env = { PATH: '/nowhere', HOME: dir }
  const open = (options: Partial<SessionOptions>) =>
    openSession({ workspace, model, env, warn: (message) => void warnings.push(message), ...options })
  await (await open({ sandbox: { mode: 'off' } })).close()
  expect(warnings).toEqual([expect.stringMatching(/--sandbox off.*keys in \/proc.*as a member.*docs\/security\.md/s)])
  await (await open({})).close()
  expect(warnings[1]).toMatch(/not installed.*keys in \/proc.*as a member.*docs\/security\.md/s)
  await (await open({ sandbox: { mode: 'off' }, permissions: { deny: ['bash'] } })).close()
  expect(warnings, 'agents without a shell run no command').toHaveLength(2)
}) // T10, T19
