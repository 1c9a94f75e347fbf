import { readdirSync } from 'node:fs'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { type CommandHarness, commandHarness } from '../../test/cli/command-harness.ts'
import { isName } from '../team/name.ts'

let cli: CommandHarness
beforeEach(() => {
  cli = commandHarness()
})
afterEach(() => cli.close())

/** Every way of leaving a folder, hiding, breaking a line or a terminal that we could think of, alone and combined. */
function hostileNames(): string[] {
  const seeds = [
    '', ' ', '.', '..', '...', '/', '\\', '~', '~root', '-', '--', '-rf', '--help', '--json', '_', '_x', '-x',
    '../x', '../../etc/passwd', './x', 'x/..', 'x/../y', '/etc/passwd', 'C:\\x', '..\\x', 'x\\y', '%2e%2e%2f', '..%2f',
    '.teams', '.git', '.gitignore', '.deleted', '.taken', 'x.jsonl', 'lead.jsonl', 'journal.jsonl', 'x.', 'x.json',
    'a b', 'a\tb', 'a\nb', 'a\r\nb', '\n', '\0', 'a\0b', '\u001b[31mred', '\u0007', '\u007f', '\u0085', 'a\u2028b',
    'é', 'e\u0301', 'ß', 'ｆｕｌｌ', 'İ', 'ſ', 'K', '😀', 'a😀', '\ud800', '\u202eabc', '\u200b', 'x\u200bx', '\ufeffx',
    '$HOME', '$(id)', '`id`', '$' + '{x}', ';ls', 'a;b', 'a|b', 'a&b', 'a>b', 'a<b', '*', '?', '[a]', '{a,b}', '!x', '#x',
    "'", '"', "a'b", 'a"b', '{}', '[]', '{"a":1}', 'a,b', 'a:b', 'a=b', 'a@b', 'a+b', '(x)', 'a%00b', '%s%n',
    'x'.repeat(65), 'x'.repeat(255), 'x'.repeat(5000), `${'../'.repeat(50)}x`, '__proto__x.y', 'constructor.prototype',
  ] // biome-ignore format: a table
  const mixed = seeds.flatMap((seed) => [`a${seed}`, `${seed}/b`, `A${seed}Z`])
  return [...new Set([...seeds, ...mixed])].filter((name) => !isName(name))
}

describe('a hostile name', () => {
  it('is refused before a path is built, by every command that takes a name', async () => {
    const names = hostileNames()
    expect(names.length).toBeGreaterThan(200)
    await cli.ok('team join ci --role tester')
    const before = everything(cli.dir)
    const places: ((name: string) => string[])[] = [
      (name) => ['team', 'create', '--', name],
      (name) => ['task', 'list', `--team=${name}`],
      (name) => ['team', 'show', '--', name],
      (name) => ['team', 'join', '--role', 'x', '--', name],
      (name) => ['send', '--', name, 'hi'],
      (name) => ['send', 'ci', 'hi', `--from=${name}`],
      (name) => ['inbox', '--take', '--', name],
      (name) => ['task', 'claim', `--as=${name}`],
      (name) => ['team', 'delete', '--purge', '--', name],
    ]
    for (const [i, name] of names.entries()) {
      // Each name goes through two of the places, so that every place meets dozens of names.
      for (const place of [places[i % places.length]!, places[(i * 7 + 3) % places.length]!]) {
        const argv = place(name)
        const { code, stdout, stderr } = await cli.run(argv)
        expect({ argv, code, stdout }).toEqual({ argv, code: 2, stdout: '' })
        expect(stderr.length).toBeLessThan(600)
        // biome-ignore lint/suspicious/noControlCharactersInRegex: none of them may reach a terminal
        expect(stderr).not.toMatch(/[\x00-\x09\x0b-\x1f\x7f]/)
      }
    }
    expect(everything(cli.dir)).toEqual(before)
  }) // B49, B55, F13

  it('in the environment is refused alike', async () => {
    for (const name of hostileNames()
      .filter((name) => name !== '')
      .slice(0, 40)) {
      const { code, stderr } = await cli.run('task list', { env: { ...cli.env, DESKMATES_TEAM: name } })
      expect({ name, code }).toEqual({ name, code: 2 })
      expect(stderr).toContain('DESKMATES_TEAM')
    }
  })

  it('is distinguished from a name that only looks dangerous', async () => {
    for (const name of ['CON', 'nul', 'constructor', '__'.padStart(3, 'x'), '0', 'x'.repeat(64), 'a-', 'toString']) {
      expect(await cli.json(['team', 'join', name, '--role', 'constructor'])).toMatchObject({ name })
      expect(await cli.json(['inbox', name])).toEqual([])
    }
  })

  it('or a reserved one cannot join, and two names that differ in case are one', async () => {
    await cli.ok('team join Ada --role dev')
    for (const name of ['lead', 'LEAD', 'user', 'all'])
      expect(await cli.refused(`team join ${name} --role x`)).toBe('invalid')
    expect(await cli.json('team join ADA --role dev')).toMatchObject({ name: 'Ada', generation: 1 })
    await cli.ok('team create Web')
    expect(await cli.json('team create wEB')).toMatchObject({ name: 'Web' })
    expect(await cli.json('team show web')).toMatchObject({ name: 'Web' })
    expect((await cli.json('team list')).map(({ name }: { name: string }) => name)).toEqual(['Web', 'default'])
  }) // B49
})

function everything(dir: string): string[] {
  return readdirSync(dir, { recursive: true, encoding: 'utf8' }).sort()
}
