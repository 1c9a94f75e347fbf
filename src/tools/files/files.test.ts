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
const call = (world: ToolContext, name: string, input: object) => runCall(tools, { name, input }, world)
const read = (world: ToolContext, path: string, more: object = {}) => call(world, 'read_file', { path, ...more })
const write = (world: ToolContext, path: string, content: string) => call(world, 'write_file', { path, content })
const edit = (world: ToolContext, path: string, old_text: string, new_text: string, more: object = {}) =>
  call(world, 'edit_file', { path, old_text, new_text, ...more })
const lines = (count: number) => Array.from({ length: count }, (_, i) => `line ${i + 1}\n`).join('')

describe('read_file', () => {
  it('numbers the lines and says how to read on', async () => {
    const world = toolHarness()
    writeFileSync(join(world.root, 'a.txt'), lines(5000))
    const first = (await read(world, 'a.txt')).text
    expect(first.split('\n')[0]).toBe('     1\tline 1')
    expect(first).toMatch(/ {2}2000\tline 2000\n\[lines 1 to 2000 of 5000; read on with offset=2001\]$/)
    expect((await read(world, 'a.txt', { offset: 4999, limit: 5 })).text).toBe('  4999\tline 4999\n  5000\tline 5000')
    expect((await read(world, 'a.txt', { offset: 2, limit: 1 })).text).toBe(
      '     2\tline 2\n[lines 2 to 2 of 5000; read on with offset=3]',
    )
    expect((await read(world, 'a.txt', { offset: 6000 })).text).toBe(
      'a.txt has only 5000 lines. Begin with an offset up to that.',
    )
    writeFileSync(join(world.root, 'one.txt'), lines(1))
    expect((await read(world, 'one.txt', { offset: 9 })).text).toContain('one.txt has only 1 line.')
  }) // A11

  it('never returns more than a result may hold, in lines that are not endless', async () => {
    const world = toolHarness()
    writeFileSync(join(world.root, 'wide.txt'), `${'x'.repeat(1500)}\n`.repeat(1000))
    const { text } = await read(world, 'wide.txt')
    expect(text.length).toBeLessThan(51_000)
    expect(text).toMatch(/\[lines 1 to 33 of 1000; read on with offset=34\]$/)
    writeFileSync(join(world.root, 'one.js'), `${'y'.repeat(5_000_000)}\nend`)
    expect((await read(world, 'one.js')).text).toMatch(
      /y… \[this line is longer; see all of it with bash\]\n {5}2\tend$/,
    )
  }) // A11

  it('pages through a file of many gigabytes without holding it', async () => {
    const world = toolHarness()
    writeFileSync(join(world.root, 'huge.log'), lines(100_000))
    truncateSync(join(world.root, 'huge.log'), 20_000_000_000)
    const { text } = await read(world, 'huge.log', { offset: 70_000, limit: 2 })
    expect(text).toBe(
      ' 70000\tline 70000\n 70001\tline 70001\n[lines 70000 to 70001 of a file of 20000000000 bytes; read on with offset=70002]',
    )
  })

  it('shows images, and names other binary files with kind and size', async () => {
    const world = toolHarness()
    const png = Buffer.from('89504e470d0a1a0a0000000d49484452', 'hex')
    writeFileSync(join(world.root, 'a.txt'), png)
    const shown = await read(world, 'a.txt')
    expect(shown).toEqual({
      text: 'a.txt (image/png, 16 bytes)',
      images: [{ data: png.toString('base64'), mediaType: 'image/png' }],
    })
    writeFileSync(join(world.root, 'x.zip'), Buffer.from('504b0304ff00', 'hex'))
    expect((await read(world, 'x.zip')).text).toContain('is not text (zip archive, 6 bytes)')
    writeFileSync(join(world.root, 'x'), Buffer.from([65, 0, 66]))
    expect((await read(world, 'x')).text).toContain('is not text (binary, 3 bytes)')
  })

  it('says what to do with folders, pipes, devices and what is not there, and waits for none of them', async () => {
    const world = toolHarness()
    mkdirSync(join(world.root, 'src'))
    execFileSync('mkfifo', [join(world.root, 'pipe')])
    symlinkSync('/dev/zero', join(world.root, 'zero'))
    expect(await read(world, 'src')).toMatchObject({
      text: 'src is a folder. Use glob with path "src".',
      isError: true,
    })
    expect((await read(world, 'pipe')).text).toContain('is a pipe, socket or device')
    expect((await read(world, 'zero')).text).toContain('Path escapes the workspace: zero.')
    expect((await read(world, 'gone.ts')).text).toBe('gone.ts does not exist. Use glob to find what does.')
    expect((await read(world, 'a\0b')).text).toContain('NUL byte')
    expect((await read(world, 'x'.repeat(5000))).text).toContain('longer than a path may be')
    writeFileSync(join(world.root, 'empty'), '')
    expect((await read(world, 'empty')).text).toBe('empty is empty.')
  })
})

