import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { type CommandHarness, commandHarness } from '../cli/command-harness.ts'

let cli: CommandHarness
beforeEach(() => {
  cli = commandHarness()
})
afterEach(() => cli.close())

it('/compact summarises the resumed session with a focus, and reports when there is nothing to do', async () => {
  const script = join(cli.dir, '..', 'script.json')
  const parts = [
    { when: { user: 'kept above all: the roses' }, text: 'roses are planned', usage: { input: 70, output: 7 } },
    { when: { user: 'a garden' }, text: 'planned it', usage: { input: 50, output: 5 } },
    { when: { conversation: 'roses are planned' }, text: 'roses' },
  ]
  writeFileSync(script, JSON.stringify({ parts }))
  const say = (prompt: string, ...more: string[]) => cli.run(['-p', prompt, '-m', `scripted:${script}`, ...more])
  expect(await say('/compact')).toMatchObject({ code: 0, stdout: '[Nothing to compress.]\n' })
  await say('a garden')
  const { code, stdout, stderr } = await say('/compact the roses', '-c', '--output-format', 'stream-json')
  expect(code, stderr).toBe(0)
  const lines = stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line))
  expect(lines.map(({ type, subtype }) => `${type} ${subtype}`)).toEqual([
    'system init',
    'system compact_boundary',
    'result success',
  ])
  expect(lines[1]).toMatchObject({ compact_metadata: { trigger: 'manual' }, usage: { input_tokens: 70 } })
  // The usage of the summary counts for the run.
  expect(lines[2]).toMatchObject({ usage: { input_tokens: 70, output_tokens: 7 }, num_turns: 0 })
  expect(await say('and now?', '-c')).toMatchObject({ code: 0, stdout: 'roses\n' })
}) // A33
