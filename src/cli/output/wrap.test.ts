import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { type CommandHarness, commandHarness } from '../../../test/cli/command-harness.ts'
import type { Call } from '../program/context.ts'
import { oneLine, table } from './format.ts'
import { widthOf, wrapped } from './wrap.ts'

describe('text on a terminal', () => {
  it('is broken between words, and the rest of a line stands further in', () => {
    expect(wrapped('one two three four\nfive\n', 9)).toBe('one two\n  three\n  four\nfive\n')
    expect(wrapped('  a: one two', 9)).toBe('  a: one\n    two')
    expect(wrapped('a  one two three', 12, 3)).toBe('a  one two\n   three')
  })

  it('keeps a word that is longer than a line in one piece', () => {
    expect(wrapped('see /a/very/long/path now', 10)).toBe('see\n  /a/very/long/path\n  now')
    expect(wrapped('/a/very/long/path', 10)).toBe('/a/very/long/path')
  })

  it('stays whole where the width is unknown, and where it fits', () => {
    expect(wrapped('one two three', undefined)).toBe('one two three')
    expect(wrapped('one two three', 13)).toBe('one two three')
  })

  it('does not count colours', () => {
    expect(wrapped('\x1b[36mone\x1b[39m two', 7)).toBe('\x1b[36mone\x1b[39m two')
  })

  it('counts wide letters, emoji, flags and marks on letters as a terminal does', () => {
    expect(wrapped('漢字 漢字 漢字', 9)).toBe('漢字 漢字\n  漢字')
    expect(
      wrapped('漢字漢字漢字漢字', 8)
        .split('\n')
        .every((line) => widthOf(line) <= 8),
    ).toBe(true)
    expect(widthOf('👨‍👩‍👧‍👦🇫🇷e\u0301')).toBe(5)
  }) // T41

  it('is cut between two letters as people see them', () => {
    for (const message of ['漢', '👨‍👩‍👧‍👦', '🇫🇷', 'e\u0301', '👍🏽']) {
      const cut = oneLine(message.repeat(40), 11)
      expect(cut).toMatch(/…$/)
      expect(cut.slice(0, -1).replaceAll(message, '')).toBe('')
      expect(widthOf(cut)).toBeLessThanOrEqual(11)
    }
    const call = { isTerminal: false, env: {} } as unknown as Call
    expect(
      table(
        call,
        ['a', 'b'],
        [
          ['漢字', 'x'],
          ['abcd', 'y'],
        ],
      ),
    ).toBe('漢字  x\nabcd  y\n')
  }) // T41

  it('takes little room for a margin that would leave none', () => {
    expect(wrapped('0123456789 one two', 14, 11)).toBe('0123456789 one\n  two')
  })
})

describe('what commands print at 80 columns', () => {
  let cli: CommandHarness
  beforeEach(() => {
    cli = commandHarness()
  })
  afterEach(() => cli.close())
  const person = { isTerminal: true, isStderrTerminal: true, columns: 80 }
  const LONG = 'words that go on and on, '.repeat(8)

  it('breaks no word of a status, a board, a sheet or a warning', async () => {
    await cli.ok(['task', 'add', LONG, '--description', LONG])
    for (const words of [
      'status',
      'task list',
      'task show 1',
      'log',
      'team create bad/name',
      'status nowhere-to-be-found-in-here',
    ]) {
      const { stdout, stderr } = await cli.run(words, { ...person, env: { ...cli.env, NO_COLOR: '1' } })
      const lines = `${stdout}${stderr}`.split('\n')
      expect(
        lines.filter(({ length }) => length > 80),
        words,
      ).toEqual([])
      expect(lines.length, words).toBeGreaterThan(1)
    }
    const piped = await cli.run('task list')
    expect(piped.stdout.split('\n')).toHaveLength(2)
    expect((await cli.run('team create bad/name')).stderr.split('\n')).toHaveLength(2)
  })

  it('puts the rest of a cell below its beginning', async () => {
    await cli.ok(['task', 'add', LONG])
    const { stdout } = await cli.run('task list', { ...person, env: { ...cli.env, NO_COLOR: '1' } })
    const [, first = '', second = ''] = stdout.split('\n')
    expect(second.search(/\S/)).toBe(first.indexOf('words'))
    const log = await cli.run('log --grep added', { ...person, env: { ...cli.env, NO_COLOR: '1' } })
    const [event = '', rest = ''] = log.stdout.split('\n').filter((line) => !line.includes('made team'))
    expect(rest.search(/\S/)).toBe(event.indexOf('added'))
  })

  it('breaks no JSON', async () => {
    await cli.ok(['task', 'add', LONG])
    expect((await cli.run('task show 1 --json', person)).stdout.trimEnd().split('\n')).toHaveLength(1)
    for (const words of ['log --json', 'log --all --json'])
      for (const line of (await cli.run(words, person)).stdout.trimEnd().split('\n'))
        expect(JSON.parse(line), words).toHaveProperty('type')
    for (const words of ['task list --json', 'status --json', 'inbox lead --json', 'check --json', 'resume --json']) {
      const { stdout } = await cli.run(words, person)
      expect(JSON.parse(stdout), words).toEqual(JSON.parse((await cli.run(words)).stdout))
    }
    expect((await cli.run('team create bad/name --json', person)).stderr.trimEnd().split('\n')).toHaveLength(1)
  })

  it('cuts a long text off between two words', async () => {
    await cli.ok(['task', 'add', LONG])
    expect(await cli.ok('task list')).toMatch(/ (words|that|go|on|and|on,) …$/m)
  })
})
