import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { type CommandHarness, commandHarness } from '../../../test/cli/command-harness.ts'
import { commandNames } from './commands.ts'
import { version } from './version.ts'

let cli: CommandHarness
let model: string
beforeEach(() => {
  cli = commandHarness()
  const path = join(cli.dir, '..', 'hello.json')
  const parts = [{ times: 'always', text: 'hello' }]
  writeFileSync(path, JSON.stringify({ parts }))
  model = `scripted:${path}`
})
afterEach(() => cli.close())

/** What a run was asked and allowed, as the stream of its events says. */
async function asked(words: readonly string[]) {
  const { code, stdout, stderr } = await cli.run(inserted(words))
  const lines = stdout.split('\n').flatMap((line) => (line === '' ? [] : [JSON.parse(line)]))
  return { code, stderr, prompt: lines[1]?.message?.content[0]?.text, mode: lines[0]?.permissionMode }
}

/** With model and format, which must not stand behind `--`. */
function inserted(words: readonly string[]): string[] {
  const end = words.includes('--') ? words.indexOf('--') : words.length
  return [...words.slice(0, end), '-m', model, '--output-format', 'stream-json', ...words.slice(end)]
}

/** Nothing was made and nothing was paid for. */
async function refused(words: readonly string[]): Promise<string> {
  const { code, stdout, stderr } = await cli.run(words)
  expect({ words, code, stdout }).toEqual({ words, code: 2, stdout: '' })
  expect(existsSync(join(cli.dir, '.teams'))).toBe(false)
  return stderr
}

describe('a prompt without -p', () => {
  it.each([
    [['fix the build']],
    [['--verbose', 'fix the build']],
    [['--allowedTools', 'Read', 'Edit', 'fix the build']],
    [['--', 'fix the build']],
    [['--max-turns', '3', '--', 'fix the build']],
  ])('is run as with -p: %j', async (words) => {
    expect(await asked(words)).toMatchObject({ code: 0, prompt: 'fix the build' })
  }) // T37

  it('may be in any language, whose words need no spaces', async () => {
    expect(await asked(['修复构建'])).toMatchObject({ code: 0, prompt: '修复构建' })
  }) // T37

  it('takes global options in front of it, and goes on with a session by -c', async () => {
    expect(await cli.ok(['--json', 'first thing', '-m', model])).toContain('"result":"hello"')
    expect(await cli.ok(['-c', 'second thing', '-m', model])).toBe('hello\n')
    expect(await cli.json('sessions')).toHaveLength(1)
  }) // T37
})

describe('one plain word that is not a command', () => {
  it.each([
    ['stauts', 'Did you mean status?'],
    ['statsu', 'Did you mean status?'],
    ['Status', 'Did you mean status?'],
    ['rseume', 'Did you mean resume?'],
    ['docter', 'Did you mean doctor?'],
    ['tsak', 'Did you mean task?'],
    ['inbxo', 'Did you mean inbox?'],
    ['hlep', 'Did you mean help?'],
    ['sesions', 'Did you mean sessions?'],
    ['run', "deskmates -p 'what to do'"],
    ['exec', "deskmates -p 'what to do'"],
    ['login', 'deskmates doctor'],
    ['watch', 'deskmates attach'],
    ['session', 'deskmates sessions'],
    ['upgrade', 'npm install -g'],
    ['xyzzy', "deskmates -p 'xyzzy'"],
  ])('is never a paid prompt: %s', async (word, pointer) => {
    for (const words of [[word], [word, '--help'], [word, '-h'], [word, '--verbose'], ['--verbose', word]]) {
      const stderr = await refused(words.length === 2 && words[0] === '--verbose' ? [...words, '-m', model] : words)
      expect(stderr).toContain(pointer)
      expect(stderr).toContain('See: deskmates --help')
    }
  }) // T37

  it('says how to quote a prompt of several words', async () => {
    expect(await refused(['fix', 'the', 'build'])).toContain("deskmates -p 'fix the build'")
    expect(await refused(['-p', 'fix', 'the', 'build'])).toContain('Quote the whole prompt.')
    expect(await refused(["don't", 'stop'])).toContain("deskmates -p 'don'\\''t stop'")
  }) // T37

  it('says of a command in quotes that it needs none', async () => {
    expect(await refused(['task list'])).toContain('deskmates task list')
    expect(await refused(['sessions prune'])).toContain('deskmates sessions prune')
  }) // T37

  it('is close to no two commands at once that would hide one of them', async () => {
    for (const name of commandNames) if (!name.includes(' ')) expect((await cli.run([name, '--help'])).code).toBe(0)
  })
})