describe('write_file', () => {
  it('makes the folders above and says how many bytes it wrote', async () => {
    const world = toolHarness()
    expect((await write(world, 'a/b/c.txt', 'zwölf\n')).text).toBe('Wrote 7 bytes to a/b/c.txt')
    expect(readFileSync(join(world.root, 'a/b/c.txt'), 'utf8')).toBe('zwölf\n')
    expect((await write(world, 'a/b/c.txt', 'x')).text).toBe('Wrote 1 bytes to a/b/c.txt (in place of 7)')
    expect(readFileSync(join(world.root, 'a/b/c.txt'), 'utf8')).toBe('x')
  }) // A11

  it('does not overwrite what somebody else changed since it was read', async () => {
    const world = toolHarness()
    await write(world, 'a.txt', 'mine')
    writeFileSync(join(world.root, 'a.txt'), 'theirs')
    expect(await write(world, 'a.txt', 'mine again')).toMatchObject({
      text: 'a.txt changed since you read it. Read it again, then write.',
      isError: true,
    })
    expect(readFileSync(join(world.root, 'a.txt'), 'utf8')).toBe('theirs')
    await read(world, 'a.txt')
    expect((await write(world, 'a.txt', 'mine again')).isError).toBeUndefined()
  })

  it('takes any name a file can have, and keeps the mode of a file it replaces', async () => {
    const world = toolHarness()
    await write(world, 'two\nlines "and" more', 'x')
    expect(readFileSync(join(world.root, 'two\nlines "and" more'), 'utf8')).toBe('x')
    await write(world, 'run.sh', '#!/bin/sh\n')
    chmodSync(join(world.root, 'run.sh'), 0o755)
    await write(world, 'run.sh', '#!/bin/sh\nexit\n')
    expect(statSync(join(world.root, 'run.sh')).mode & 0o777).toBe(0o755)
  })

  it('writes to no folder, pipe or link, and waits for none of them', async () => {
    const world = toolHarness()
    mkdirSync(join(world.root, 'src'))
    execFileSync('mkfifo', [join(world.root, 'pipe')])
    writeFileSync(join(world.root, 'real.txt'), 'old')
    symlinkSync('real.txt', join(world.root, 'link.txt'))
    expect((await write(world, 'src', 'x')).text).toBe('src is a folder. Name a file.')
    expect((await write(world, 'src/', 'x')).text).toContain('names a folder')
    expect((await write(world, 'pipe', 'x')).text).toContain('no regular file')
    expect((await write(world, 'link.txt', 'x')).text).toContain('is a link')
    expect((await write(world, 'real.txt/x', 'x')).text).toContain('a part of its path is a file')
    expect(readFileSync(join(world.root, 'real.txt'), 'utf8')).toBe('old')
  })
})

