import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { type CommandHarness, commandHarness } from '../../../test/cli/command-harness.ts'
import type { Script } from '../../models/scripted/script.ts'
import { loadSettings } from '../../settings/load-settings.ts'
import { parseSettings } from '../../settings/settings-file.ts'

let cli: CommandHarness
beforeEach(() => {
  cli = commandHarness()
})
afterEach(() => cli.close())

function put(path: string, value: unknown): string {
  const whole = join(cli.dir, path)
  mkdirSync(dirname(whole), { recursive: true })
  writeFileSync(whole, typeof value === 'string' ? value : JSON.stringify(value))
  return whole
}
function script(...parts: Script['parts']): string {
  return `scripted:${put(`../script-${readdirSync(join(cli.dir, '..')).length}.json`, { parts })}`
}
const writing = () =>
  script({ calls: [{ tool: 'write_file', input: { path: 'a.txt', content: 'x' } }] }, { times: 'always', text: 'done' })
const run = (settings: string, more: string[] = [], model = writing()) =>
  cli.run(['-p', 'write', '-m', model, '--settings', settings, '--json', ...more])
const wrote = () => existsSync(join(cli.dir, 'a.txt'))
const ALLOW = JSON.stringify({ permissions: { allow: ['write_file(a.txt)'] } })

describe('--settings', () => {
  it('counts as JSON and as a file, and the options of the command line count more', async () => {
    expect([(await run('{"permissions":{"mode":"default"}}')).code, wrote()]).toEqual([4, false])
    put('../mine.json', '// comment\n{"permissions": {"mode": "acceptEdits"},}')
    expect([(await run('../mine.json', ['--permission-mode', 'plan'])).code, wrote()]).toEqual([4, false])
    expect([(await run('../mine.json')).code, wrote()]).toEqual([0, true])
  })

  it('counts more than the files of the project and the user', async () => {
    put('.deskmates/settings.json', { permissions: { mode: 'plan' } })
    put('.deskmates/settings.local.json', { permissions: { mode: 'plan' } })
    expect([(await run('{"permissions":{"mode":"acceptEdits"}}')).code, wrote()]).toEqual([0, true])
  })

  it('removes no rule of another file, and sets nothing that the administrator has set', async () => {
    put('.deskmates/settings.json', { permissions: { deny: ['write_file(a.txt)'] } })
    const { code, stdout } = await run(ALLOW)
    expect([code, JSON.parse(stdout).permission_denials.length, wrote()]).toEqual([4, 1, false])
    const managed = put('../managed.json', {
      permissions: { mode: 'default', deny: ['bash(rm *)'] },
      sandbox: { mode: 'require' },
    })
    const text = '{"permissions":{"mode":"bypassPermissions","allow":["bash(rm *)"]},"sandbox":{"mode":"off"}}'
    const given = { ...parseSettings(text, '--settings'), path: '--settings', isProject: false }
    const { settings } = loadSettings({ workspace: cli.dir, env: cli.env, managed, given, isTrusted: () => false })
    expect(settings).toEqual({
      permissions: { mode: 'default', deny: ['bash(rm *)', 'write_file(a.txt)'], allow: ['bash(rm *)'] },
      sandbox: { mode: 'require' },
    })
  })

  it('in a folder that is not trusted widens nothing: agents or a stranger may have written the file', async () => {
    put('ci.json', ALLOW)
    const { code, stderr } = await run('ci.json')
    expect([code, wrote(), stderr]).toEqual([
      4,
      false,
      expect.stringContaining('permissions.allow has no effect until'),
    ])
    await cli.ok('trust')
    expect([(await run('ci.json')).code, wrote()]).toEqual([0, true])
  })

  it('is refused with line and column where it is wrong, before anything is asked', async () => {
    execFileSync('mkfifo', [join(cli.dir, '..', 'pipe')])
    put('../bytes.json', '')
    writeFileSync(join(cli.dir, '..', 'bytes.json'), Buffer.from([0x7b, 0xff, 0x7d]))
    for (const [settings, why] of [
      ['none.json', 'none.json cannot be read'],
      ['.', 'it is not a file of at most 1 MB'],
      ['../pipe', 'it is not a file of at most 1 MB'],
      ['../bytes.json', 'cannot be read'],
      ['{"model": 3}', '--settings:1:2: model'],
      ['{"permissions": {"deny": ["bash("]}}', '--settings:1:'],
      ['{"permissions": ', 'this is not JSON'],
      ['{"a":'.repeat(20_000), 'it is nested too deeply'],
    ] as const) {
      const { code, stderr } = await run(settings)
      expect([code, JSON.parse(stderr).error.message]).toEqual([2, expect.stringContaining(why)])
    }
    expect(existsSync(join(cli.dir, '.teams'))).toBe(false)
  })

  it('reports an unknown key, which has no effect', async () => {
    const { code, stderr } = await run('{"bogus": 1, "permissions": {"mode": "acceptEdits"}}')
    expect([code, stderr]).toEqual([0, expect.stringContaining('--settings:1:2: unknown key bogus')])
  })
})

