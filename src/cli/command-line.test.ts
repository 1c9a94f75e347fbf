import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { type CommandHarness, commandHarness } from '../../test/cli/command-harness.ts'
import { loadCommand } from './load-command.ts'
import { redacted } from './output/redact-output.ts'
import { commands } from './program/commands.ts'
import type { Context } from './program/context.ts'
import { explain } from './program/failure.ts'

let cli: CommandHarness
beforeEach(() => {
  cli = commandHarness()
})
afterEach(() => cli.close())

/** An output that takes nothing. */
function failing(code: string, message: string) {
  return { write: (_: string, done: (error?: Error) => void) => done(Object.assign(new Error(message), { code })) }
}

describe('a command line', () => {
  it('takes options of all commands before, between and after the words of a command', async () => {
    await cli.ok('team create web')
    for (const words of ['--team web task add a', 'task --team web add b', 'task add c --team web']) await cli.ok(words)
    await cli.ok('task add d --team=WEB')
    const subjects = (await cli.json('--team web task list')).map(({ subject }: { subject: string }) => subject)
    expect(subjects).toEqual(['a', 'b', 'c', 'd'])
    expect(await cli.json('--json task --team web list')).toHaveLength(4)
    expect(await cli.json('task list')).toEqual([])
  })

  it('takes the last of two options, and the environment where none is given', async () => {
    for (const team of ['one', 'two']) await cli.ok(`team create ${team}`)
    await cli.ok('--team one task add x --team two')
    const env = { ...cli.env, DESKMATES_TEAM: 'two' }
    expect(await cli.json('task list', { env })).toHaveLength(1)
    expect(await cli.json('task list --team one', { env })).toHaveLength(0)
  })

  it('works in another folder with --cwd, and nowhere that is not a folder', async () => {
    mkdirSync(join(cli.dir, 'sub'))
    await cli.ok('task add here --cwd sub')
    expect(cli.read('sub', '.tasks', 'default', '1.json')).toContain('here')
    const missing = await cli.run('task list --cwd missing')
    expect([missing.code, missing.stderr]).toEqual([2, expect.stringContaining('name one with --cwd.')])
  })

  it('keeps texts that look like options, after -- or as a value', async () => {
    await cli.ok(['task', 'add', '--description', '--json', '--', '--team'])
    expect(await cli.json('task show 1')).toMatchObject({ subject: '--team', description: '--json' })
  })

  it.each([
    'bogus',
    'task',
    'task bogus',
    'task add',
    'task add a b',
    'task add a --bogus',
    'task add a --priority 11',
    'task add a --priority x',
    'task add a --estimate 0',
    'task add a --estimate 1001',
    'task update 1 --estimate 1.5',
    'task claim',
    'task claim --as ci --lease 0',
    'task claim --as ci --lease 10y',
    'task claim --as ci --wait never',
    'task list --status sleeping',
    'task update 1',
    'task update 1 --status sleeping',
    'task fail 1 --as ci',
    'team join ci',
    'team join ci --role tester --kind agent',
    'send ci',
    'send ci hi --type shouting',
    'answer r1 maybe',
    'log --from x',
    'log --all --follow',
    'task list --command-id a/b',
    'task list --store mysql://x',
    'task list --store postgres://me:secret@db/x?schema=Teams',
  ])('says with exit 2 what is wrong with: %s', async (words) => {
    const { code, stdout, stderr } = await cli.run(words)
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' })
    expect(stderr).not.toBe('')
    expect(stderr).not.toContain('secret')
    expect(stderr).not.toMatch(/\n {4}at /)
  })

  it('reports errors as JSON to a caller that asked for JSON', async () => {
    const misused = await cli.run('task bogus --json')
    expect(JSON.parse(misused.stderr).error.code).toBe('misused')
    const refused = await cli.run('task show 7 --json')
    expect(JSON.parse(refused.stderr).error).toEqual({
      code: 'unknown_task',
      message: 'There is no task "7". See: deskmates task list',
    })
    expect(refused.code).toBe(1)
  })

  it('shows help with a real example for every command', async () => {
    for (const { path } of commands) {
      const { code, stdout } = await cli.run([...path.split(' '), '--help'])
      expect(code).toBe(0)
      expect(stdout).toContain(`Usage: deskmates ${path}`)
      expect(stdout).toContain('Global options:')
      expect((await loadCommand[path]()).example).toContain(`deskmates ${path}`)
    }
    expect((await cli.run('--help')).stdout).toContain('inbox')
    expect((await cli.run('help task claim')).stdout).toContain('Usage: deskmates task claim')
    expect((await cli.run('help')).stdout).toContain('Usage: deskmates [options]')
  })

  it.each([
    [
      'bogus',
      `There is no command "bogus". To ask an agent, quote the prompt: deskmates -p 'bogus'. See: deskmates --help`,
    ],
    ['task bogus', "unknown command 'bogus'. See: deskmates task --help"],
    ['task add', "missing required argument 'subject'. See: deskmates task add --help"],
    ['send lead', "missing required argument 'text'. See: deskmates send --help"],
    ['-p a --bogus', "unknown option '--bogus'. See: deskmates -p --help"],
    ['help bogus', 'There is no command "bogus". See: deskmates --help'],
    ['help task bogus', 'There is no command "task bogus". See: deskmates task --help'],
  ])('says where the right words for %j are explained', async (words, message) => {
    expect(await cli.run(words)).toEqual({ code: 2, stdout: '', stderr: `deskmates: ${message}\n` })
  })

  it('lists the existing teams and creates nothing when the named team is missing', async () => {
    for (const words of ['team delete nothere', 'trust --team nothere', 'team show nothere']) {
      const { code, stderr } = await cli.run(words)
      expect([words, code, stderr]).toEqual([words, 1, expect.stringContaining('See: deskmates team list')])
    }
    expect((await cli.run('task add a --team nothere')).stderr).toContain('deskmates team create nothere')
  })

  it('knows the width of the terminal although output is redacted', async () => {
    const stdout = { write: (_: string, done: () => void) => done(), columns: 79, rows: 20 }
    const { context } = redacted({ stdout, stderr: stdout, env: {} } as unknown as Context)
    expect(context.stdout).toMatchObject({ columns: 79, rows: 20 })
    stdout.columns = 132
    expect(context.stderr.columns).toBe(132)
  })

  it('gives the same answer to a repeated command id, even if the team changed since', async () => {
    const first = await cli.json('task add once --command-id job-1')
    await cli.ok('task update 1 --subject changed')
    expect(await cli.json('task add once --command-id job-1')).toEqual(first)
    expect(await cli.json('task list')).toHaveLength(1)
    expect(await cli.refused('team join ci --role x --command-id job-1')).toBe('command_id_taken')
    const sent = await cli.json('send lead hello --command-id mail-1')
    expect(await cli.json('send lead hello --command-id mail-1')).toEqual(sent)
    expect(await cli.json('inbox lead')).toHaveLength(1)
  })

  it('lets agents read but not write, and names their tool', async () => {
    await cli.ok('task add a')
    await cli.ok('team join ci --role tester')
    const env = { ...cli.env, DESKMATES_AGENT: 'ada' }
    const tools = {
      'task add b': 'TaskCreate',
      'task claim --as ci': 'TaskUpdate',
      'task update 1 --priority 1': 'TaskUpdate',
      'task complete 1 --as ci': 'TaskUpdate',
      'send lead hi': 'SendMessage',
      'inbox lead --take': 'read_inbox',
      'answer r1 approve': 'SendMessage',
      'team join x --role y': 'Task',
      'team create x': 'TeamCreate',
      'team delete default': 'TeamDelete',
      'check --repair': 'person',
      trust: 'person',
    }
    const before = cli.read('.teams', 'default', 'journal.jsonl')
    for (const [words, tool] of Object.entries(tools)) {
      const { code, stderr } = await cli.run(words, { env })
      expect({ words, code }).toEqual({ words, code: 1 })
      expect(stderr).toContain(tool)
    }
    for (const words of ['task list', 'inbox lead', 'log', 'check', 'team show', 'requests'])
      await cli.ok(words, { env })
    expect(cli.read('.teams', 'default', 'journal.jsonl')).toBe(before)
  })

  it('reports an unexpected error as a bug, without a stack unless asked', () => {
    const quiet = explain(new TypeError('x is not a function'), {})
    expect(quiet).toMatchObject({ code: 'bug', exit: 1 })
    expect(quiet.message).toContain('This is a bug')
    expect(quiet.message).not.toContain('\n    at ')
    expect(explain(new TypeError('x'), { DESKMATES_DEBUG: '1' }).message).toContain('\n    at ')
    const system = Object.assign(new Error('EACCES: permission denied'), {
      code: 'EACCES',
      syscall: 'open',
      path: '/x',
    })
    expect(explain(system, {}).message).toBe('The operating system refused open /x: EACCES: permission denied.')
  })

  it('does not fail when the reader of a listing goes away, but does when an answer is lost', async () => {
    const closed = failing('EPIPE', 'write EPIPE')
    await cli.ok('task add a')
    expect(await cli.run('task list', { stdout: closed })).toMatchObject({ code: 0, stderr: '' })
    expect((await cli.run('task add b', { stdout: closed })).code).toBe(1)
  })

  it('reports that a command was carried out when only its output was lost, and why', async () => {
    const gone = await cli.run('task add a --command-id once', { stdout: failing('EPIPE', 'write EPIPE') })
    expect(gone.stderr).toMatch(
      /its reader is gone \(EPIPE\)\. The command was carried out; only its output is missing/,
    )
    const full = failing('ENOSPC', 'ENOSPC: no space left on device, write')
    const again = await cli.run('task add a --command-id once --json', { stdout: full })
    expect([again.code, JSON.parse(again.stderr).error]).toEqual([
      1,
      { code: 'output_closed', message: expect.stringContaining('ENOSPC: no space left on device') },
    ])
    expect(await cli.json('task add a --command-id once')).toMatchObject({ id: '1' })
    expect(await cli.json('task list')).toHaveLength(1)
    // A listing that is cut short by a full disk must not pass for a whole one.
    const listing = await cli.run('task list', { stdout: full })
    expect([listing.code, listing.stderr]).toEqual([1, expect.stringContaining('Nothing was changed.')])
  })
})
