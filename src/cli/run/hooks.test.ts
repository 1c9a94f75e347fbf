import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { type CommandHarness, commandHarness } from '../../../test/cli/command-harness.ts'
import type { Compose } from '../../testing/harnesses/composed-model.ts'

const STEERED = `scripted:${fileURLToPath(new URL('../../../test/cli/steered-agents.mjs', import.meta.url))}`

let cli: CommandHarness
beforeEach(async () => {
  cli = commandHarness()
  await cli.ok('team create web')
})
afterEach(() => cli.close())

const call = (tool: string, input: Record<string, unknown>) => ({ tool, input })

function settings(hook: string, more: object = {}): void {
  const folder = join(cli.env.HOME!, '.config/deskmates')
  mkdirSync(folder, { recursive: true })
  const hooks = { PreToolUse: [{ matcher: 'bash', hooks: [{ type: 'command', command: hook }] }] }
  writeFileSync(join(folder, 'settings.json'), JSON.stringify({ hooks, ...more }))
}

function run(steer: Compose) {
  Object.assign(globalThis, { steer })
  const more = ['--permission-mode', 'bypassPermissions', '--sandbox', 'off']
  return cli.run(['-p', 'Go', '-m', STEERED, '--team', 'web', '--output-format', 'stream-json', '--verbose', ...more])
}

describe('hooks of a run', { timeout: 60_000 }, () => {
  it('know which of several agents that work at the same time calls, and refuse one of them', async () => {
    const names = ['ada', 'bob', 'cyd', 'dan']
    settings(`tee -a calls.jsonl | grep -q '"agent":"bob"' && { echo "bob may not" >&2; exit 2; }; true`)
    const answers: Record<string, number> = {}
    let letAll = () => {}
    const areAllAsked = new Promise<void>((resolve) => {
      letAll = resolve
    })
    const { stdout } = await run(async ({ agent }) => {
      const answer = (answers[agent] ?? 0) + 1
      answers[agent] = answer
      if (agent === 'lead' && answer === 1)
        return { calls: names.map((name) => call('Task', { name, prompt: 'Sign.' })) }
      if (agent === 'lead' || answer > 2) return { text: 'Done.' }
      if (names.every((name) => answers[name])) letAll()
      await areAllAsked
      return { calls: [call('bash', { command: `echo ${agent} ${answer} >> ${agent}.signed` })] }
    })
    for (const name of ['ada', 'cyd', 'dan']) expect(cli.read(`${name}.signed`)).toBe(`${name} 1\n${name} 2\n`)
    expect(existsSync(join(cli.dir, 'bob.signed'))).toBe(false)
    const called = cli
      .read('calls.jsonl')
      .trim()
      .split(/\n|(?<=\})(?=\{)/)
      .map((line) => JSON.parse(line))
    expect(called).toHaveLength(8)
    for (const { agent, tool_input } of called) expect(tool_input.command).toContain(`echo ${agent} `)
    const ran = stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line))
      .filter(({ type }) => type.includes('hook'))
    expect(new Set(ran.map(({ agent, outcome }) => `${agent} ${outcome}`))).toEqual(
      new Set(['ada passed', 'bob refused', 'cyd passed', 'dan passed']),
    )
  }) // F48

  it.each([
    ['closed', undefined, false],
    ['closed', 'closed', false],
    ['open', 'open', true],
  ])('that fail leave the call out or let it pass, as hooksFail says: %s, set to %s', async (_, value, isMade) => {
    settings('echo broken >&2; exit 1', value === undefined ? {} : { hooksFail: value })
    let asked = 0
    const { stdout, stderr } = await run(() =>
      asked++ === 0 ? { calls: [call('bash', { command: 'echo x > made' })] } : { text: 'Done.' },
    )
    expect(existsSync(join(cli.dir, 'made'))).toBe(isMade)
    expect(stdout + stderr).toContain('broken')
  }) // F50
})
