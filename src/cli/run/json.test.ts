import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { type CommandHarness, commandHarness, stderrWithoutSandboxWarning } from '../../../test/cli/command-harness.ts'
import type { Script } from '../../models/scripted/script.ts'
import { Result } from '../../session/wire/envelope.ts'

let cli: CommandHarness
beforeEach(() => {
  cli = commandHarness()
})
afterEach(() => cli.close())

function script(...parts: Script['parts']): string {
  const path = join(cli.dir, '..', 'script.json')
  writeFileSync(path, JSON.stringify({ parts }))
  return `scripted:${path}`
}

const denied = () =>
  script({ calls: [{ tool: 'bash', input: { command: 'ls' } }] }, { times: 'always', text: 'I may not.' })
const resultIn = (stdout: string) => Result.parse(JSON.parse(stdout.trimEnd().split('\n').at(-1)!))
const PROGRAM = { isStderrTerminal: true }

describe.each([[['--output-format', 'json']], [['--output-format=stream-json']], [['--json']]])(
  'a program that asks with %j',
  (asking) => {
    it('gets denied actions in the result, and nowhere else', async () => {
      const { code, stdout, stderr } = await cli.run(['-p', 'look', '-m', denied(), ...asking], PROGRAM)
      expect({ code, stderr: stderrWithoutSandboxWarning({ stderr }) }).toEqual({ code: 4, stderr: '' })
      expect(resultIn(stdout)).toMatchObject({ is_error: false, permission_denials: [{ tool_name: 'bash' }] })
    })

    it('hears in the result, and nowhere else, why a run failed', async () => {
      const model = script({ when: { user: 'something else' }, text: 'hello' })
      const { code, stdout, stderr } = await cli.run(['-p', 'look', '-m', model, ...asking], PROGRAM)
      expect({ code, stderr: stderrWithoutSandboxWarning({ stderr }) }).toEqual({ code: 1, stderr: '' })
      const { is_error, subtype, errors } = resultIn(stdout)
      expect({ is_error, subtype }).toEqual({ is_error: true, subtype: 'error_during_execution' })
      expect(errors.join()).toContain('the script has no answer')
    })

    it('gets unfinished tasks in the result', async () => {
      const model = script(
        { calls: [{ tool: 'TaskCreate', input: { subject: 'dig', description: 'a hole' } }] },
        { times: 'always', text: 'A teammate has to dig.' },
      )
      const { code, stdout, stderr } = await cli.run(['-p', 'dig', '-m', model, ...asking], PROGRAM)
      expect({ code, stderr: stderrWithoutSandboxWarning({ stderr }) }).toEqual({ code: 4, stderr: '' })
      const { session_id, tasks_left } = resultIn(stdout)
      expect(tasks_left).toEqual([{ team: session_id, pending: 1, in_progress: 0, failed: 0 }])
    })

    it.each([
      ['a wrong option', ['-p', 'x', '--bogus'], 2, 'misused'],
      ['a script that is not there', ['-p', 'x', '-m', 'scripted:none'], 1, 'model_failure'],
      ['no model and no key', ['-p', 'x'], 1, 'model_failure'],
      ['a team that is not there', ['-p', 'x', '-m', 'scripted:none', '--team', 'nix'], 1, 'unknown_team'],
      ['a session that is not there', ['-r', 'nix', '-p', 'x', '-m', 'scripted:none'], 1, 'unknown_team'],
      ['nothing to go on with', ['-c', '-p', 'x', '-m', 'scripted:none'], 1, 'no_session'],
      ['nothing to resume', ['resume', 'nix'], 1, 'unknown_team'],
      ['a wrong option of resume', ['resume', '--bogus'], 2, 'misused'],
    ])('is told of %s in one line of JSON', async (_, words, exit, error) => {
      const { code, stdout, stderr } = await cli.run([...words, ...asking], PROGRAM)
      expect({ code, stdout }).toEqual({ code: exit, stdout: '' })
      expect(JSON.parse(stderr)).toEqual({ error: { code: error, message: expect.stringMatching(/./) } })
    })

    it('gets an unknown price as an error in JSON', async () => {
      const env = { ...cli.env, OPENAI_BASE_URL: 'http://127.0.0.1:9/v1' }
      const words = ['-p', 'hi', '-m', 'compatible/own', '--max-budget-usd', '1', ...asking]
      const { code, stderr } = await cli.run(words, { ...PROGRAM, env })
      expect([code, JSON.parse(stderr).error.code]).toEqual([2, 'misused'])
    })

    it('is warned in JSON, and not told what a run may cost', async () => {
      mkdirSync(join(cli.dir, '.deskmates'))
      writeFileSync(
        join(cli.dir, '.deskmates', 'settings.json'),
        JSON.stringify({ permissions: { mode: 'bypassPermissions' } }),
      )
      const env = { ...cli.env, ANTHROPIC_API_KEY: 'x', ANTHROPIC_BASE_URL: 'http://127.0.0.1:9' }
      const words = ['-p', 'hi', '-m', 'anthropic/claude-sonnet-4-5', ...asking]
      const { stderr } = await cli.run(words, { ...PROGRAM, env, signal: AbortSignal.abort() })
      expect(JSON.parse(stderrWithoutSandboxWarning({ stderr }))).toEqual({
        warning: { message: expect.stringContaining('deskmates trust') },
      })
    })

    it('gets the sessions as JSON', async () => {
      await cli.run(['-p', 'look', '-m', denied()])
      expect(JSON.parse(await cli.ok(['sessions', 'list', '--json']))).toMatchObject([{ state: 'at rest' }])
    })

    it('does not get the help of a group in the place of an error', async () => {
      const { code, stderr } = await cli.run(['task', ...asking])
      expect(code).toBe(2)
      expect(JSON.parse(stderr).error.message).toContain('deskmates task --help')
    })
  },
)
