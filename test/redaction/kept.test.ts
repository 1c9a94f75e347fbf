import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { userFolder } from '../../src/permissions/trust/private-folders.ts'
import { createEraser } from '../../src/redaction/eraser.ts'
import { type CommandHarness, commandHarness } from '../cli/command-harness.ts'

let cli: CommandHarness
beforeEach(() => {
  cli = commandHarness()
})
afterEach(() => cli.close())

const VALUE = 'blue-elephant-77'

function everyFile(folder: string): string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true }).flatMap((entry) =>
    entry.isFile() ? [join(entry.parentPath, entry.name)] : [],
  )
}

describe('the value of a secret variable', () => {
  it('is in no transcript, message, task or stored output of a run', async () => {
    // Two names that say nothing, one that the settings name as a key.
    const env = { ...cli.env, PATH: process.env.PATH, DEPLOY_TOKEN: VALUE, MY_HOUSE: 'number-twelve-b' }
    mkdirSync(join(cli.dir, 'notes'))
    writeFileSync(join(cli.dir, 'notes', 'all.txt'), `${`word ${VALUE} `.repeat(8000)}\nnumber-twelve-b\n`)
    const bash = (command: string) => ({ tool: 'bash', input: { command } })
    const parts = [
      {
        text: `I saw ${VALUE}.`,
        calls: [
          { tool: 'TaskCreate', input: { subject: `use ${VALUE}`, description: `it is ${VALUE}` } },
          bash(`printf '${VALUE.slice(0, 7)}'; printf '${VALUE.slice(7)}\\n'`),
          bash('cat notes/all.txt'),
          { tool: 'read_file', input: { path: 'notes/all.txt' } },
        ],
      },
      { text: 'done' },
    ]
    writeFileSync(join(cli.dir, '..', 'script.json'), JSON.stringify({ parts }))
    const argv = ['-p', `what is ${VALUE}?`, '-m', `scripted:${join(cli.dir, '..', 'script.json')}`]
    await cli.run([...argv, '--permission-mode', 'bypassPermissions', '--sandbox', 'off'], { env })
    const files = everyFile(join(cli.dir, '.teams')).concat(everyFile(join(cli.dir, '.tasks')))
    expect(files.filter((file) => file.includes('/outputs/')).length).toBeGreaterThan(0)
    expect(files.filter((file) => readFileSync(file, 'utf8').includes(VALUE))).toEqual([])
    const transcript = files.find((file) => file.endsWith('/transcripts/lead.jsonl'))!
    expect(readFileSync(transcript, 'utf8').split('[redacted]').length).toBeGreaterThan(5)
    // What no name calls a secret is what it was.
    expect(readFileSync(transcript, 'utf8')).toContain('number-twelve-b')
  }) // T10
})

describe('the value', () => {
  it('of a variable that the settings name as a key is in no command and no transcript', async () => {
    const env = { ...cli.env, PATH: process.env.PATH, MY_HOUSE: 'number-twelve-b' }
    mkdirSync(userFolder(env), { recursive: true })
    writeFileSync(
      join(userFolder(env), 'settings.json'),
      JSON.stringify({ providers: { openai: { keyFrom: 'MY_HOUSE' } } }),
    )
    const command = 'echo "it is <$MY_HOUSE>"; echo number-twelve-b'
    const parts = [{ text: 'look', calls: [{ tool: 'bash', input: { command } }] }, { text: 'done' }]
    writeFileSync(join(cli.dir, '..', 'script.json'), JSON.stringify({ parts }))
    const argv = ['-p', 'go', '-m', `scripted:${join(cli.dir, '..', 'script.json')}`]
    const run = [...argv, '--permission-mode', 'bypassPermissions', '--sandbox', 'off']
    const { stderr } = await cli.run(run, { env })
    const files = everyFile(join(cli.dir, '.teams'))
    const transcript = files.find((file) => file.endsWith('/transcripts/lead.jsonl'))
    expect(transcript, stderr).toBeDefined()
    expect(readFileSync(transcript!, 'utf8')).toContain('it is <>')
    expect(files.filter((file) => readFileSync(file, 'utf8').includes('number-twelve-b'))).toEqual([])
  }) // T10
})

describe('an eraser', () => {
  const eraser = createEraser({ DEPLOY_TOKEN: VALUE, OTHER_KEY: 'päss-wörd' }, ['from the settings'])!

  it('removes values from bytes, wherever they are split', () => {
    const text = `a ${VALUE} b päss-wörd c from the settings d blue-elephant-7 ${VALUE}${VALUE}`
    const bytes = Buffer.from(text)
    const clean = 'a [redacted] b [redacted] c [redacted] d blue-elephant-7 [redacted][redacted]'
    expect(Buffer.from(eraser.bytes(bytes)).toString()).toBe(clean)
    for (let at = 0; at <= bytes.length; at++) {
      const stream = eraser.stream()
      const pieces = [stream.write(bytes.subarray(0, at)), stream.write(bytes.subarray(at)), stream.end()]
      expect(Buffer.concat(pieces).toString()).toBe(clean)
    }
  }) // T10

  it('keeps names, ids and images unchanged, and drops the signature of changed reasoning', () => {
    const value = {
      id: VALUE,
      from: VALUE,
      content: [{ type: 'reasoning', text: `so ${VALUE}`, providerOptions: { anthropic: { signature: 's' } } }],
      image: { data: VALUE },
      count: 3,
    }
    expect(eraser.value(value)).toEqual({ ...value, content: [{ type: 'reasoning', text: 'so [redacted]' }] })
    const same = { content: ['nothing'] }
    expect(eraser.value(same)).toBe(same)
  })

  it('removes values below a key that contains a name or an id elsewhere', () => {
    const nested = { tool: { input: VALUE }, data: [{ text: VALUE }], state: { tasks: [{ subject: `use ${VALUE}` }] } }
    expect(JSON.stringify(eraser.value(nested))).not.toContain(VALUE)
  }) // T10

  it('removes a value whose end equals its beginning from a stream, wherever it is split', () => {
    const value = 'ab12-middle-ab12'
    const eraser = createEraser({ DEPLOY_TOKEN: value })!
    const bytes = Buffer.from(`a ${value} b ${value}`)
    for (let at = 0; at <= bytes.length; at++) {
      const stream = eraser.stream()
      const pieces = [stream.write(bytes.subarray(0, at)), stream.write(bytes.subarray(at)), stream.end()]
      expect(Buffer.concat(pieces).toString()).toBe('a [redacted] b [redacted]')
    }
  }) // T10
})
