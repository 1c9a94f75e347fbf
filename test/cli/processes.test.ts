import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { systemClock } from '../../src/journal/clock.ts'
import { isGroupAlive } from '../../src/permissions/processes/process-group.ts'
import { type CommandHarness, commandHarness } from './command-harness.ts'

const cli = fileURLToPath(new URL('../../dist/cli.js', import.meta.url))
let harness: CommandHarness
let children: ChildProcess[]
// Builds what is not built yet, so that below nothing but the command itself is run.
beforeAll(async () => {
  await promisify(execFile)(process.execPath, [fileURLToPath(new URL('../../bin/deskmates', import.meta.url)), '-V'])
})
beforeEach(() => {
  harness = commandHarness()
  children = []
})
afterEach(() => {
  for (const child of children) child.kill('SIGKILL')
  harness.close()
})

const options = () => ({ cwd: harness.dir, env: { ...process.env, ...harness.env } })

/** What only prepares a test is run in this process. */
const ok = (words: string) => harness.ok(words, { clock: systemClock })
const json = (words: string) => harness.json(words, { clock: systemClock })

function start(...argv: string[]): ChildProcess {
  const child = spawn(process.execPath, [cli, ...argv], { ...options(), stdio: 'pipe' })
  children.push(child)
  return child
}

function run(...argv: string[]): Promise<{ code: number; stdout: string; stderr: string }> {
  return new Promise((resolve) => {
    const limits = { ...options(), maxBuffer: 1 << 28 }
    const child = execFile(process.execPath, [cli, ...argv], limits, (error, stdout, stderr) =>
      resolve({ code: typeof error?.code === 'number' ? error.code : error ? -1 : 0, stdout, stderr }),
    )
    child.stdin?.end()
  })
}

async function ended(child: ChildProcess): Promise<{ code: number | null; signal: string | null }> {
  if (child.exitCode === null && child.signalCode === null) await once(child, 'exit')
  return { code: child.exitCode, signal: child.signalCode }
}

/** Resolves when the text was printed on stdout. */
async function printed(child: ChildProcess, text: string): Promise<string> {
  let seen = ''
  for await (const chunk of child.stdout!) {
    seen += chunk
    if (seen.includes(text)) return seen
  }
  throw new Error(`ended without ${text}: ${seen}`)
}

