import { describe, expect, it } from 'vitest'
import type { Action } from '../permission.ts'
import { MODES } from './modes.ts'
import { parseRule, parseRules } from './parse-rule.ts'
import { decideByRules, forbids, isOffered, type Mode, mayUseNetwork, narrow, type Policy } from './policy.ts'

const rules = (...texts: string[]) => texts.map(parseRule)
const policy = (changes: Partial<Policy> = {}): Policy => ({
  mode: 'default',
  deny: [],
  ask: [],
  allow: [],
  root: '/w',
  ...changes,
})
const run = (command: string, by: Policy) => decideByRules('bash', { kind: 'run', tool: 'bash', command }, by).decision
const edit = (path: string, by: Policy) =>
  decideByRules('edit_file', { kind: 'write', tool: 'edit_file', path }, by).decision

describe('without rules', () => {
  const actions: Record<string, Action | undefined> = {
    nothing: undefined,
    read: { kind: 'read', tool: 'read_file', path: 'a' },
    write: { kind: 'write', tool: 'edit_file', path: 'a' },
    run: { kind: 'run', tool: 'bash', command: 'ls' },
    use: { kind: 'use', tool: 'weather' },
  }
  const expected: Record<Mode, string> = {
    default: 'allow allow ask ask ask',
    acceptEdits: 'allow allow allow ask ask',
    plan: 'allow allow deny deny deny',
    dontAsk: 'allow allow deny deny deny',
    bypassPermissions: 'allow allow allow allow allow',
  }
  it.for(MODES)('an action is allowed, asked about or denied by the mode %s', (mode) => {
    const decisions = Object.values(actions).map(
      (action) => decideByRules(action?.tool ?? 'Task', action, policy({ mode })).decision,
    )
    expect(decisions.join(' ')).toBe(expected[mode])
  })

  it('a read-only agent writes nothing and runs nothing without permission, in every mode', () => {
    for (const mode of MODES) {
      const by = policy({ mode, isReadOnly: true })
      expect(edit('a', by)).toBe('deny')
      expect(['ask', 'deny']).toContain(run('ls', by))
      expect(decideByRules('read_file', actions.read, by).decision).toBe('allow')
    }
    expect(run('git log', policy({ isReadOnly: true, allow: rules('bash(git log *)') }))).toBe('allow')
  }) // F52
})

