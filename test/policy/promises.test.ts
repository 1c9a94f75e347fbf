import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { createHooks } from '../../src/permissions/hooks/hooks.ts'
import { parseRule } from '../../src/permissions/rules/parse-rule.ts'
import { decideByRules, type Policy } from '../../src/permissions/rules/policy.ts'
import { toolHarness } from '../../src/testing/harnesses/tool-harness.ts'
import { openForReading } from '../../src/tools/paths/open-for-reading.ts'

let dir: string
beforeEach(() => {
  dir = realpathSync(mkdtempSync(join(tmpdir(), 'deskmates-promises-')))
})
afterEach(() => rmSync(dir, { recursive: true, force: true }))

describe('the policy', () => {
  it('allows no command that only begins like an allowed one', () => {
    const policy: Policy = { mode: 'default', root: '/w', allow: [parseRule('bash(git *)')], ask: [], deny: [] }
    const decision = (command: string) => decideByRules('bash', { kind: 'run', tool: 'bash', command }, policy).decision
    expect(decision('git status')).toBe('allow')
    for (const command of ['git status; rm x', 'git-evil', 'gitx', 'git status > /etc/x', 'git log $(rm x)'])
      expect(decision(command), command).toBe('ask')
  }) // F52

  it('takes a hook that times out for a refusal', async () => {
    const settings = { PreToolUse: [{ hooks: [{ type: 'command' as const, command: 'sleep 600', timeout: 0.1 }] }] }
    const hooks = createHooks({ settings, session: 's', cwd: dir, env: { PATH: process.env.PATH ?? '' } })
    const about = { agent: 'lead', tool: { name: 'bash', input: {}, id: 'a' } }
    const said = await hooks.run(
      'PreToolUse',
      about,
      { signal: new AbortController().signal, fence: async () => {} },
      () => {},
    )
    expect(said.refusal).toContain('longer than 0.1 s')
  }) // B72
})

describe('file tools', () => {
  it('judges the file it opens, not the one that had its name a moment before', () => {
    const [root, outside] = [join(dir, 'root'), join(dir, 'outside')]
    for (const [folder, text] of [
      [join(root, 'folder'), 'INSIDE'],
      [outside, 'OUTSIDE'],
    ] as const) {
      mkdirSync(folder, { recursive: true })
      writeFileSync(join(folder, 'file'), text)
    }
    // Asked in the middle of opening, as if another process had been quick.
    const swap = () => {
      if (existsSync(join(root, 'parked'))) return
      renameSync(join(root, 'folder'), join(root, 'parked'))
      symlinkSync(outside, join(root, 'folder'))
    }
    const world = toolHarness({
      root,
      forbids: () => {
        swap()
        return false
      },
    })
    using spot = openForReading('folder/file', world)
    expect(existsSync(join(root, 'parked'))).toBe(true)
    expect(readFileSync(spot.at, 'utf8')).toBe('INSIDE')
  }) // A12
})
