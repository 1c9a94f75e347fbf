import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { type CommandHarness, commandHarness } from '../../../test/cli/command-harness.ts'
import { header, task, writeLines } from '../../../test/cli/plan-files.ts'
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

/** What the hook was given, by agent. */
function calls(): { agent: string; tool_input: { command: string } }[] {
  const lines = cli.read('calls.jsonl').split(/\n|(?<=\})(?=\{)/)
  return lines
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line))
    .sort((a, b) => a.agent.localeCompare(b.agent))
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
    expect(calls()).toHaveLength(8)
    for (const { agent, tool_input } of calls()) expect(tool_input.command).toContain(`echo ${agent} `)
    const ran = stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line))
      .filter(({ type }) => type.includes('hook'))
    expect(new Set(ran.map(({ agent, outcome }) => `${agent} ${outcome}`))).toEqual(
      new Set(['ada passed', 'bob refused', 'cyd passed', 'dan passed']),
    )
  }) // F48

  it('know which of several one-shot agents of one role calls', async () => {
    settings('cat >> calls.jsonl')
    const ids = ['T1', 'T2', 'T3']
    writeLines(cli.dir, 'p/03-01.plan.jsonl', header('01'), ...ids.map((id) => task(id)))
    const steer: Compose = ({ turns }) => {
      const text = JSON.stringify(turns)
      const [, id = ''] = /<task id=\\"(\S+?)\\"/.exec(text) ?? []
      if (!text.includes('tool-call')) return { calls: [call('bash', { command: `echo ${id}` })] }
      const completion = call('TaskUpdate', { taskId: id, status: 'completed', result: 'done' })
      return text.includes('TaskUpdate"') ? { text: 'Done.' } : { calls: [completion] }
    }
    Object.assign(globalThis, { steer })
    const more = ['--mode', 'task', '--permission-mode', 'bypassPermissions', '--sandbox', 'off']
    expect((await cli.run(['plan', 'run', 'p', '-m', STEERED, ...more])).code).toBe(0)
    expect(calls().map(({ agent, tool_input }) => `${agent}: ${tool_input.command}`)).toEqual(
      ids.map((id) => `dev-03-01-${id}/code-1: echo 03-01/${id}`),
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
