import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { type CommandHarness, commandHarness } from '../../../test/cli/command-harness.ts'
import { plainText, safeJson } from '../../redaction/plain-text.ts'
import type { Context } from '../program/context.ts'
import { colours, table } from './format.ts'
import { print } from './print.ts'
import { redacted } from './redact-output.ts'

/** The clipboard, a colour, a cleared screen, the same in eight bits, DCS and APC, a lone return, other directions. */
const EVIL =
  '\x1b]52;c;aGk=\x07\x1b[31m\x1b[2J\x9b2J\x9d52;c;aGk=\x9c\x90x\x9c\x1bPx\x1b\\\x1b_x\x1b\\a\rb\u202ec\u2066d\u200ee\x7f\x00'
/** Everything but line breaks, tabs and colours of ours. */
const OBEYED =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
  /\u001b(?!\[(?:1|2|22|3\d|9[0-7])m)|\r(?!\n)|[\u0000-\u0008\u000b\u000c\u000e-\u001a\u001c-\u001f\u007f-\u009f\u200e\u200f\u202a-\u202e\u2066-\u2069]/

describe('text of others', () => {
  it('keeps line breaks, tabs and letters of every language, and nothing a terminal obeys', () => {
    expect(plainText(EVIL)).not.toMatch(OBEYED)
    expect(plainText('a\tb\r\nc\n漢字 👨‍👩‍👧‍👦 ü')).toBe('a\tb\r\nc\n漢字 👨‍👩‍👧‍👦 ü')
    expect(plainText('a\x9bb')).toBe('a\ufffdb')
    expect(plainText('x\ud83dy')).toBe('x\ufffdy')
  }) // T15

  it('is exact and harmless in JSON', () => {
    expect(safeJson({ EVIL })).not.toMatch(OBEYED)
    expect(JSON.parse(safeJson({ EVIL }))).toEqual({ EVIL })
  }) // T15

  it('is made harmless where it leaves the process, in whatever pieces, beside colours of ours', async () => {
    let out = ''
    const stream = {
      write(text: string, done: () => void) {
        out += text
        done()
      },
    }
    const outside = { stdout: stream, stderr: stream, env: {}, isTerminal: true } as unknown as Context
    const { context, flush } = redacted(outside)
    const { red } = colours(context as never)
    for (const message of `${EVIL} one\r\n`) await print(context, message)
    await print(context, red(`two ${EVIL}`))
    await flush()
    expect(out.split('\x1b[31m')).toHaveLength(2)
    expect(out).toContain('\x1b[31mtwo ')
    expect(out.replaceAll('\x1b[31m', '').replaceAll('\x1b[39m', '')).not.toMatch(OBEYED)
    expect(out).toContain(' one\r\n')
  }) // T15
})

describe('a table', () => {
  it('has columns as wide as their widest cell with more rows than a call has arguments', () => {
    const call = { stdout: {}, env: {}, isTerminal: false } as never
    const rows = Array.from({ length: 300_000 }, (_, i) => [String(i), 'task'])
    const lines = table(call, ['id', 'subject'], rows).split('\n')
    expect(lines).toHaveLength(300_001)
    expect(lines[7]).toBe('7       task')
  })
})

describe('on a terminal', () => {
  let cli: CommandHarness
  beforeEach(() => {
    cli = commandHarness()
  })
  afterEach(() => cli.close())
  const person = { isTerminal: true, isStderrTerminal: true, columns: 100 }

  it.for([person, {}])('nothing of mail, tasks, errors, names and screens is obeyed, %j', async (screen) => {
    await cli.ok('team create web')
    await cli.ok(['send', 'lead', EVIL.replaceAll('\0', ''), '--team', 'web'])
    await cli.ok(['task', 'add', `do ${EVIL.replaceAll('\0', '').replaceAll('\r', '')}`, '--team', 'web'])
    const commands = [
      ...['inbox lead', 'log', 'task list', 'task show 1', 'status', 'requests', 'team show'].map((words) =>
        words.split(' '),
      ),
      ['task', 'show', EVIL],
      ['send', EVIL, 'x'],
      [EVIL],
      ['inbox', 'lead', '--take'],
    ]
    for (const words of commands.flatMap((one) => [one, [...one, '--json']])) {
      const { stdout, stderr } = await cli.run([...words, '--team', 'web'], screen)
      expect(stdout + stderr, words.join(' ')).not.toMatch(OBEYED)
    }
  }) // T15

  it.for(['text', 'json', 'stream-json'])(
    'nothing of a model, its invented tools and its commands is obeyed, as %s',
    async (format) => {
      const parts = [
        {
          text: EVIL,
          chunk: 3,
          calls: [
            { tool: `x${EVIL}`, input: { [EVIL]: EVIL } },
            { tool: 'bash', input: { command: `echo ${EVIL}` } },
          ],
        },
        { text: `end ${EVIL}` },
      ]
      const script = join(cli.dir, '..', 'script.json')
      writeFileSync(script, JSON.stringify({ parts }))
      const argv = ['-p', 'go', '-m', `scripted:${script}`, '--output-format', format, '--verbose']
      const env = { ...cli.env, PATH: process.env.PATH }
      const { stdout, stderr } = await cli.run(argv, { ...person, env })
      expect(stdout).toContain('end ')
      expect(stdout).not.toMatch(OBEYED)
      expect(stderr).not.toMatch(OBEYED)
    },
  ) // T15
})