describe('edit_file', () => {
  it('changes the one place and shows the difference', async () => {
    const world = toolHarness()
    await write(world, 'a.ts', 'one\ntwo\nthree\n')
    const { text } = await edit(world, 'a.ts', 'two', '2')
    expect(text).toBe('Edited a.ts\n@@ -1,3 +1,3 @@\n one\n-two\n+2\n three')
    expect(readFileSync(join(world.root, 'a.ts'), 'utf8')).toBe('one\n2\nthree\n')
    // `$&` and the like are text, not patterns.
    await edit(world, 'a.ts', 'three', "$& $1 $'")
    expect(readFileSync(join(world.root, 'a.ts'), 'utf8')).toBe("one\n2\n$& $1 $'\n")
  }) // A11

  it('wants one match, or to be told that all are meant', async () => {
    const world = toolHarness()
    await write(world, 'a.ts', 'x = 1\ny = 1\nx = 1\n')
    expect(await edit(world, 'a.ts', 'x = 1', 'x = 2')).toMatchObject({
      text: 'old_text occurs 2 times in a.ts, in lines 1, 3. Give more of the text around it, or use replace_all.',
      isError: true,
    })
    expect((await edit(world, 'a.ts', 'x = 1', 'x = 2', { replace_all: true })).text).toContain('in 2 places')
    expect(readFileSync(join(world.root, 'a.ts'), 'utf8')).toBe('x = 2\ny = 1\nx = 2\n')
  })

  it('says what is close when the text is not there', async () => {
    const world = toolHarness()
    await write(world, 'a.ts', 'function add(a, b) {\n\treturn a + b\n}\n')
    const spaces = await edit(world, 'a.ts', 'function add(a, b) {\n  return a + b', 'x')
    expect(spaces.text).toContain(
      'it differs in white space only.\n     1\tfunction add(a, b) {\n     2\t\treturn a + b',
    )
    expect((await edit(world, 'a.ts', 'function add(a, c) {', 'x')).text).toContain(
      'it differs in its words.\n     1\tfunction',
    )
    expect((await edit(world, 'a.ts', 'import something', 'x')).text).toContain('Nothing like it is there')
    expect((await edit(world, 'a.ts', '  \n', 'x')).text).toContain('nothing but white space')
  })

  it('refuses a file that was never read, changed since, or is not there', async () => {
    const world = toolHarness()
    writeFileSync(join(world.root, 'a.ts'), 'one')
    expect((await edit(world, 'a.ts', 'one', 'two')).text).toBe('You have not read a.ts. Read it first, then edit.')
    await read(world, 'a.ts')
    writeFileSync(join(world.root, 'a.ts'), 'one!')
    expect((await edit(world, 'a.ts', 'one', 'two')).text).toContain('a.ts changed since you read it')
    expect((await edit(world, 'b.ts', 'one', 'two')).text).toContain('b.ts does not exist')
    expect(existsSync(join(world.root, 'b.ts'))).toBe(false)
    expect(readFileSync(join(world.root, 'a.ts'), 'utf8')).toBe('one!')
  })

  it('loses no edit of two that come at once', async () => {
    const world = toolHarness()
    await write(world, 'a.txt', Array.from({ length: 20 }, (_, i) => `<${i}>`).join('\n'))
    const results = await Promise.all(Array.from({ length: 20 }, (_, i) => edit(world, 'a.txt', `<${i}>`, `[${i}]`)))
    expect(results.filter(({ isError }) => isError)).toEqual([])
    expect(readFileSync(join(world.root, 'a.txt'), 'utf8')).not.toContain('<')
  })

  it('keeps Windows line ends and the byte-order mark, and refuses what is not UTF-8', async () => {
    const world = toolHarness()
    writeFileSync(join(world.root, 'win.txt'), '\ufeffone\r\ntwo\r\nthree\r\n')
    await read(world, 'win.txt')
    await edit(world, 'win.txt', 'one\ntwo', '1\n2')
    expect(readFileSync(join(world.root, 'win.txt'), 'utf8')).toBe('\ufeff1\r\n2\r\nthree\r\n')
    writeFileSync(join(world.root, 'latin.txt'), Buffer.from('caf\xe9', 'latin1'))
    await read(world, 'latin.txt')
    expect((await edit(world, 'latin.txt', 'caf', 'x')).text).toContain('is not UTF-8 text')
  })
})