describe('the command as a process', () => {
  it('takes no mail when stdout is closed, full or gone, and says so', async () => {
    await ok('team create web')
    await ok('team join ci --role bot --team web')
    await ok('send ci hello --team web')
    const shell = (to: string) =>
      new Promise<{ code: number; stderr: string }>((resolve) => {
        const line = `'${process.execPath}' '${cli}' inbox ci --take --team web ${to}`
        execFile('/bin/sh', ['-c', line], options(), (error, _, stderr) =>
          resolve({ code: typeof error?.code === 'number' ? error.code : 0, stderr }),
        )
      })
    for (const to of ['>&-', '>/dev/full', '--json >&-', '--json >/dev/full']) {
      const { code, stderr } = await shell(to)
      expect(code, to).toBe(1)
      expect(stderr, to).toContain('Nothing is marked as read')
      expect(await json('inbox ci --team web --json'), to).toHaveLength(1)
    }
    expect((await shell('>/dev/null')).code).toBe(0)
    expect(await json('inbox ci --team web --json')).toEqual([])
  }, 60_000) // T52

  it('says that the demo cannot write to a folder, and ends', async () => {
    writeFileSync(join(harness.dir, 'file'), '')
    for (const dir of ['/proc/x', '/proc/x/y', '/dev/full/x', '/sys/x/y', join(harness.dir, 'file', 'x')]) {
      const { code, stderr } = await run('demo', '--dir', dir)
      expect(stderr, dir).toContain(`The demo cannot write to ${dir}`)
      expect(stderr, dir).toContain('--dir /tmp/demo')
      expect(code, dir).toBe(1)
    }
  }, 60_000) // T53

  it('prints its version, data on stdout, messages on stderr, and ends with the right exit code', async () => {
    const [version, listed, refused, misused] = await Promise.all([
      run('--version'),
      run('task', 'list', '--json'),
      run('task', 'show', '1'),
      run('nonsense'),
    ])
    expect(version).toMatchObject({ code: 0, stderr: '' })
    expect(version.stdout).toMatch(/^\d+\.\d+\.\d+\n$/)
    expect(listed).toEqual({ code: 0, stdout: '[]\n', stderr: '' })
    expect(refused).toMatchObject({ code: 1, stdout: '' })
    expect(misused).toMatchObject({ code: 2, stdout: '' })
  })

  it('reads a message from stdin', async () => {
    await ok('team join ada --role dev')
    const child = start('send', 'ada', '-')
    child.stdin!.end('line one\nline two\n')
    expect(await ended(child)).toEqual({ code: 0, signal: null })
    expect(await json('inbox ada')).toMatchObject([{ content: 'line one\nline two' }])
  })

  it('gives one task to one of several processes that claim at once', async () => {
    const names = ['a', 'b', 'c', 'd']
    for (const name of names) await ok(`team join ${name} --role dev`)
    for (const subject of ['one', 'two']) await ok(`task add ${subject}`)
    const claims = await Promise.all(names.map((name) => run('task', 'claim', '--as', name, '--json')))
    const tasks = claims.map(({ stdout }) => JSON.parse(stdout)).filter((task) => task !== null)
    expect(tasks.map(({ id }) => id).sort()).toEqual(['1', '2'])
    expect(claims.map(({ code }) => code)).toEqual([0, 0, 0, 0])
    await ok('check')
  }) // A79, B62, F7, F22

  it('stops waiting on Ctrl-C with 130, on SIGTERM with 143', async () => {
    await ok('team join ada --role dev')
    for (const [signal, code] of [
      ['SIGINT', 130],
      ['SIGTERM', 143],
    ] as const) {
      const child = start('log', '--follow')
      await printed(child, 'ada joined')
      child.kill(signal)
      expect(await ended(child)).toEqual({ code, signal: null })
    }
    const waiting = start('task', 'claim', '--as', 'ada', '--wait')
    const following = start('log', '--follow')
    await printed(following, 'ada joined')
    waiting.kill('SIGINT')
    // Before its handler is there the signal itself ends it, which a shell shows as 130 too.
    expect([130, null]).toContain((await ended(waiting)).code)
  })

  it('leaves no command of an agent running when the terminal closes or a second signal arrives', async () => {
    const script = join(harness.dir, 'script.json')
    const stubborn = 'trap "" INT HUP; trap "echo > asked" TERM; echo $$ > pid; while :; do sleep 1; done'
    writeFileSync(script, JSON.stringify({ parts: [{ calls: [{ tool: 'bash', input: { command: stubborn } }] }] }))
    const has = (file: string) => existsSync(join(harness.dir, file)) && harness.read(file) !== ''
    for (const [signals, code] of [
      [['SIGHUP'], 129],
      [['SIGINT', 'SIGINT'], 130],
    ] as const) {
      const child = start('-p', 'go', '-m', `scripted:${script}`, '--permission-mode', 'bypassPermissions')
      child.stdin!.end()
      let said = ''
      child.stderr!.on('data', (text) => {
        said += text
      })
      while (!has('pid') && child.exitCode === null) await pause(20)
      const pid = Number(harness.read('pid'))
      try {
        for (const signal of signals) {
          child.kill(signal)
          while (!has('asked') && child.exitCode === null) await pause(20)
        }
        expect(await ended(child), said).toEqual({ code, signal: null })
        expect(isGroupAlive(pid)).toBe(false)
      } finally {
        if (isGroupAlive(pid)) process.kill(-pid, 'SIGKILL')
        for (const file of ['pid', 'asked']) rmSync(join(harness.dir, file), { force: true })
      }
    }
  }) // F38

  it('ends together with the teammates it hosts, without stopping or awaiting any first', async () => {
    const script = join(harness.dir, 'script.json')
    const parts = [
      { agent: 'lead', when: { user: 'go' }, calls: [{ tool: 'Task', input: { name: 'ada', prompt: 'Hello.' } }] },
      { agent: ['lead', 'ada'], times: 'always', text: 'Here.' },
    ]
    writeFileSync(script, JSON.stringify({ parts }))
    await ok('team create web')
    const { code, stderr } = await run('-p', 'go', '-m', `scripted:${script}`, '--team', 'web')
    expect([code, stderr.replace(/^.*Commands run without a sandbox.*\n/m, '')]).toEqual([0, ''])
    const { state, members } = await json('status web')
    expect(state).toBe('at rest')
    expect(members).toMatchObject([{ name: 'lead' }, { name: 'ada', status: 'idle' }])
    const journal = harness.read('.teams/web/journal.jsonl')
    await json('resume')
    expect(harness.read('.teams/web/journal.jsonl'), 'no process writes any more').toBe(journal)
  }) // A5

  it('ends quietly when the reader of a log goes away', async () => {
    await ok('task add x')
    const child = start('log', '--follow')
    await printed(child, 'added task')
    child.stdout!.destroy()
    await ok('task add y')
    expect(await ended(child)).toEqual({ code: 0, signal: null })
  })

  it('wakes a waiting claim when another process adds a task', async () => {
    await ok('team join ada --role dev')
    const waiting = start('task', 'claim', '--as', 'ada', '--wait', '--json')
    await ok('task add x')
    expect(JSON.parse(await printed(waiting, '\n'))).toMatchObject({ id: '1', owner: 'ada' })
    expect((await ended(waiting)).code).toBe(0)
  }) // A80

  it('killed between printing and acknowledging, leaves the mail to the next reader, marked', async () => {
    await ok('team join ada --role dev')
    const child = start('send', 'ada', '-')
    child.stdin!.end('x'.repeat(1_000_000))
    await ended(child)
    // No process reads its stdout, so it blocks on a full pipe: printed in part, not acknowledged.
    const taker = start('inbox', 'ada', '--take')
    while (!(await ok('log --json --member ada')).includes('"mail.taken"')) await pause(20)
    expect(await json('inbox ada --take')).toEqual([])
    taker.kill('SIGKILL')
    await ended(taker)
    const again = await json('inbox ada --take')
    expect(again).toMatchObject([{ from: 'user', redelivered: true }])
    expect(await json('inbox ada')).toEqual([])
  }) // F1, F2
})