describe('rules', () => {
  it('for MCP tools name one tool, some, or all of one server, and never a tool of ours', () => {
    const use = (tool: string, by: Policy) => decideByRules(tool, { kind: 'use', tool }, by).decision
    const tools = ['mcp__git__get_issue', 'mcp__git__close', 'mcp__github__get_issue', 'mcp__git-hub__x', 'TaskStop']
    const covered = (rule: string) => tools.filter((tool) => use(tool, policy({ allow: rules(rule) })) === 'allow')
    expect(covered('mcp__git')).toEqual(['mcp__git__get_issue', 'mcp__git__close'])
    expect(covered('mcp__git__*')).toEqual(['mcp__git__get_issue', 'mcp__git__close'])
    expect(covered('MCP__GIT__GET_*')).toEqual(['mcp__git__get_issue'])
    expect(covered('mcp__*__get_*')).toEqual(['mcp__git__get_issue', 'mcp__github__get_issue'])
    expect(covered('mcp__*')).toEqual(tools.slice(0, 4))
    expect(covered('mcp__git__close_all')).toEqual([])
    expect(run('ls', policy({ allow: rules('mcp__*', 'mcp__bash') }))).toBe('ask')
    const denied = policy({ mode: 'bypassPermissions', deny: rules('mcp__git') })
    expect(tools.filter((tool) => !isOffered(tool, denied))).toEqual(['mcp__git__get_issue', 'mcp__git__close'])
  })

  it('deny before they ask, ask before they allow, and the decision names the rule', () => {
    const by = policy({ deny: rules('bash(git push *)'), ask: rules('bash(git *)'), allow: rules('bash') })
    expect(decideByRules('bash', { kind: 'run', tool: 'bash', command: 'git push -f' }, by)).toEqual({
      decision: 'deny',
      rule: 'bash(git push *)',
      why: 'the rule bash(git push *) denies it',
    })
    expect([run('git log', by), run('ls; ls', by)]).toEqual(['ask', 'allow'])
    expect(run('git log', { ...by, mode: 'dontAsk' })).toBe('deny')
    expect(run('git log', { ...by, mode: 'bypassPermissions' })).toBe('ask')
    expect(run('ls', { ...by, mode: 'plan' })).toBe('deny')
  })

  it('allow a command by its first words, never by part of a word', () => {
    const by = policy({ allow: rules('bash(git *)', 'bash(npm run test:*)', 'bash(ls)', 'bash(* --version)') })
    for (const command of [
      'git status',
      'git',
      '  git log -p ',
      'npm run test',
      'npm run test unit',
      'ls',
      'node --version',
    ])
      expect(run(command, by), command).toBe('allow')
    for (const command of ['gitk', 'git-evil x', 'ls -l', 'npm run tests', 'A=b git log', 'sudo git log', ''])
      expect(run(command, by), command).toBe('ask')
  })

  it('allow a line only if patterns cover every part of it', () => {
    const by = policy({ allow: rules('bash(git *)', 'bash(echo *)') })
    const signs = [';', '&', '|', '>', '(', '\n', '&&', '||', '$(', '<(', '>>']
    for (const sign of signs) {
      for (const command of [`git log ${sign} x`, `git log${sign}x`, `${sign}x`])
        expect(run(command, by), command).toBe('ask')
    }
    for (const sign of [';', '&', '|', '\n', '&&', '||']) expect(run(`git log ${sign} echo x`, by), sign).toBe('allow')
    expect(run('rm -rf x; ls', policy({ allow: rules('bash') }))).toBe('allow')
  }) // F52

  it('allow the network only to commands that a network rule covers', () => {
    const by = policy({ allow: rules('network(npm install *)', 'network(git fetch *)') })
    for (const command of ['npm install', 'npm install x && git fetch', 'cd sub && npm install'])
      expect(mayUseNetwork(command, by), command).toBe(true)
    for (const command of ['ls', 'npm install; curl x', 'npm installer', 'npm install $(curl x)', ''])
      expect(mayUseNetwork(command, by), command).toBe(false)
    const all = policy({ allow: rules('network'), deny: rules('network(curl *)') })
    expect(['ls', 'curl x', 'sudo curl x', '$X'].map((command) => mayUseNetwork(command, all))).toEqual([
      true,
      false,
      false,
      false,
    ])
    expect(mayUseNetwork('npm install', { ...by, deny: rules('network') })).toBe(false)
    expect(mayUseNetwork('npm install', narrow(policy(), by))).toBe(false)
  })

  it('find a denied command in every part of a line', () => {
    const by = policy({ deny: rules('bash(rm *)'), mode: 'bypassPermissions' })
    const commands = [
      'rm x',
      'ls; rm x',
      'ls && rm x',
      'ls|rm x',
      '(rm x)',
      'echo $(rm x)',
      'A=b rm x',
      'if true; then rm x; fi',
    ]
    for (const command of [...commands, 'sudo rm x', '`rm x`', 'ls\nrm x'])
      expect(run(command, by), command).toBe('deny')
    for (const command of ['rmdir x', 'npm rm', 'ls rm.txt']) expect(run(command, by), command).toBe('allow')
  })

  it('do not allow their own text as a command, whose * would become the names of files', () => {
    const by = policy({ allow: rules('bash(git *)', 'bash(find *)', 'bash(prettier --check *.ts)', 'bash(wc -*)') })
    for (const command of ['git *', 'git * 2>&1', 'find *', 'prettier --check *.ts', 'wc -*', 'git log; find *'])
      expect(run(command, by), command).toBe('ask')
  }) // T5

  it('ask where an unknown program is given the name of a denied one, which it may start', () => {
    const by = policy({ deny: rules('bash(rm *)'), mode: 'bypassPermissions' })
    for (const command of [
      'choom -n 0 -- rm a',
      'anylauncher /bin/rm -f a',
      'x | anylauncher RM a',
      'anylauncher "$x" a',
      './ls rm a',
    ])
      expect(run(command, by), command).toBe('ask')
    for (const command of [
      'grep rm a',
      '/usr/bin/grep rm a',
      'echo rm a',
      'git rm a',
      'anylauncher a',
      'anylauncher rmdir',
    ])
      expect(run(command, by), command).toBe('allow')
  }) // T11

  it('allow and deny paths as a .gitignore would', () => {
    const by = policy({
      allow: rules('edit_file(src/**)', 'edit_file(docs/)', 'edit_file(*.md)', 'edit_file(//w/abs/*)'),
    })
    for (const path of ['src/a.ts', './src/x/y.ts', '/w/src/.hidden', 'docs/a/b', 'x/README.md', 'abs/x'])
      expect(edit(path, by), path).toBe('allow')
    for (const path of ['srcs/a', 'src/../package.json', '../src/a.ts', '/src/a.ts', 'x.mdx'])
      expect(edit(path, by), path).toBe('ask')
    expect(decideByRules('write_file', { kind: 'write', tool: 'write_file', path: 'src/a' }, by).decision).toBe('ask')
    const both = policy({ allow: rules('Edit(src/**)') })
    expect(decideByRules('write_file', { kind: 'write', tool: 'write_file', path: 'src/a' }, both).decision).toBe(
      'allow',
    )
  })

  it('deny a file to every tool that reads or writes it', () => {
    const by = policy({ deny: rules('read_file(.env)', 'edit_file(infra)'), mode: 'bypassPermissions' })
    expect(forbids(by, 'read', '/w/.env')).toBe(true)
    expect(forbids(by, 'read', '/w/sub/.ENV')).toBe(true)
    expect(forbids(by, 'write', '/w/.env')).toBe(false)
    expect(decideByRules('write_file', { kind: 'write', tool: 'write_file', path: 'infra/main.tf' }, by).decision).toBe(
      'deny',
    )
    expect(decideByRules('grep', { kind: 'read', tool: 'grep', path: '.env' }, by).decision).toBe('deny')
  })

  it('allow no redirection into a folder that file tools never write, in any mode', () => {
    const kept =
      '.git/hooks/x .teams/w .tasks/1 .deskmates/settings.json .claude/x agents/x.md skills/x sub/.husky/x p/03-01.summary.jsonl'
    const by = policy({ mode: 'acceptEdits', allow: rules('bash(echo *)') })
    expect(run('echo x > src/a.txt', by)).toBe('allow')
    for (const path of kept.split(' ')) expect([path, run(`echo x > ${path}`, by)]).toEqual([path, 'ask'])
  })

  it('remove a tool that they deny by name', () => {
    const by = policy({ deny: rules('Bash', 'bash(git *)', 'TaskStop') })
    expect(['bash', 'TaskStop', 'grep'].map((tool) => isOffered(tool, by))).toEqual([false, false, true])
    expect(run('ls', by)).toBe('deny')
    expect(decideByRules('TaskStop', undefined, by).decision).toBe('deny')
  })

  it('are parsed in the forms that people write, and rejected when invalid', () => {
    const texts = (text: string) => parseRules(text).map((rule) => rule.text)
    expect(texts('bash(git log *),edit_file(src/**) Read')).toEqual(['bash(git log *)', 'edit_file(src/**)', 'Read'])
    expect(texts('')).toEqual([])
    for (const text of ['bash(git', '(x)', 'bash()', 'a b('])
      expect(() => parseRules(text), text).toThrow('is not a rule')
  })
})
