import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { type CommandHarness, commandHarness, stderrWithoutSandboxWarning } from '../../../test/cli/command-harness.ts'
import type { Script } from '../../models/scripted/script.ts'
import { Line, Result } from '../../session/wire/envelope.ts'

let cli: CommandHarness
beforeEach(() => {
  cli = commandHarness()
})
afterEach(() => cli.close())

const call = (tool: string, input: Record<string, unknown> = {}) => ({ tool, input })
const spawned = [
  call('TaskCreate', { subject: 'dig', description: '' }),
  call('Task', { name: 'ada', prompt: 'Dig.', task_id: '1' }),
]

async function run(parts: Script['parts'], ...options: string[]) {
  const path = join(cli.dir, '..', 'script.json')
  writeFileSync(path, JSON.stringify({ parts }))
  const format = options.includes('--output-format') ? [] : ['--json']
  const env = { ...cli.env, PATH: process.env.PATH }
  const ran = await cli.run(['-p', 'Go', '-m', `scripted:${path}`, ...format, ...options], { env })
  const lines: Line[] = ran.stdout
    .trimEnd()
    .split('\n')
    .map((line) => Line.parse(JSON.parse(line)))
  return { ...ran, lines, result: Result.parse(lines.at(-1)) }
}

describe('the result of a run with a team', () => {
  it('counts only the turns of the lead in num_turns', async () => {
    const { code, result, lines } = await run(
      [
        { agent: 'lead', when: { answer: 1 }, calls: [call('Task', { name: 'ada', prompt: 'Hello.' })] },
        { agent: 'lead', times: 'always', text: 'Fine.' },
        { agent: 'ada', when: { answer: 1 }, calls: [call('TaskList')] },
        { agent: 'ada', times: 'always', text: 'Hello.' },
      ],
      '--output-format',
      'stream-json',
    )
    expect(code).toBe(0)
    const answers = lines.filter(({ type }) => type === 'assistant')
    expect(answers.some(({ agent }) => agent === 'ada')).toBe(true)
    expect(result.num_turns).toBe(answers.filter(({ agent }) => agent === 'lead').length)
  }) // T31

  it('ends with exit 3 when teammates use up --max-turns, and says that the work is parked', async () => {
    const { code, result, stderr } = await run(
      [
        { agent: 'lead', when: { answer: 1 }, calls: spawned },
        { agent: 'lead', times: 'always', text: 'I wait.' },
        { agent: 'ada', times: 'always', calls: [call('TaskList')] },
      ],
      '--max-turns',
      '6',
    )
    expect({ code, talk: stderrWithoutSandboxWarning({ stderr }) }).toEqual({ code: 3, talk: '' })
    expect(result).toMatchObject({ subtype: 'error_max_turns', is_error: true })
    expect(result.num_turns).toBeLessThan(6)
    expect(result.errors[0]).toContain('Unfinished work is parked')
    expect(result.errors.join()).not.toContain('lost')
  }) // T22

  it('lists every lost teammate and every failed task in errors, although the run went well', async () => {
    const { result } = await run([
      { agent: 'lead', when: { answer: 1 }, calls: spawned },
      { agent: 'lead', times: 'always', text: 'I see.' },
      { agent: 'ada', when: { user: 'never said' }, text: 'unreachable' },
    ])
    expect(result.is_error).toBe(false)
    const lost = result.errors.filter((text) => /^ada was lost: .*the script has no answer/s.test(text))
    expect(lost.length).toBeGreaterThan(0)
    expect(result.errors.at(-1)).toMatch(/^Task 1 failed: .*See: deskmates task show 1 --team s-/s)
  }) // T54

  it('stops a lead that calls an unknown tool for ever, with exit 3 and the reason', async () => {
    const { code, result } = await run([{ agent: 'lead', times: 'always', calls: [call('no_such_tool')] }])
    expect(code).toBe(3)
    expect(result.subtype).toBe('error_repeated_failures')
    expect(result.num_turns).toBeLessThan(20)
    expect(result.errors.join()).toContain('the same call of no_such_tool failed in 10 answers')
  }) // T54
})

describe('a hook that refuses a call', () => {
  const settings = (hook: string) => {
    mkdirSync(join(cli.env.HOME!, '.config', 'deskmates'), { recursive: true })
    const path = join(cli.env.HOME!, '.config', 'deskmates', 'settings.json')
    const command = { type: 'command', command: hook }
    writeFileSync(path, JSON.stringify({ hooks: { PreToolUse: [{ matcher: 'write_file', hooks: [command] }] } }))
  }
  const writing: Script['parts'] = [
    { when: { answer: 1 }, calls: [call('write_file', { path: 'a', content: 'first' })] },
    { when: { answer: 2 }, calls: [call('write_file', { path: 'a', content: 'second' })] },
    { times: 'always', text: 'done' },
  ]
  const mode = ['--permission-mode', 'bypassPermissions', '--sandbox', 'off']

  it('once and lets it pass later does not leave exit 4', async () => {
    settings('test -e passed || { touch passed; echo "say why first" >&2; exit 2; }')
    const { code, result } = await run(writing, ...mode)
    expect(cli.read('a')).toBe('second')
    expect({ code, denials: result.permission_denials }).toEqual({ code: 0, denials: [] })
  }) // T31

  it('for good leaves exit 4', async () => {
    settings('exit 2')
    const { code, result } = await run(writing, ...mode)
    expect([code, result.permission_denials.length]).toEqual([4, 2])
  }) // T31
})
