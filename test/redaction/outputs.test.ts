import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { type CommandHarness, commandHarness } from '../cli/command-harness.ts'
import { IN_CONTEXT, SAMPLES } from './samples.ts'

let cli: CommandHarness
beforeEach(() => {
  cli = commandHarness()
})
afterEach(() => cli.close())

const VALUE = 'blue-elephant-77'
const secrets = [...SAMPLES, ...IN_CONTEXT.map(({ secret }) => secret.replace(/^x:/, '')), VALUE]
const everything = [
  ...SAMPLES,
  ...IN_CONTEXT.map(({ before, secret, behind }) => before + secret + behind),
  VALUE,
].join('\n')

function leaks(shown: string): string[] {
  return secrets.filter((secret) => shown.includes(secret) || shown.includes(JSON.stringify(secret).slice(1, -1)))
}

describe('a secret', () => {
  it.for(['stream-json', 'json', 'text'])('is in no output of a run as %s, in pieces or whole', async (format) => {
    const env = { ...cli.env, PATH: process.env.PATH, DEPLOY_TOKEN: VALUE }
    mkdirSync(join(cli.dir, 'notes'))
    writeFileSync(join(cli.dir, 'notes', 'keys.txt'), everything)
    const parts = [
      {
        text: everything,
        chunk: 3,
        calls: [
          { tool: 'read_file', input: { path: 'notes/keys.txt' } },
          { tool: 'bash', input: { command: `echo ${VALUE}` } },
        ],
      },
      { text: everything, chunk: 7 },
    ]
    writeFileSync(join(cli.dir, '..', 'script.json'), JSON.stringify({ parts }))
    const argv = [
      '-p',
      `what is ${VALUE}?`,
      '-m',
      `scripted:${join(cli.dir, '..', 'script.json')}`,
      '--output-format',
      format,
      '--verbose',
    ]
    const { stdout, stderr, code } = await cli.run(argv, { env })
    expect(code).toBe(4)
    expect(stdout.split('[redacted]').length).toBeGreaterThan(SAMPLES.length)
    expect(leaks(stdout)).toEqual([])
    expect(leaks(stderr)).toEqual([])
    if (format !== 'text') for (const line of stdout.trim().split('\n')) JSON.parse(line)
  })

  it('is in no output of commands, warnings and errors; the journal contains no value of a variable', async () => {
    const env = { ...cli.env, DEPLOY_TOKEN: VALUE }
    await cli.ok('team create web', { env })
    await cli.ok(['send', 'lead', everything, '--team', 'web'], { env })
    await cli.ok(['task', 'add', everything.split('\n').slice(0, 3).join(' '), '--team', 'web'], { env })
    const screens = ['inbox lead --team web', 'log --team web', 'task list --team web', 'task show 1 --team web']
    for (const words of [...screens, ...screens.map((one) => `${one} --json`)]) {
      const { stdout, stderr } = await cli.run(words, { env })
      expect(leaks(stdout + stderr), words).toEqual([])
      expect(stdout, words).toContain('[redacted]')
    }
    const failed = await cli.run(['task', 'show', VALUE, '--team', 'web'], { env })
    expect(failed.code).not.toBe(0)
    expect(leaks(failed.stdout + failed.stderr)).toEqual([])
    const journal = readFileSync(join(cli.dir, '.teams/web/journal.jsonl'), 'utf8')
    expect(journal).not.toContain(VALUE)
    // What is only in the text is left as it is: an agent may have to work on it.
    expect(journal).toContain(SAMPLES[0])
  }) // T10
})
