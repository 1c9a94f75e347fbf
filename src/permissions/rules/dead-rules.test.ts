import { mkdirSync, mkdtempSync, realpathSync, rmSync } from 'node:fs'
import { homedir, tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { deadRules } from './dead-rules.ts'
import { parseRule } from './parse-rule.ts'
import { decideByRules, forbids, type Policy } from './policy.ts'

let root: string
beforeAll(() => {
  root = realpathSync(mkdtempSync(join(tmpdir(), 'deskmates-rules-')))
  mkdirSync(join(root, 'src'))
})
afterAll(() => rmSync(root, { recursive: true, force: true }))

const policy = (changes: Partial<Record<'allow' | 'ask' | 'deny', readonly string[]>>): Policy => ({
  mode: 'default',
  root,
  allow: (changes.allow ?? []).map(parseRule),
  ask: (changes.ask ?? []).map(parseRule),
  deny: (changes.deny ?? []).map(parseRule),
})

describe('paths in rules', () => {
  it('mean what they mean in Claude Code: ~/, //, / and relative ones', () => {
    const means = (rule: string, path: string) => forbids(policy({ deny: [rule] }), 'read', path)
    expect(means('Read(~/.ssh/**)', join(homedir(), '.ssh/id_rsa'))).toBe(true)
    expect(means('Read(~/.ssh/**)', join(root, '.ssh/id_rsa'))).toBe(false)
    expect(means('Read(//etc/**)', '/etc/passwd')).toBe(true)
    expect(means('Read(//etc/**)', join(root, 'etc/passwd'))).toBe(false)
    expect(means('Read(/src/**)', join(root, 'src/deep/a.ts'))).toBe(true)
    expect(means('Read(/src/**)', join(root, 'sub/src/a.ts'))).toBe(false)
    expect(means('Read(/.env)', join(root, 'sub/.env'))).toBe(false)
    expect(means('Read(src/**)', join(root, 'src/a.ts'))).toBe(true)
    expect(means('Read(.env)', join(root, 'sub/.env'))).toBe(true)
    expect(means('Read(*.{pem,key})', join(root, 'a/b.key'))).toBe(true)
    expect(means('Read(../other/**)', join(root, '../other/x'))).toBe(true)
  }) // T14

  it('are found in commands in each of these forms', () => {
    const by = policy({ deny: ['Read(~/.ssh/**)', 'Read(//etc/shadow)', 'Edit(/infra/**)'], allow: ['bash'] })
    const run = (command: string) => decideByRules('bash', { kind: 'run', tool: 'bash', command }, by).decision
    for (const command of [`cat ${homedir()}/.ssh/id_rsa`, 'cat /etc/shadow', 'echo x > infra/main.tf'])
      expect(run(command), command).toBe('deny')
    for (const command of ['cat ~/.ssh/id_rsa', 'cat /etc/*']) expect(run(command), command).toBe('ask')
    expect(run('cat README.md')).toBe('allow')
  }) // T14
})

describe('a rule that cannot match anything', () => {
  it('is named at start, with the reason', () => {
    const dead = deadRules(
      policy({
        allow: ['WebFetch(domain:x)', 'bash(terraform *)', 'bash(git clone *)', 'Task(x)'],
        deny: ['mcp__x', 'Read(/etc/passwd)', 'Read(!(a))'],
      }),
      ['Task', 'TaskStop'],
    )
    expect(dead).toHaveLength(7)
    expect(dead.join('\n')).toContain('The rule mcp__x matches nothing: no MCP server of that name is configured.')
    expect(dead.join('\n')).toContain('Write //etc/passwd for an absolute path.')
  }) // T37

  it('is one for an MCP server that is not configured, or one with a pattern', () => {
    const rules = ['mcp__*', 'mcp__git', 'mcp__git__*', 'mcp__git__get_*', 'MCP__GIT__x', 'mcp__gi__x', 'mcp__git(x)']
    const dead = deadRules(policy({ allow: rules, deny: [] }), [], ['git'])
    expect(dead.map((text) => text.split(' matches')[0])).toEqual(['The rule mcp__gi__x', 'The rule mcp__git(x)'])
  })

  it('is not reported when it can match something', () => {
    const allow = [
      'bash(git *)',
      'bash(npm run test:*)',
      'bash(tar *)',
      'bash(sed -n *)',
      'bash(terraform plan)',
      'Read',
      'edit(src/**)',
      'Task',
      'bash',
      'network(npm install *)',
      'bash(* --version)',
      'bash(node --test test/*.test.js)',
    ]
    expect(
      deadRules(policy({ allow, deny: ['bash(terraform *)', 'Read(/src/**)', 'Read(~/.ssh/**)'] }), ['Task']),
    ).toEqual([])
  }) // T37
})