describe('what file tools never do', () => {
  it('leave the workspace, by whatever way', async () => {
    const world = toolHarness()
    const outside = toolHarness().root
    writeFileSync(join(outside, 'secret'), 'secret')
    symlinkSync(outside, join(world.root, 'door'))
    symlinkSync(join(outside, 'secret'), join(world.root, 'window'))
    symlinkSync('loop', join(world.root, 'loop'))
    for (const path of ['../x', '/etc/passwd', `${world.root}-x/y`, 'a/../../x', 'door/secret', 'window']) {
      const wrote = await write(world, path, 'x')
      expect(wrote, path).toMatchObject({ isError: true })
      expect(wrote.text, path).toMatch(/Path escapes the workspace|is a link/)
    }
    for (const path of ['/etc/passwd', join(outside, 'secret'), 'door/secret', 'window'])
      expect((await read(world, path)).text, path).toContain('Path escapes the workspace')
    expect((await read(world, 'loop')).text).toContain('a link that leads to itself')
    expect((await write(world, 'door/new/file', 'x')).isError).toBe(true)
    expect(existsSync(join(outside, 'new'))).toBe(false)
    expect(readFileSync(join(outside, 'secret'), 'utf8')).toBe('secret')
  }) // A12

  it('say the same of a path outside, of other teams or denied, whether it exists or not', async () => {
    const outside = toolHarness().root
    const world = toolHarness({ forbids: (_, path) => path.endsWith('.env') })
    for (const folder of [outside, join(world.root, '.teams', 'other')]) {
      mkdirSync(folder, { recursive: true })
      writeFileSync(join(folder, 'there'), 'x')
    }
    mkdirSync(join(world.root, 'a'))
    writeFileSync(join(world.root, 'a', '.env'), 'x')
    symlinkSync(outside, join(world.root, 'door'))
    symlinkSync(join(outside, 'there'), join(world.root, 'there'))
    symlinkSync(join(outside, 'gone'), join(world.root, 'gone'))
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
      const { text, isError } = await runCall([readFile, writeFile, editFile], { name: tool, input }, world)
      return { text: text.replaceAll(path, 'PATH').replaceAll(/\b(there|gone)\b|[ab]\/(?=\.env)/g, ''), isError }
    }
    for (const [there, gone] of pairs)
      for (const tool of ['read_file', 'write_file', 'edit_file']) {
        const told = await run(tool, there)
        expect(told.isError, `${tool} ${there}`).toBe(true)
        expect(await run(tool, gone), `${tool} ${gone}`).toEqual(told)
      }
    expect(existsSync(join(outside, 'gone'))).toBe(false)
  }) // T32

  it('refuse folders the user opened, and links inside', async () => {
    const world = toolHarness({ folders: [toolHarness().root] })
    await write(world, `${world.folders[0]}/a.txt`, 'there')
    expect((await read(world, `${world.folders[0]}/a.txt`)).text).toBe('     1\tthere')
    await write(world, 'real/a.txt', 'here')
    symlinkSync('real', join(world.root, 'link'))
    expect((await read(world, 'link/a.txt')).text).toBe('     1\there')
    expect((await write(world, 'link/b.txt', 'x')).text).toBe('Wrote 1 bytes to real/b.txt')
    linkSync(join(world.root, 'real/a.txt'), join(world.root, 'hard.txt'))
    expect((await read(world, 'hard.txt')).text).toBe('     1\there')
  })

  it('write what decides what agents may do, under whatever name', async () => {
    const world = toolHarness()
    mkdirSync(join(world.root, '.git/hooks'), { recursive: true })
    symlinkSync('.git/hooks', join(world.root, 'innocent'))
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
      ...['.cl\u200baude/settings.json', 'Agents/x.md'],
    ]
    for (const path of paths) {
      const result = await write(world, path, 'x')
      expect(result, path).toMatchObject({ isError: true })
      expect(result.text, path).toContain('is never written by a file tool:')
    }
    expect((await write(world, 'src/agents/ada.ts', 'x')).isError).toBeUndefined()
    expect(existsSync(join(world.root, '.claude'))).toBe(false)
  })

  it('write where a folder was moved to while the path was judged', async () => {
    const world = toolHarness()
    const [from, to] = [join(world.root, 'plain'), join(world.root, '.git/hooks')]
    mkdirSync(from)
    mkdirSync(join(world.root, '.git'))
    const moving: ToolContext = {
      ...world,
      forbids() {
        if (existsSync(from)) renameSync(from, to)
        return false
      },
    }
    expect((await write(moving, 'plain/pre-commit', 'evil')).text).toContain('is never written by a file tool')
    expect(readFileSync(join(to, 'pre-commit'), 'utf8')).toBe('')
  })

  it('write to a file that instructs tools by the path of a linked folder', async () => {
    const world = toolHarness()
    mkdirSync(join(world.root, '.vscode'))
    symlinkSync('.vscode', join(world.root, 'plain'))
    expect((await write(world, 'plain/tasks.json', '{}')).text).toContain('This path leads to .vscode/tasks.json')
  }) // T17

  it('read what belongs to other teams, but their own outputs', async () => {
    const world = toolHarness()
    for (const team of ['web', 'other']) {
      mkdirSync(join(world.root, '.teams', team), { recursive: true })
      writeFileSync(join(world.root, '.teams', team, 'config.json'), '{}')
    }
    expect((await read(world, '.teams/other/config.json')).text).toContain('belongs to other teams')
    expect((await read(world, '.teams/web/config.json')).text).toBe('     1\t{}')
    const elsewhere = toolHarness().outputs
    const path = /in (\S+):/.exec(await elsewhere.fit('x\n'.repeat(100_000), 'bash'))![1]!
    expect(
      (await read({ ...world, outputs: elsewhere }, join(elsewhere.folder, path.split('/').at(-1)!))).text,
    ).toContain('\tx\n')
  })

  it('open what a rule of the user denies, also behind a link', async () => {
    const world = toolHarness({ forbids: (kind, path) => path.endsWith('/.env') && kind === 'read' })
    writeFileSync(join(world.root, '.env'), 'KEY=1')
    symlinkSync('.env', join(world.root, 'plain.txt'))
    for (const path of ['.env', 'plain.txt', './x/../.env'])
      expect((await read(world, path)).text).toContain('A rule of the user denies reading .env')
  })

  it('keep a descriptor, whether they succeed or refuse', async ({ skip }) => {
    skip(process.platform !== 'linux', 'counts descriptors in /proc')
    const world = toolHarness()
    mkdirSync(join(world.root, '.git'))
    symlinkSync('/etc', join(world.root, 'door'))
    const all = async () => {
      await write(world, 'a/b/c.txt', 'one')
      await edit(world, 'a/b/c.txt', 'one', 'two')
      for (const path of ['a/b/c.txt', 'a', 'door/passwd', 'gone', '.git', 'a/b/c.txt/x']) {
        await read(world, path)
        await write(world, path, 'x')
        await edit(world, path, 'nothing', 'x')
      }
      await runCall([glob, createGrep()], { name: 'glob', input: { pattern: '**/*' } }, world)
      await runCall([glob, createGrep()], { name: 'grep', input: { pattern: 'x' } }, world)
    }
    await all()
    const before = readdirSync('/proc/self/fd').length
    for (let i = 0; i < 20; i++) await all()
    expect(readdirSync('/proc/self/fd').length - before).toBeLessThan(10)
  })
})
