import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { type CommandHarness, commandHarness } from '../../../test/cli/command-harness.ts'
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
const SCHEMA = '{"type":"object","properties":{"ok":{"type":"boolean"}},"required":["ok"],"additionalProperties":false}'
const ask = (model: string, more: string[] = [], schema = SCHEMA) =>
  cli.run(['-p', 'is it ok?', '-m', model, '--json-schema', schema, ...more])

describe('--json-schema', () => {
  it('puts the value of an answer that fits into the result, and tells the lead the schema', async () => {
    const model = script({ when: { system: '"required":["ok"]' }, text: '```json\n{"ok": true}\n```' })
    const { code, stdout } = await ask(model, ['--json'])
    expect([code, Result.parse(JSON.parse(stdout))]).toMatchObject([
      0,
      { subtype: 'success', structured_output: { ok: true }, num_turns: 1 },
    ])
    expect(await ask(script({ text: '```json\n{"ok": true}\n```' }))).toMatchObject({
      code: 0,
      stdout: '{"ok":true}\n',
    })
  })

  it('sends an answer that does not fit back to the lead, with the reason', async () => {
    const model = script(
      { when: { answer: 1 }, text: 'yes' },
      { when: { answer: 2, user: 'it is not JSON' }, text: '{"ok":"yes"}' },
      { when: { answer: 3, user: 'ok must be boolean' }, text: '{"ok":false}' },
    )
    const { code, stdout } = await ask(model, ['--json'])
    expect([code, JSON.parse(stdout)]).toMatchObject([0, { structured_output: { ok: false }, num_turns: 3 }])
  })

  it('gives up after three corrections: exit 1, with the reason and the last text', async () => {
    const { code, stdout } = await ask(script({ times: 'always', text: 'yes, it is' }), ['--json'])
    const result = Result.parse(JSON.parse(stdout))
    expect(code).toBe(1)
    expect(result).toMatchObject({
      ...{ subtype: 'error_max_structured_output_retries', is_error: true, result: 'yes, it is', num_turns: 4 },
    })
    expect(result).not.toHaveProperty('structured_output')
    expect(result.errors[0]).toMatch(/does not fit the schema of --json-schema.*it is not JSON/)
    const text = await ask(script({ times: 'always', text: 'yes, it is' }))
    expect([text.code, text.stderr]).toEqual([1, expect.stringContaining('does not fit the schema')])
  })

  it('corrects within the limits of the run', async () => {
    const { code, stdout } = await ask(script({ times: 'always', text: 'yes' }), ['--json', '--max-turns', '2'])
    expect([code, JSON.parse(stdout).subtype]).toEqual([3, 'error_max_turns'])
  })

  it('checks the answer with which the work ends, and not what the lead writes before it', async () => {
    const model = script(
      { when: { answer: 1 }, text: 'Let me look.', calls: [{ tool: 'glob', input: { pattern: '*' } }] },
      { when: { answer: 2 }, text: '{"ok":true}' },
    )
    const { code, stdout } = await ask(model, ['--json'])
    expect([code, JSON.parse(stdout)]).toMatchObject([0, { structured_output: { ok: true }, num_turns: 2 }])
  })

  it('reads the schema from a file, and refuses what is none with exit 2', async () => {
    writeFileSync(join(cli.dir, 'answer.schema.json'), SCHEMA)
    const model = script({ times: 'always', text: '{"ok":true}' })
    expect(await ask(model, [], 'answer.schema.json')).toMatchObject({ code: 0, stdout: '{"ok":true}\n' })
    for (const [schema, why] of [
      ['none.json', 'cannot be read'],
      ['.', 'it is not a file'],
      ['{"type":"text"}', 'does not exist'],
      ['{"$ref":"https://example.com/s.json"}', 'nothing is fetched'],
      ['{"$ref":"#"}', 'without end'],
    ] as const) {
      const { code, stderr } = await ask(model, [], schema)
      expect([code, stderr]).toEqual([2, expect.stringContaining(why)])
    }
  })
})
