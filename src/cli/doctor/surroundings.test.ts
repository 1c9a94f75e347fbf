import { execFileSync } from 'node:child_process'
import { beforeEach, describe, expect, it } from 'vitest'
import { doctorHarness } from '../../../test/cli/doctor-harness.ts'
import { git } from './git.ts'
import { inboxFile } from './inbox-file.ts'
import { sandbox } from './sandbox.ts'
import { terminal } from './terminal.ts'

/** A search that does not find it, and one that is not allowed to run what it finds. */
const missing = [
  ['not there', { env: { PATH: '/nowhere' } }],
  ['out of reach', { onlyOwnPrograms: true }],
] as const

describe('the inbox file', () => {
  it('passes on this machine: a foreign line arrives once', async () => {
    await using waiting = doctorHarness()
    expect(await waiting.examine(inboxFile)).toMatchObject({ verdict: 'pass' })
  })

  it('fails when one echo appends two lines', async () => {
    await using waiting = doctorHarness()
    waiting.program('sh', '/bin/sh "$@"\n/bin/sh "$@"')
    expect(await waiting.examine(inboxFile)).toMatchObject({
      verdict: 'fail',
      detail: expect.stringContaining('arrived 2 times'),
      remedy: expect.stringContaining('deskmates inbox lead'),
    })
  })

  it('fails when a program may not append', async () => {
    await using waiting = doctorHarness()
    waiting.program('sh', 'echo "no such thing" >&2; exit 1')
    expect(await waiting.examine(inboxFile)).toMatchObject({
      verdict: 'fail',
      detail: expect.stringContaining('no such thing'),
    })
  })
})

describe('git', () => {
  it('passes on this machine, even if the environment names another repository', async () => {
    await using waiting = doctorHarness({ env: { GIT_DIR: '/nowhere', GIT_WORK_TREE: '/nowhere' } })
    expect(await waiting.examine(git)).toMatchObject({
      verdict: 'pass',
      detail: expect.stringMatching(/^git version \d.* leaves \.teams and \.tasks alone$/),
    })
  })

  it.each(missing)('is not available where it is %s, and says how to get it', async (_, machine) => {
    await using waiting = doctorHarness(machine)
    waiting.program('git', 'exit 1', 0o644)
    expect(await waiting.examine(git)).toMatchObject({
      verdict: 'not available',
      detail: 'git is not installed',
      remedy: expect.stringContaining('install git'),
    })
  })

  it('fails when it sees the files of a team', async () => {
    await using waiting = doctorHarness()
    const real = execFileSync('sh', ['-c', 'command -v git'], { encoding: 'utf8' }).trim()
    waiting.program('git', `case "$*" in *status*) echo "?? .teams/";; *) ${real} "$@";; esac`)
    expect(await waiting.examine(git)).toMatchObject({
      verdict: 'fail',
      detail: expect.stringContaining('?? .teams/'),
      remedy: expect.stringContaining('git status'),
    })
  })

  it('fails when git uses another folder than deskmates', async () => {
    await using waiting = doctorHarness()
    waiting.program('git', 'case "$*" in *rev-parse*) echo /elsewhere;; esac')
    expect(await waiting.examine(git)).toMatchObject({
      verdict: 'fail',
      detail: expect.stringContaining('/elsewhere'),
    })
  })

  it('is not passed by a git that does not work', async () => {
    await using waiting = doctorHarness()
    waiting.program('git', 'echo "fatal: broken" >&2; exit 128')
    await expect(waiting.examine(git)).rejects.toMatchObject({
      code: 'git_failed',
      message: expect.stringContaining('fatal: broken'),
    })
  })
})

describe('the terminal', () => {
  const screen = (columns: number) => ({ write: (_: string, done: () => void) => done(), columns })

  it('passes with its width and colours', async () => {
    await using waiting = doctorHarness({ call: { isTerminal: true, stdout: screen(120) } })
    expect(await waiting.examine(terminal)).toEqual({ verdict: 'pass', detail: '120 columns, colours' })
  })

  it.each([
    [{ NO_COLOR: '1' }, 'NO_COLOR is set'],
    [{ TERM: 'dumb' }, 'TERM is dumb'],
  ])('says why there are no colours: %j', async (env, reason) => {
    await using waiting = doctorHarness({ env, call: { isTerminal: true, stdout: screen(0) } })
    expect(await waiting.examine(terminal)).toEqual({
      verdict: 'pass',
      detail: `width unknown, no colours (${reason})`,
    })
  })

  it('is not available in a pipe', async () => {
    await using waiting = doctorHarness()
    expect(await waiting.examine(terminal)).toMatchObject({
      verdict: 'not available',
      remedy: 'Run deskmates doctor in a terminal',
    })
  })

  it('fails when nothing fits into it', async () => {
    await using waiting = doctorHarness({ call: { isTerminal: true, stdout: screen(30) } })
    expect(await waiting.examine(terminal)).toMatchObject({
      verdict: 'fail',
      remedy: expect.stringContaining('80 columns'),
    })
  })
})

describe('the sandbox', () => {
  beforeEach(({ skip }) => skip(process.platform !== 'linux', 'bubblewrap needs Linux'))
  const interfaces = (name: string) => `printf 'Inter-|\\n  face |\\n    lo: 0\\n  ${name}: 0\\n'`

  it('passes on this machine, or is not available and says what to do', async () => {
    await using waiting = doctorHarness()
    const finding = await waiting.examine(sandbox)
    expect(['pass', 'not available']).toContain(finding.verdict)
    expect(finding.detail).toContain('bubblewrap')
    if (finding.verdict !== 'pass') expect(finding.remedy).not.toBe('')
  })

  it.each(missing)('is not available where bubblewrap is %s, and names the package', async (_, machine) => {
    await using waiting = doctorHarness(machine)
    waiting.program('bwrap', 'exit 1', 0o644)
    expect(await waiting.examine(sandbox)).toMatchObject({
      verdict: 'not available',
      detail: 'bubblewrap (bwrap) is not installed',
      remedy: expect.stringContaining('apt install bubblewrap'),
    })
  })

  it('is not available where user namespaces are forbidden, with the cause', async () => {
    await using waiting = doctorHarness()
    waiting.program('bwrap', 'echo "bwrap: setting up uid map: Permission denied" >&2; exit 1')
    expect(await waiting.examine(sandbox)).toMatchObject({
      verdict: 'not available',
      detail: 'bubblewrap does not work here: bwrap: setting up uid map: Permission denied',
      remedy: expect.stringMatching(/user namespaces/i),
    })
  })

  it('passes a boundary that nothing gets through', async () => {
    await using waiting = doctorHarness()
    waiting.program('bwrap', interfaces('lo'))
    expect(await waiting.examine(sandbox)).toMatchObject({ verdict: 'pass' })
  })

  it('fails when a command gets out and writes', async () => {
    await using waiting = doctorHarness()
    waiting.program('bwrap', 'while [ "$1" != sh ]; do shift; done; exec "$@"')
    expect(await waiting.examine(sandbox)).toMatchObject({
      verdict: 'fail',
      detail: 'a command in bubblewrap wrote a file outside of it',
      remedy: expect.stringContaining('the real one'),
    })
  })

  it('fails when a command sees a network', async () => {
    await using waiting = doctorHarness()
    waiting.program('bwrap', interfaces('eth0'))
    expect(await waiting.examine(sandbox)).toMatchObject({ verdict: 'fail', detail: expect.stringContaining('eth0') })
  })
})
