import { appendFileSync, mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { version } from '../../src/cli/program/version.ts'
import type { Script } from '../../src/models/scripted/script.ts'
import { Line, Result } from '../../src/session/wire/envelope.ts'
import { type CommandHarness, commandHarness } from '../cli/command-harness.ts'
import { runs, type ScriptedRun } from './golden-runs.ts'

let cli: CommandHarness
beforeEach(() => {
  cli = commandHarness()
})
afterEach(() => cli.close())

async function play({ prompt, words = [], scripts, files = {}, stdin, inboxLine }: ScriptedRun, format: string) {
  for (const [name, script] of Object.entries(scripts))
    put(`../scripts/${name}.json`, JSON.stringify({ ...script, parts: script.parts.map(counted) }))
  for (const [name, text] of Object.entries(files)) put(name, text)
  if (inboxLine !== undefined) {
    await cli.ok('team create web')
    appendFileSync(join(cli.dir, '.teams/web/inbox/lead.jsonl'), `${inboxLine}\n`)
  }
  const path = (word: string) => word.replace(/^scripted:/, `scripted:${join(cli.dir, '..', 'scripts')}/`)
  // The same on every machine, with or without a sandbox.
  const fixed = ['-m', 'scripted:main.json', '--output-format', format, '--sandbox', 'off']
  const argv = ['-p', prompt, ...fixed, ...words].map(path)
  const input = (async function* () {
    if (stdin !== undefined) yield stdin
  })()
  const env = { ...cli.env, PATH: process.env.PATH }
  return cli.run(argv, { stdin: input, env })
}

/** The estimated tokens depend on the length of the folder name. */
function counted(part: Script['parts'][number]) {
  return 'compose' in part ? part : { usage: { input: 100, output: 10 }, ...part }
}

function put(name: string, text: string): void {
  mkdirSync(dirname(join(cli.dir, name)), { recursive: true })
  writeFileSync(join(cli.dir, name), text)
}

/** Replaces what differs from run to run and from folder to folder. */
function settled(text: string): string {
  return text
    .replaceAll(cli.dir, '/work')
    .replaceAll(dirname(cli.dir), '')
    .replaceAll(`"version":"${version}"`, '"version":"0.0.0"')
    .replace(/\bs-\d{8}-\d{6}-[a-z2-7]{4}\b/g, 's-20270115-080000-aaaa')
    .replace(/\b\d+\.\d s\b/g, '0.0 s')
}

const golden = (name: string) => fileURLToPath(new URL(`golden/${name}`, import.meta.url))

describe('the output of a run', () => {
  it.for(runs)('as stream-json is unchanged: $name', async (run) => {
    const { code, stdout, stderr } = await play(run, 'stream-json')
    expect(code, stderr).toBe(run.exit)
    const lines = stdout.trimEnd().split('\n')
    for (const line of lines) expect(Line.safeParse(JSON.parse(line)), line).toMatchObject({ success: true })
    expect(JSON.parse(lines[0]!)).toMatchObject({ type: 'system', subtype: 'init' })
    expect(lines.filter((line) => line.startsWith('{"type":"result"'))).toEqual([lines.at(-1)])
    await expect(settled(stdout)).toMatchFileSnapshot(golden(`${run.name}.stream.jsonl`))
  })

  it.for(runs)('as json is exactly the result: $name', async (run) => {
    const { code, stdout } = await play(run, 'json')
    expect(code).toBe(run.exit)
    const result = Result.parse(JSON.parse(stdout))
    expect(result.is_error).toBe(result.subtype !== 'success')
    expect(result.errors).toHaveLength(result.is_error ? 1 : 0)
    // Every member that tells of success agrees with the exit code.
    expect(code === 0 || code === 4).toBe(!result.is_error)
    await expect(settled(stdout)).toMatchFileSnapshot(golden(`${run.name}.result.jsonl`))
  })

  it.for(runs)('as text is the final answer alone: $name', async (run) => {
    const { code, stdout } = await play(run, 'text')
    expect(code).toBe(run.exit)
    expect(stdout.split('\n')).toHaveLength(stdout === '' ? 1 : 2)
    expect(stdout).not.toContain('{')
  })
})
