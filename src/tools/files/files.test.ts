import { execFileSync } from 'node:child_process'
import {
  chmodSync,
  existsSync,
  linkSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { basename, join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { toolHarness } from '../../testing/harnesses/tool-harness.ts'
import { runCall } from '../run-call.ts'
import { glob } from '../search/glob.ts'
import { createGrep } from '../search/grep.ts'
import type { ToolContext } from '../tool.ts'
import { editFile } from './edit-file.ts'
import { readFile } from './read-file.ts'
import { writeFile } from './write-file.ts'

const tools = [readFile, writeFile, editFile]
const call = (context: ToolContext, name: string, input: object) => runCall(tools, { name, input }, context)
const read = (context: ToolContext, path: string, more: object = {}) => call(context, 'read_file', { path, ...more })
const write = (context: ToolContext, path: string, content: string) => call(context, 'write_file', { path, content })
const edit = (context: ToolContext, path: string, old_text: string, new_text: string, more: object = {}) =>
  call(context, 'edit_file', { path, old_text, new_text, ...more })
const lines = (count: number) => Array.from({ length: count }, (_, i) => `line ${i + 1}\n`).join('')

describe('read_file', () => {
  it('numbers the lines and says how to read on', async () => {
    const context = toolHarness()
    writeFileSync(join(context.root, 'a.txt'), lines(5000))
    const first = (await read(context, 'a.txt')).text
    expect(first.split('\n')[0]).toBe('     1\tline 1')
    expect(first).toMatch(/ {2}2000\tline 2000\n\[lines 1 to 2000 of 5000; read on with offset=2001\]$/)
    expect((await read(context, 'a.txt', { offset: 4999, limit: 5 })).text).toBe('  4999\tline 4999\n  5000\tline 5000')
    expect((await read(context, 'a.txt', { offset: 2, limit: 1 })).text).toBe(
      '     2\tline 2\n[lines 2 to 2 of 5000; read on with offset=3]',
    )
    expect((await read(context, 'a.txt', { offset: 6000 })).text).toBe(
      'a.txt has only 5000 lines. Begin with an offset up to that.',
    )
    writeFileSync(join(context.root, 'one.txt'), lines(1))
    expect((await read(context, 'one.txt', { offset: 9 })).text).toContain('one.txt has only 1 line.')
  }) // A11

  it('limits the length of the result and of each line', async () => {
    const context = toolHarness()
    writeFileSync(join(context.root, 'wide.txt'), `${'x'.repeat(1500)}\n`.repeat(1000))
    const { text } = await read(context, 'wide.txt')
    expect(text.length).toBeLessThan(51_000)
    expect(text).toMatch(/\[lines 1 to 33 of 1000; read on with offset=34\]$/)
    writeFileSync(join(context.root, 'one.js'), `${'y'.repeat(5_000_000)}\nend`)
    expect((await read(context, 'one.js')).text).toMatch(
      /y… \[this line is longer; show all of it with bash\]\n {5}2\tend$/,
    )
  }) // A11

  it('pages through a file of many gigabytes without holding it', async () => {
    const context = toolHarness()
    writeFileSync(join(context.root, 'huge.log'), lines(100_000))
    truncateSync(join(context.root, 'huge.log'), 20_000_000_000)
    const { text } = await read(context, 'huge.log', { offset: 70_000, limit: 2 })
    expect(text).toBe(
      ' 70000\tline 70000\n 70001\tline 70001\n[lines 70000 to 70001 of a file of 20000000000 bytes; read on with offset=70002]',
    )
  })

  it('shows images, and names other binary files with kind and size', async () => {
    const context = toolHarness()
    const png = Buffer.from('89504e470d0a1a0a0000000d49484452', 'hex')
    writeFileSync(join(context.root, 'a.txt'), png)
    const shown = await read(context, 'a.txt')
    expect(shown).toEqual({
      text: 'a.txt (image/png, 16 bytes)',
      images: [{ data: png.toString('base64'), mediaType: 'image/png' }],
    })
    writeFileSync(join(context.root, 'x.zip'), Buffer.from('504b0304ff00', 'hex'))
    expect((await read(context, 'x.zip')).text).toContain('is not text (zip archive, 6 bytes)')
    writeFileSync(join(context.root, 'x'), Buffer.from([65, 0, 66]))
    expect((await read(context, 'x')).text).toContain('is not text (binary, 3 bytes)')
  })

  it('says what to do with folders, pipes, devices and what is not there, and waits for none of them', async () => {
    const context = toolHarness()
    mkdirSync(join(context.root, 'src'))
    execFileSync('mkfifo', [join(context.root, 'pipe')])
    symlinkSync('/dev/zero', join(context.root, 'zero'))
    expect(await read(context, 'src')).toMatchObject({
      text: 'src is a folder. Use glob with path "src".',
      isError: true,
    })
    expect((await read(context, 'pipe')).text).toContain('is a pipe, socket or device')
    expect((await read(context, 'zero')).text).toContain('Path escapes the workspace: zero.')
    expect((await read(context, 'gone.ts')).text).toBe('gone.ts does not exist. Use glob to find what does.')
    expect((await read(context, 'a\0b')).text).toContain('NUL byte')
    expect((await read(context, 'x'.repeat(5000))).text).toContain('longer than a path may be')
    writeFileSync(join(context.root, 'empty'), '')
    expect((await read(context, 'empty')).text).toBe('empty is empty.')
  })
})

describe('write_file', () => {
  it('makes the folders above and says how many bytes it wrote', async () => {
    const context = toolHarness()
    expect((await write(context, 'a/b/c.txt', 'zwölf\n')).text).toBe('Wrote 7 bytes to a/b/c.txt')
    expect(readFileSync(join(context.root, 'a/b/c.txt'), 'utf8')).toBe('zwölf\n')
    expect((await write(context, 'a/b/c.txt', 'x')).text).toBe('Wrote 1 bytes to a/b/c.txt (in place of 7)')
    expect(readFileSync(join(context.root, 'a/b/c.txt'), 'utf8')).toBe('x')
  }) // A11

  it('does not overwrite a file that changed since it was read', async () => {
    const context = toolHarness()
    await write(context, 'a.txt', 'mine')
    writeFileSync(join(context.root, 'a.txt'), 'theirs')
    expect(await write(context, 'a.txt', 'mine again')).toMatchObject({
      text: 'a.txt changed since you read it. Read it again, then write.',
      isError: true,
    })
    expect(readFileSync(join(context.root, 'a.txt'), 'utf8')).toBe('theirs')
    await read(context, 'a.txt')
    expect((await write(context, 'a.txt', 'mine again')).isError).toBeUndefined()
  })

  it('takes any name a file can have, and keeps the mode of a file it replaces', async () => {
    const context = toolHarness()
    await write(context, 'two\nlines "and" more', 'x')
    expect(readFileSync(join(context.root, 'two\nlines "and" more'), 'utf8')).toBe('x')
    await write(context, 'run.sh', '#!/bin/sh\n')
    chmodSync(join(context.root, 'run.sh'), 0o755)
    await write(context, 'run.sh', '#!/bin/sh\nexit\n')
    expect(statSync(join(context.root, 'run.sh')).mode & 0o777).toBe(0o755)
  })

  it('writes to no folder, pipe or link, and waits for none of them', async () => {
    const context = toolHarness()
    mkdirSync(join(context.root, 'src'))
    execFileSync('mkfifo', [join(context.root, 'pipe')])
    writeFileSync(join(context.root, 'real.txt'), 'old')
    symlinkSync('real.txt', join(context.root, 'link.txt'))
    expect((await write(context, 'src', 'x')).text).toBe('src is a folder. Name a file.')
    expect((await write(context, 'src/', 'x')).text).toContain('names a folder')
    expect((await write(context, 'pipe', 'x')).text).toContain('not a regular file')
    expect((await write(context, 'link.txt', 'x')).text).toContain('is a link')
    expect((await write(context, 'real.txt/x', 'x')).text).toContain('a part of its path is a file')
    expect(readFileSync(join(context.root, 'real.txt'), 'utf8')).toBe('old')
  })
})

describe('edit_file', () => {
  it('changes the one place and shows the difference', async () => {
    const context = toolHarness()
    await write(context, 'a.ts', 'one\ntwo\nthree\n')
    const { text } = await edit(context, 'a.ts', 'two', '2')
    expect(text).toBe('Edited a.ts\n@@ -1,3 +1,3 @@\n one\n-two\n+2\n three')
    expect(readFileSync(join(context.root, 'a.ts'), 'utf8')).toBe('one\n2\nthree\n')
    // `$&` and the like are text, not patterns.
    await edit(context, 'a.ts', 'three', "$& $1 $'")
    expect(readFileSync(join(context.root, 'a.ts'), 'utf8')).toBe("one\n2\n$& $1 $'\n")
  }) // A11

  it('needs exactly one match, or replace_all', async () => {
    const context = toolHarness()
    await write(context, 'a.ts', 'x = 1\ny = 1\nx = 1\n')
    expect(await edit(context, 'a.ts', 'x = 1', 'x = 2')).toMatchObject({
      text: 'old_text occurs 2 times in a.ts, in lines 1, 3. Include more of the text around it, or use replace_all.',
      isError: true,
    })
    expect((await edit(context, 'a.ts', 'x = 1', 'x = 2', { replace_all: true })).text).toContain('in 2 places')
    expect(readFileSync(join(context.root, 'a.ts'), 'utf8')).toBe('x = 2\ny = 1\nx = 2\n')
  })

  it('shows the most similar text when old_text is not found', async () => {
    const context = toolHarness()
    await write(context, 'a.ts', 'function add(a, b) {\n\treturn a + b\n}\n')
    const spaces = await edit(context, 'a.ts', 'function add(a, b) {\n  return a + b', 'x')
    expect(spaces.text).toContain('differs in white space only:\n     1\tfunction add(a, b) {\n     2\t\treturn a + b')
    expect((await edit(context, 'a.ts', 'function add(a, c) {', 'x')).text).toContain(
      'differs in its words:\n     1\tfunction',
    )
    expect((await edit(context, 'a.ts', 'import something', 'x')).text).toContain('The file has nothing similar')
    expect((await edit(context, 'a.ts', '  \n', 'x')).text).toContain('only white space')
  })

  it('refuses a file that was never read, changed since, or is not there', async () => {
    const context = toolHarness()
    writeFileSync(join(context.root, 'a.ts'), 'one')
    expect((await edit(context, 'a.ts', 'one', 'two')).text).toBe('You have not read a.ts. Read it first, then edit.')
    await read(context, 'a.ts')
    writeFileSync(join(context.root, 'a.ts'), 'one!')
    expect((await edit(context, 'a.ts', 'one', 'two')).text).toContain('a.ts changed since you read it')
    expect((await edit(context, 'b.ts', 'one', 'two')).text).toContain('b.ts does not exist')
    expect(existsSync(join(context.root, 'b.ts'))).toBe(false)
    expect(readFileSync(join(context.root, 'a.ts'), 'utf8')).toBe('one!')
  })

  it('loses neither of two concurrent edits', async () => {
    const context = toolHarness()
    await write(context, 'a.txt', Array.from({ length: 20 }, (_, i) => `<${i}>`).join('\n'))
    const results = await Promise.all(Array.from({ length: 20 }, (_, i) => edit(context, 'a.txt', `<${i}>`, `[${i}]`)))
    expect(results.filter(({ isError }) => isError)).toEqual([])
    expect(readFileSync(join(context.root, 'a.txt'), 'utf8')).not.toContain('<')
  })

  it('keeps Windows line ends and the byte-order mark, and refuses what is not UTF-8', async () => {
    const context = toolHarness()
    writeFileSync(join(context.root, 'win.txt'), '\ufeffone\r\ntwo\r\nthree\r\n')
    await read(context, 'win.txt')
    await edit(context, 'win.txt', 'one\ntwo', '1\n2')
    expect(readFileSync(join(context.root, 'win.txt'), 'utf8')).toBe('\ufeff1\r\n2\r\nthree\r\n')
    writeFileSync(join(context.root, 'latin.txt'), Buffer.from('caf\xe9', 'latin1'))
    await read(context, 'latin.txt')
    expect((await edit(context, 'latin.txt', 'caf', 'x')).text).toContain('is not UTF-8 text')
  })
})

describe('what file tools never do', () => {
  it('leave the workspace, by whatever way', async () => {
    const context = toolHarness()
    const outside = toolHarness().root
    writeFileSync(join(outside, 'secret'), 'secret')
    symlinkSync(outside, join(context.root, 'door'))
    symlinkSync(join(outside, 'secret'), join(context.root, 'window'))
    symlinkSync('loop', join(context.root, 'loop'))
    for (const path of ['../x', '/etc/passwd', `${context.root}-x/y`, 'a/../../x', 'door/secret', 'window']) {
      const wrote = await write(context, path, 'x')
      expect(wrote, path).toMatchObject({ isError: true })
      expect(wrote.text, path).toMatch(/Path escapes the workspace|is a link/)
    }
    for (const path of ['/etc/passwd', join(outside, 'secret'), 'door/secret', 'window'])
      expect((await read(context, path)).text, path).toContain('Path escapes the workspace')
    expect((await read(context, 'loop')).text).toContain('a link that leads to itself')
    expect((await write(context, 'door/new/file', 'x')).isError).toBe(true)
    expect(existsSync(join(outside, 'new'))).toBe(false)
    expect(readFileSync(join(outside, 'secret'), 'utf8')).toBe('secret')
  }) // A12

  it('say the same of a path outside, of other teams or denied, whether it exists or not', async () => {
    const outside = toolHarness().root
    const context = toolHarness({ forbids: (_, path) => path.endsWith('.env') })
    for (const folder of [outside, join(context.root, '.teams', 'other')]) {
      mkdirSync(folder, { recursive: true })
      writeFileSync(join(folder, 'there'), 'x')
    }
    mkdirSync(join(context.root, 'a'))
    writeFileSync(join(context.root, 'a', '.env'), 'x')
    symlinkSync(outside, join(context.root, 'door'))
    symlinkSync(join(outside, 'there'), join(context.root, 'there'))
    symlinkSync(join(outside, 'gone'), join(context.root, 'gone'))
    const pairs = [
      [join(outside, 'there'), join(outside, 'gone')],
      [join(outside, 'there/x'), join(outside, 'gone/x')],
      [`../${basename(outside)}/there`, `../${basename(outside)}/gone`],
      ['door/there', 'door/gone'],
      ['door/there/x', 'door/gone/x'],
      ['there', 'gone'],
      ['.teams/other/there', '.teams/other/gone'],
      ['a/.env', 'b/.env'],
    ] as const
    const run = async (tool: string, path: string) => {
      const input = { read_file: { path }, write_file: { path, content: 'x' } }[tool] ?? {
        path,
        old_text: 'x',
        new_text: 'y',
      }
      const { text, isError } = await runCall([readFile, writeFile, editFile], { name: tool, input }, context)
      return { text: text.replaceAll(path, 'PATH').replaceAll(/\b(there|gone)\b|[ab]\/(?=\.env)/g, ''), isError }
    }
    for (const [there, gone] of pairs)
      for (const tool of ['read_file', 'write_file', 'edit_file']) {
        const result = await run(tool, there)
        expect(result.isError, `${tool} ${there}`).toBe(true)
        expect(await run(tool, gone), `${tool} ${gone}`).toEqual(result)
      }
    expect(existsSync(join(outside, 'gone'))).toBe(false)
  }) // T32

  it('refuse folders the user opened, and links inside', async () => {
    const context = toolHarness({ folders: [toolHarness().root] })
    await write(context, `${context.folders[0]}/a.txt`, 'there')
    expect((await read(context, `${context.folders[0]}/a.txt`)).text).toBe('     1\tthere')
    await write(context, 'real/a.txt', 'here')
    symlinkSync('real', join(context.root, 'link'))
    expect((await read(context, 'link/a.txt')).text).toBe('     1\there')
    expect((await write(context, 'link/b.txt', 'x')).text).toBe('Wrote 1 bytes to real/b.txt')
    linkSync(join(context.root, 'real/a.txt'), join(context.root, 'hard.txt'))
    expect((await read(context, 'hard.txt')).text).toBe('     1\there')
  })

  it('write what decides what agents may do, under whatever name', async () => {
    const context = toolHarness()
    mkdirSync(join(context.root, '.git/hooks'), { recursive: true })
    symlinkSync('.git/hooks', join(context.root, 'innocent'))
    const paths = [
      ...[
        '.teams/web/journal.jsonl',
        '.tasks/web/1.json',
        '.git/hooks/pre-commit',
        '.git/config',
        '.git',
        '.GIT/config',
      ],
      ...['.deskmates/settings.json', 'deskmates.yaml', '.claude/settings.json', 'agents/x.md', 'skills/x/SKILL.md'],
      ...['innocent/pre-commit', 'sub/.git/hooks/pre-commit', 'sub/.claude/x', '.husky/pre-commit', 'x/../agents/y.md'],
      ...['.cl\u200baude/settings.json', 'Agents/x.md', '03-01.summary.jsonl', 'phases/03/03-01.SUMMARY.jsonl'],
    ]
    for (const path of paths) {
      const result = await write(context, path, 'x')
      expect(result, path).toMatchObject({ isError: true })
      expect(result.text, path).toContain('is never written by a file tool:')
    }
    expect((await write(context, 'src/agents/ada.ts', 'x')).isError).toBeUndefined()
    expect(existsSync(join(context.root, '.claude'))).toBe(false)
  })

  it('write where a folder was moved to while the path was checked', async () => {
    const context = toolHarness()
    const [from, to] = [join(context.root, 'plain'), join(context.root, '.git/hooks')]
    mkdirSync(from)
    mkdirSync(join(context.root, '.git'))
    const moving: ToolContext = {
      ...context,
      forbids() {
        if (existsSync(from)) renameSync(from, to)
        return false
      },
    }
    expect((await write(moving, 'plain/pre-commit', 'evil')).text).toContain('is never written by a file tool')
    expect(readFileSync(join(to, 'pre-commit'), 'utf8')).toBe('')
  })

  it('write to a file that instructs tools by the path of a linked folder', async () => {
    const context = toolHarness()
    mkdirSync(join(context.root, '.vscode'))
    symlinkSync('.vscode', join(context.root, 'plain'))
    expect((await write(context, 'plain/tasks.json', '{}')).text).toContain('This path leads to .vscode/tasks.json')
  }) // T17

  it('read what belongs to other teams, but their own outputs', async () => {
    const context = toolHarness()
    for (const team of ['web', 'other']) {
      mkdirSync(join(context.root, '.teams', team), { recursive: true })
      writeFileSync(join(context.root, '.teams', team, 'config.json'), '{}')
    }
    expect((await read(context, '.teams/other/config.json')).text).toContain('belongs to other teams')
    expect((await read(context, '.teams/web/config.json')).text).toBe('     1\t{}')
    const elsewhere = toolHarness().outputs
    const { outputPath: path } = await elsewhere.fit('x\n'.repeat(100_000), 'bash')
    expect(
      (await read({ ...context, outputs: elsewhere }, join(elsewhere.folder, path!.split('/').at(-1)!))).text,
    ).toContain('\tx\n')
  })

  it('open what a rule of the user denies, also behind a link', async () => {
    const context = toolHarness({ forbids: (kind, path) => path.endsWith('/.env') && kind === 'read' })
    writeFileSync(join(context.root, '.env'), 'KEY=1')
    symlinkSync('.env', join(context.root, 'plain.txt'))
    for (const path of ['.env', 'plain.txt', './x/../.env'])
      expect((await read(context, path)).text).toContain('A rule of the user denies reading .env')
  })

  it('keep a descriptor, whether they succeed or refuse', async ({ skip }) => {
    skip(process.platform !== 'linux', 'counts descriptors in /proc')
    const context = toolHarness()
    mkdirSync(join(context.root, '.git'))
    symlinkSync('/etc', join(context.root, 'door'))
    const all = async () => {
      await write(context, 'a/b/c.txt', 'one')
      await edit(context, 'a/b/c.txt', 'one', 'two')
      for (const path of ['a/b/c.txt', 'a', 'door/passwd', 'gone', '.git', 'a/b/c.txt/x']) {
        await read(context, path)
        await write(context, path, 'x')
        await edit(context, path, 'nothing', 'x')
      }
      await runCall([glob, createGrep()], { name: 'glob', input: { pattern: '**/*' } }, context)
      await runCall([glob, createGrep()], { name: 'grep', input: { pattern: 'x' } }, context)
    }
    await all()
    const before = readdirSync('/proc/self/fd').length
    for (let i = 0; i < 20; i++) await all()
    expect(readdirSync('/proc/self/fd').length - before).toBeLessThan(10)
  })
})