describe('--agents', () => {
  const using = (type: string) =>
    script(
      { agent: 'lead', when: { answer: 1 }, calls: [{ tool: 'Task', input: { prompt: 'look', agent_type: type } }] },
      { agent: 'lead', times: 'always', text: 'done' },
      { when: { system: 'You count words.' }, text: 'three words' },
    )
  const ask = (agents: string, model = using('counter')) =>
    cli.run(['-p', 'count', '-m', model, '--agents', agents, '--output-format', 'stream-json'])
  const counter = { counter: { description: 'counts', prompt: 'You count words.', tools: ['Read'] } }

  it('gives the lead types of agents for this session', async () => {
    const { code, stdout } = await ask(JSON.stringify(counter))
    expect([code, stdout]).toEqual([0, expect.stringContaining('three words')])
    expect(stdout).toContain('"agent":"lead/counter-1"')
  })

  it('comes before a type of the project with the same name', async () => {
    put('agents/counter.md', '---\nname: Counter\ndescription: of the project\n---\nYou do something else.\n')
    await cli.ok('trust')
    const { code, stdout } = await ask(JSON.stringify(counter))
    expect([code, stdout]).toEqual([0, expect.stringContaining('three words')])
  })

  it('gives an agent no more rights than the session, and says what has no effect', async () => {
    const types = { counter: { ...counter.counter, permissionMode: 'bypassPermissions', colour: 'red' } }
    const { code, stderr } = await ask(JSON.stringify(types))
    expect([code, stderr]).toEqual([0, expect.stringContaining('permissionMode bypassPermissions has no effect')])
    expect(stderr).toContain('colour has no effect')
  })

  it.each([
    ['a path', 'agents.json', 'it is not JSON'],
    ['a list', '[]', 'it is not an object'],
    ['a number as a type', '{"a": 1}', 'a\\" is not an object'],
    ['without a prompt', '{"a": {"description": "x"}}', 'it has no prompt in \\"prompt\\"'],
    ['without a description', '{"a": {"prompt": "x"}}', 'description'],
    ['named like a path', '{"../a": {"description": "x", "prompt": "y"}}', 'is not a name'],
    [
      'named like a built-in type',
      '{"Explore": {"description": "x", "prompt": "y"}}',
      'there is an agent type explore already',
    ],
    [
      'named twice',
      '{"a": {"description": "x", "prompt": "y"}, "A": {"description": "x", "prompt": "y"}}',
      'agent type a already',
    ],
    ['nested without end', `{"a":${'['.repeat(50_000)}`, 'it is not JSON'],
  ])('is refused with exit 2 where it is %s', async (_, agents, why) => {
    const { code, stderr } = await ask(agents)
    expect([code, stderr]).toEqual([2, expect.stringContaining(why)])
  })
})