describe('options that people know from other programs', () => {
  it('print the version with -v as with --version', async () => {
    for (const words of ['-v', '-V', '--version']) expect(await cli.ok(words)).toBe(`${version}\n`)
  }) // T37

  it.each([
    [['--allowedTools', 'Read', 'Edit', '--max-turns', '2']],
    [['--allowedTools', 'Read,Edit']],
    [['--allowedTools', 'Bash(git log *)', 'Bash(npm *),Edit']],
    [['--allowed-tools', 'Bash(git *) Edit', 'Read']],
    [['--allowedTools=Read', 'Edit']],
    [['--disallowedTools', 'Bash(rm *)', 'Write', '--allowedTools', 'Read']],
  ])('take lists with spaces or commas: %j', async (words) => {
    expect(await asked(['-p', 'look around', ...words])).toMatchObject({ code: 0, prompt: 'look around' })
    expect(await asked([...words, '-p', 'look around'])).toMatchObject({ code: 0, prompt: 'look around' })
  }) // T37

  it('count every rule of a list, wherever the commas are', async () => {
    const path = join(cli.dir, '..', 'denied.json')
    const parts = ['a.txt', 'b.txt'].map((file, i) => ({
      when: { answer: i + 1 },
      calls: [{ tool: 'write_file', input: { path: file, content: 'x' } }],
    }))
    writeFileSync(path, JSON.stringify({ parts: [...parts, { text: 'done' }] }))
    for (const rules of [
      ['Write(a.txt)', 'Write(b.txt)'],
      ['Write(a.txt),Write(b.txt)'],
      ['Write(a.txt)', '--allowedTools', 'Write(b.txt)'],
    ]) {
      const words = ['-p', 'write both', '--allowedTools', ...rules, '-m', `scripted:${path}`, '--json']
      const { code, stdout } = await cli.run(words)
      expect({ rules, code, denied: JSON.parse(stdout).permission_denials }).toEqual({ rules, code: 0, denied: [] })
    }
  }) // T37

  it('take several folders behind one --add-dir', async () => {
    for (const name of ['one', 'two']) mkdirSync(join(cli.dir, '..', name))
    expect(await asked(['--add-dir', '../one', '../two', 'look there'])).toMatchObject({
      code: 0,
      prompt: 'look there',
    })
    const missing = await cli.run(['--add-dir', '../one', '../three', '-p', 'look', '-m', model])
    expect([missing.code, missing.stderr]).toEqual([2, expect.stringContaining('three is not a folder')])
  }) // T37

  it('skip permissions by the name other programs have for it, unless another mode is named', async () => {
    const both = ['--dangerously-skip-permissions', '--permission-mode', 'plan', '-p', 'x', '-m', model]
    expect(await refused(both)).toContain('contradict each other')
    expect(await asked(['--dangerously-skip-permissions', 'do it all'])).toMatchObject({ mode: 'bypassPermissions' })
  }) // T37

  /** From the help of Claude Code, opencode, Codex and Gemini. */
  const habits = `--add-dir --agent --agents --allowedTools --append-system-prompt --append-system-prompt-file --betas
    --continue -c --dangerously-skip-permissions --debug -d --disallowedTools --effort --fallback-model --fork-session --ide
    --include-partial-messages --input-format --json-schema --max-budget-usd --max-turns --mcp-config --model -m --name
    --no-session-persistence --output-format --permission-mode --permission-prompt-tool --plugin-dir --print -p
    --replay-user-messages --resume -r --session-id --setting-sources --settings --strict-mcp-config --system-prompt
    --system-prompt-file --tools --verbose -v --version -V --worktree -w --yolo -y --session -s --fork --prompt --file -f
    --format --title --variant --cd -C --full-auto --ask-for-approval -a --image -i --oss --profile --search
    --approval-mode --include-directories --allowed-tools --sandbox --help -h`.split(/\s+/)

  it.each(habits)('are taken or answered with what to use instead: %s', async (option) => {
    const { stdout } = await cli.run('-p --help')
    const isOurs =
      new RegExp(`(^|[ ,])${option}[ ,=\\n]`, 'm').test(stdout) || ['-v', '-V', '--version'].includes(option)
    if (isOurs || option === '--allowed-tools') return
    const stderr = await refused(['-p', 'a prompt', option, '-m', model])
    expect(stderr).toContain(`There is no option ${option}. `)
    expect(stderr).toMatch(/See: deskmates -p --help\n$/)
  }) // T37

  it('say what is missing where a session or a prompt is', async () => {
    expect(await refused(['-r'])).toContain("deskmates -p 'what to do'")
    expect(await refused(['-r', '-p', 'x', '-m', model])).toContain('deskmates sessions')
    expect(await refused(['-c'])).toContain("deskmates -c -p 'what to do'")
  }) // T37
})
