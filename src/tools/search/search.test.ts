import { execFileSync } from 'node:child_process'
import { mkdirSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { rgPath } from '@vscode/ripgrep'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { type ToolHarness, toolHarness } from '../../testing/harnesses/tool-harness.ts'
import { runCall } from '../run-call.ts'
import type { ToolContext } from '../tool.ts'
import { glob } from './glob.ts'
import { createGrep } from './grep.ts'

const grep = createGrep({ ripgrep: undefined })
const find = async (context: ToolContext, pattern: string, path?: string) =>
  (await runCall([glob], { name: 'glob', input: { pattern, ...(path && { path }) } }, context)).text
const search = (context: ToolContext, pattern: string, more: object = {}, tool = grep) =>
  runCall([tool], { name: 'grep', input: { pattern, ...more } }, context)

function put(context: ToolHarness, files: Record<string, string>): ToolHarness {
  for (const [path, content] of Object.entries(files)) {
    mkdirSync(dirname(join(context.root, path)), { recursive: true })
    writeFileSync(join(context.root, path), content)
  }
  return context
}

describe('glob', () => {
  it('names the newest first and leaves out what git ignores, unless it is asked for by name', async () => {
    const context = put(toolHarness(), {
      '.gitignore': 'node_modules/\n*.log\n!keep.log\n',
      'src/a.ts': '',
      'src/deep/b.ts': '',
      'src/.hidden.ts': '',
      'src/.gitignore': 'generated.ts\n',
      'src/generated.ts': '',
      'x.log': '',
      'keep.log': '',
      'node_modules/lib/index.ts': '',
      '.git/x.ts': '',
      '.teams/web/x.ts': '',
    })
    utimesSync(join(context.root, 'src/deep/b.ts'), 2_000_000_000, 2_000_000_000)
    utimesSync(join(context.root, 'src/a.ts'), 1_000_000_000, 1_000_000_000)
    expect(await find(context, '**/*.ts')).toBe('src/deep/b.ts\nsrc/.hidden.ts\nsrc/a.ts')
    expect(await find(context, '*.log')).toBe('keep.log')
    expect(await find(context, '*.ts', 'src/deep')).toBe('src/deep/b.ts')
    expect(await find(context, 'node_modules/lib/*.ts')).toBe('node_modules/lib/index.ts')
    expect(await find(context, 'src/a.ts')).toBe('src/a.ts')
    expect(await find(context, `${context.root}/src/*.ts`)).toBe('src/.hidden.ts\nsrc/a.ts')
    expect(await find(context, '*.{rs,go}')).toBe(
      'No file matches *.{rs,go} in .. To search sub-folders too, use **/ in the pattern.',
    )
  })

  it('says how many more there are', async () => {
    const context = put(toolHarness(), Object.fromEntries(Array.from({ length: 205 }, (_, i) => [`${i}.txt`, ''])))
    const lines = (await find(context, '*.txt')).split('\n')
    expect([lines.length, lines.at(-1)]).toEqual([201, '[5 more, older; use a narrower pattern]'])
  })

  it('follows no link out, quotes names with line breaks, and refuses to look outside', async () => {
    const context = put(toolHarness(), { 'two\nlines.txt': '' })
    const outside = put(toolHarness(), { 'secret.txt': '' })
    symlinkSync(outside.root, join(context.root, 'door'))
    expect(await find(context, '**/*.txt')).toBe('"two\\nlines.txt"')
    for (const [pattern, path] of [
      ['*', '..'],
      ['../*', '.'],
      ['/etc/*', '.'],
      ['*', 'door'],
      ['door/*', '.'],
    ] as const)
      expect(await find(context, pattern, path)).toContain('Path escapes the workspace')
  })

  it('gives up on a pattern that would take for ever, and on an abort', async () => {
    const context = put(toolHarness(), { ['a'.repeat(250)]: '' })
    expect(await find(context, `${'*a'.repeat(60)}b`)).toContain('takes too long to match')
    context.stop.abort(new Error('enough'))
    await expect(find(context, '*')).rejects.toThrow('enough')
  })
})

describe('grep', () => {
  const context = put(toolHarness(), {
    '.gitignore': 'dist\n',
    'a.ts': 'import x\nconst one = 1\nconst two = 2\nexport { one }\n',
    'b.md': 'One\r\ntwo\r\n',
    'dist/a.ts': 'const one = 1\n',
    'bin.ts': 'const one\0',
    'src/c.ts': 'one\n\n\n\none\n',
  })

  it('shows lines with path and number, which files, or how many', async () => {
    expect((await search(context, 'const \\w+')).text).toBe('a.ts:2:const one = 1\na.ts:3:const two = 2')
    expect((await search(context, '^one$', { mode: 'files' })).text).toBe('src/c.ts')
    expect((await search(context, 'one', { mode: 'count' })).text).toBe('a.ts: 2\nsrc/c.ts: 2')
    expect((await search(context, '^ONE$', { ignore_case: true })).text).toBe(
      'b.md:1:One\nsrc/c.ts:1:one\nsrc/c.ts:5:one',
    )
    expect((await search(context, '(?i)^ONE$', { glob: '*.md' })).text).toBe('b.md:1:One')
    expect((await search(context, 'one', { glob: 'src/**' })).text).toBe('src/c.ts:1:one\nsrc/c.ts:5:one')
    expect((await search(context, 'one', { path: 'dist' })).text).toBe('dist/a.ts:1:const one = 1')
    expect((await search(context, 'one', { path: 'src/c.ts', context: 1 })).text).toBe(
      'src/c.ts:1:one\nsrc/c.ts-2-\n--\nsrc/c.ts-4-\nsrc/c.ts:5:one',
    )
    expect((await search(context, 'three')).text).toBe('No line matches three in 5 files.')
  })

  it('matches line by line: nothing reaches over a line break, and the end of a line is an end', async () => {
    expect((await search(context, 'one\\s+const')).text).toContain('No line matches')
    expect((await search(context, 'import x(?!\\s)')).text).toBe('a.ts:1:import x')
  })

  it('says when there is more, and what is wrong with a pattern', async () => {
    expect((await search(context, 'one', { limit: 3 })).text).toMatch(
      /src\/c.ts:1:one\n\[there are more than 3; use a narrower/,
    )
    expect((await search(context, 'one', { limit: 4 })).text).not.toContain('more than')
    expect(await search(context, 'one(')).toMatchObject({ isError: true })
    expect((await search(context, 'one(')).text).toContain('is not a regular expression')
    expect((await search(context, 'x', { path: '/etc' })).text).toContain('Path escapes the workspace')
  })

  it('gives up on a pattern that would take for ever', async () => {
    const trap = put(toolHarness(), { 'a.txt': `${'a'.repeat(60)}b` })
    const { text, isError } = await search(trap, '^(a+)+$')
    expect([isError, text]).toEqual([true, expect.stringContaining('takes too long to match')])
  })

  it('reads no pipe, no file that is denied and none that is too large', async () => {
    const odd = put(toolHarness({ forbids: (_, path) => path.endsWith('secret.txt') }), {
      'secret.txt': 'needle',
      'hay.txt': 'needle',
      'large.txt': 'needle\n'.repeat(3_000_000),
    })
    execFileSync('mkfifo', [join(odd.root, 'pipe')])
    expect((await search(odd, 'needle')).text).toBe(
      `hay.txt:1:needle\n[not searched, too large: ${odd.root}/large.txt; use bash]`,
    )
  })

  it('finds the end of a line in front of its carriage return, with ripgrep and without', async () => {
    const context = toolHarness()
    put(context, { 'a.txt': ' foo-x\r\nbar\r\n' })
    for (const pattern of ['$\\b', '($)\\b', 'x$', '(?:x|y$)']) {
      const [fast, slow] = [createGrep({ ripgrep: rgPath }), grep]
      expect(await search(context, pattern, {}, fast), pattern).toEqual(await search(context, pattern, {}, slow))
    }
  })

  it('finds the same with ripgrep as without', async () => {
    const words = ['foo', 'Foo', 'bar_1', 'a.b', '{x}', 'ünï', '𝒳', '\t', ' ', '"', '/', '-', '0', '\u00a0', 'x\r']
    const many = toolHarness()
    const line = fc.array(fc.constantFrom(...words), { maxLength: 6 }).map((parts) => parts.join(''))
    const contents = fc.sample(fc.array(line, { maxLength: 8 }), { numRuns: 150, seed: 7 })
    put(many, Object.fromEntries(contents.map((lines, i) => [`${i % 2}/${i}.txt`, lines.join('\n')])))
    const [fast, slow] = [createGrep({ ripgrep: rgPath }), grep]
    const atom = fc.constantFrom(
      ...[
        'foo',
        '\\w+',
        '\\d',
        '\\s',
        '\\S',
        '\\b',
        '.',
        '[a-z]',
        '[^"]',
        '[\\w.]',
        '\\.',
        '^',
        '$',
        '(?:foo|bar)',
        'ü',
        '\\W',
      ],
      ...[
        '(foo)',
        'x{0,2}',
        '.*',
        '\\/',
        '[-/]',
        '(?=foo)',
        '\\{',
        '𝒳',
        '(?!foo)',
        '\\t',
        '[^\\s]',
        '\\-',
        '[[:alpha:]]',
        '\\1',
      ],
    )
    const pattern = fc.array(atom, { minLength: 1, maxLength: 4 }).map((parts) => parts.join(''))
    await fc.assert(
      fc.asyncProperty(pattern, fc.boolean(), async (pattern, ignore_case) => {
        const input = { ignore_case, limit: 2000 }
        expect(await search(many, pattern, input, fast)).toEqual(await search(many, pattern, input, slow))
      }),
      { numRuns: 60 },
    )
  })
})
