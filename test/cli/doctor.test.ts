import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, mkdirSync, mkdtempSync, readdirSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { pathToFileURL } from 'node:url'
import { beforeAll, describe, expect, it } from 'vitest'
import { examinations } from '../../src/cli/doctor/doctor.ts'
import { kill } from '../../src/cli/doctor/kill.ts'
import { race } from '../../src/cli/doctor/race.ts'
import { runtimeOf } from '../../src/stores/identity.ts'
import { buildCli, cli } from '../demo/demo-process.ts'
import { project, readPage } from '../docs/page.ts'
import { startPostgres } from '../postgres/server.mjs'
import { doctorHarness } from './doctor-harness.ts'

beforeAll(buildCli)

describe('two processes that race', () => {
  it('pass on this machine: each task is won by one of them', async () => {
    await using waiting = doctorHarness({ cli })
    expect(await waiting.examine(race)).toMatchObject({
      verdict: 'pass',
      detail: expect.stringMatching(/^20 tasks, each won by one \(ada \d+, bob \d+\); \d+ late claims? w/),
    })
  })

  it('fail when both believe that they have won', async () => {
    await using boasters = await pretending(`
      say({ ready: 20 })
      process.stdin.once('data', () => say(Array.from({ length: 20 }, (_, i) => String(i + 1))))`)
    expect(await boasters.examine(race)).toMatchObject({
      verdict: 'fail',
      detail: 'task 1 was won by ada and bob, instead of by one of two',
      remedy: expect.stringContaining('local disk'),
    })
  })

  it('fail when what one believes is not in the journal', async () => {
    await using dreamers = await pretending(`
      say({ ready: 20 })
      const all = Array.from({ length: 20 }, (_, i) => String(i + 1))
      process.stdin.once('data', () => say(process.argv.includes('ada') ? all : []))`)
    expect(await dreamers.examine(race)).toMatchObject({
      verdict: 'fail',
      detail: 'ada believes it has done task 1, the journal says: pending',
    })
  })

  it('are not passed when one of them cannot be started', async () => {
    await using broken = await pretending("process.stderr.write('no such thing'); process.exit(1)")
    await expect(broken.examine(race)).rejects.toMatchObject({
      code: 'doctor_process_gone',
      message: expect.stringContaining('no such thing'),
    })
  })
})

describe('a killed process', () => {
  it('passes on this machine: the next one gets what it held', async () => {
    await using waiting = doctorHarness({ cli })
    expect(await waiting.examine(kill)).toMatchObject({ verdict: 'pass' })
  })

  it('fails where its death cannot be detected', async () => {
    const library = pathToFileURL(join(project, 'dist', 'index.js')).href
    // Signs as a living process: this is how a dead process looks where its number says nothing.
    await using immortals = await pretending(`
      const { openTeam, openWorkspace } = await import('${library}')
      const { store } = await openWorkspace({ cwd: process.env.DESKMATES_DIR })
      const team = await openTeam(store, 'kill')
      const self = process.env.SOMEBODY_ELSE
      await team.run({ type: 'supervise', runtime: self })
      const { member } = await team.run({ type: 'member.spawn', name: 'cleo', role: 'tester', runtime: self })
      await team.run({ type: 'task.claim', id: '1' }, { by: { name: 'cleo', generation: member.generation, epoch: 1 } })
      await team.run({ type: 'mail.take', member: 'ada', taker: self })
      say({ holding: ['1'] })
      process.stdin.resume()`)
    expect(await immortals.examine(kill)).toMatchObject({
      verdict: 'fail',
      detail: 'the task that a killed process held stays with it',
      remedy: expect.stringContaining('/proc'),
    })
  })
})

describe('deskmates doctor', () => {
  it('examines everything, says so in JSON, and leaves nothing behind', async () => {
    using home = makeHome()
    const before = home.files()
    const { code, stdout, stderr } = await home.run('doctor', '--json')
    expect(stderr).toBe('')
    const all = JSON.parse(stdout)
    expect(all.map(({ name }: { name: string }) => name)).toEqual(examinations.map(({ name }) => name))
    const onDisk = examinations.filter((one) => one.onDisk).map(({ name }) => name)
    for (const { name, verdict, detail, remedy } of all) {
      if (onDisk.includes(name)) expect({ name, verdict, detail }).toMatchObject({ verdict: 'pass' })
      expect(detail).not.toBe('')
      if (verdict === 'pass') expect(remedy).toBeNull()
      else expect(remedy, name).not.toBe('')
    }
    expect(code).toBe(0)
    expect(home.files()).toEqual(before)
    expect(home.processes()).toEqual([])
  })

  it('works where the folder for the teams is still to be made, and does not make it', async () => {
    using home = makeHome()
    const before = home.files()
    home.env.DESKMATES_DIR = join(home.top, 'state', 'of', 'teams')
    const { code, stdout } = await home.run('doctor')
    expect(code).toBe(0)
    expect(stdout).toContain(`free, in ${home.env.DESKMATES_DIR}\n`)
    expect(stdout).toMatch(/^All is well: /m)
    expect(home.files()).toEqual(before)
  })

  it('ends with 1 and names the remedy when something failed, and still leaves nothing behind', async () => {
    using home = makeHome()
    home.program('git', 'echo "fatal: broken" >&2; exit 128')
    const before = home.files()
    const { code, stdout } = await home.run('doctor')
    expect(code).toBe(1)
    expect(stdout).toMatch(/^ {2}fail {11}git .*fatal: broken\n {17}→ Try it by hand/m)
    expect(stdout).toMatch(/^1 thing needs care: /m)
    expect(stdout, 'no colours and no progress in a pipe').not.toContain('\x1b')
    expect(home.files()).toEqual(before)
    expect(home.processes()).toEqual([])
  })

  it('removes everything on Ctrl-C', async () => {
    using home = makeHome()
    // Goes on for ever, in a process that a process of ours has started.
    home.program('git', 'tail -f "$0"; true')
    const before = home.files()
    const child = home.start('doctor')
    await said(child, 'PostgreSQL')
    child.kill('SIGINT')
    const [code] = await once(child, 'close')
    expect(code).toBe(130)
    expect(home.files()).toEqual(before)
    expect(home.processes()).toEqual([])
  })

  it('removes everything when it has to exit early', async () => {
    using home = makeHome()
    // Makes a repository and then never ends.
    const git = execFileSync('sh', ['-c', 'command -v git'], { encoding: 'utf8' }).trim()
    home.program('git', `${git} "$@"; case "$*" in *init*) tail -f "$0";; esac`)
    const before = home.files()
    // As a second Ctrl-C does, which exits at once.
    const exit = `import { readdirSync } from 'node:fs'
      const isThere = () => readdirSync('${home.dir}', { recursive: true }).some((name) => name.endsWith('/git/.git'))
      setInterval(() => { try { if (isThere()) process.exit(7) } catch {} }, 5)`
    home.env.NODE_OPTIONS = `--import "data:text/javascript,${encodeURIComponent(exit)}"`
    expect((await home.run('doctor')).code).toBe(7)
    expect(home.files()).toEqual(before)
    await until(() => home.processes().length === 0)
  })

  it('is cleaned up by the next run after it was killed, and its processes end by themselves', async () => {
    using home = makeHome()
    const before = home.files()
    // One of the two that race is held up, so the other one stands there and waits for a word.
    const hold = `import { existsSync } from 'node:fs'
      import { setTimeout } from 'node:timers/promises'
      while (process.argv.includes('bob') && !existsSync('${home.top}/go')) await setTimeout(20)`
    home.env.NODE_OPTIONS = `--import "data:text/javascript,${encodeURIComponent(hold)}"`
    const child = home.start('doctor')
    await said(child, 'watch')
    await until(() => home.processes().length === 3)
    child.kill('SIGKILL')
    await once(child, 'close')
    expect(readdirSync(home.dir).filter((name) => name.startsWith('.deskmates-doctor-'))).toHaveLength(1)
    writeFileSync(join(home.top, 'go'), '')
    await until(() => home.processes().length === 0)
    rmSync(join(home.top, 'go'))
    delete home.env.NODE_OPTIONS
    expect((await home.run('doctor', '--json')).code).toBe(0)
    expect(home.files()).toEqual(before)
  })

  it('tests a real PostgreSQL server, and leaves no team there', async () => {
    using home = makeHome()
    await using server = await startPostgres()
    home.env.DESKMATES_STORE = server.url
    const { code, stdout, stderr } = await home.run('doctor', '--json')
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
    expect(JSON.parse(stdout)).toContainEqual({
      name: 'PostgreSQL',
      verdict: 'pass',
      detail: expect.stringMatching(
        /^10 tasks, each won by one of two connections.*; a notification came \d+ ms after/,
      ),
      remedy: null,
    })
    expect((await home.run('team', 'list', '--json')).stdout).toBe('[]\n')
  })

  it('refuses an invalid store before it creates anything', async () => {
    using home = makeHome()
    expect(await home.run('doctor', '--store', 'mysql://x')).toMatchObject({ code: 2, stdout: '' })
  })

  it('does not show in its help how it starts its own processes', async () => {
    using home = makeHome()
    const { stdout } = await home.run('doctor', '--help')
    expect(stdout).toContain('deskmates doctor --json')
    expect(stdout).not.toContain('--play')
  })

  it('prints what docs/commands.md shows', async () => {
    const shown = readPage('docs/commands.md')
      .section('## The doctor')
      .match(/^\[\n[\s\S]*?^\]$/m)
    const all = JSON.parse(shown?.[0] ?? 'null')
    expect(all.map(({ name }: { name: string }) => name)).toEqual(examinations.map(({ name }) => name))
    for (const one of all) expect(Object.keys(one)).toEqual(['name', 'verdict', 'detail', 'remedy'])
  })
})

describe('every examination', () => {
  it.each(examinations.map(({ name, remedy }) => [name, remedy]))('has a remedy: %s', (_name, remedy) => {
    expect(remedy.length).toBeGreaterThan(20)
  })
})

/** A waiting environment whose processes are not ours but run this program. */
async function pretending(program: string) {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'deskmates-doctor-cli-')))
  const path = join(folder, 'cli.mjs')
  const say = "const say = (what) => process.stdout.write(JSON.stringify(what) + '\\n')"
  writeFileSync(path, `${say}\n${program}\n`)
  const waiting = doctorHarness({ cli: path, env: { SOMEBODY_ELSE: runtimeOf(process.ppid) } })
  return {
    examine: waiting.examine,
    async [Symbol.asyncDispose]() {
      await waiting[Symbol.asyncDispose]()
      rmSync(folder, { recursive: true })
    },
  }
}

/** A home and, in it, a project with a repository; all that is found and run in there is this test's own. */
function makeHome() {
  const top = realpathSync(mkdtempSync(join(tmpdir(), 'deskmates-doctor-home-')))
  const [dir, programs, temporary] = ['work', 'bin', 'tmp'].map((name) => join(top, name)) as [string, string, string]
  for (const folder of [dir, programs, temporary]) mkdirSync(folder)
  execFileSync('git', ['init', '--quiet', '--template=', dir])
  const { DESKMATES_AGENT: _1, DESKMATES_DIR: _2, DESKMATES_STORE: _3, NODE_OPTIONS: _4, ...inherited } = process.env
  const path = [programs, process.env.PATH].join(delimiter)
  const env: NodeJS.ProcessEnv = { ...inherited, PATH: path, HOME: top, TMPDIR: temporary, XDG_STATE_HOME: undefined }
  const children: ChildProcess[] = []

  function start(...words: string[]): ChildProcess {
    const child = spawn(process.execPath, [cli, ...words], { cwd: dir, env, stdio: ['ignore', 'pipe', 'pipe'] })
    children.push(child)
    return child
  }

  return {
    top,
    dir,
    env,
    start,
    program(name: string, script: string) {
      writeFileSync(join(programs, name), `#!/bin/sh\n${script}\n`)
      chmodSync(join(programs, name), 0o755)
    },
    async run(...words: string[]) {
      const child = start(...words)
      const said = { stdout: '', stderr: '' }
      for (const name of ['stdout', 'stderr'] as const) {
        child[name]?.on('data', (chunk) => {
          said[name] += chunk
        })
      }
      const [code] = await once(child, 'close')
      return { code, ...said }
    },
    /** Everything that lies around, also where things are put that are meant to be forgotten. */
    files: () => readdirSync(top, { recursive: true, encoding: 'utf8' }).sort(),
    /** Those that work in here. */
    processes: () =>
      execFileSync('ps', ['-A', '-o', 'pid=,ppid=,args='], { encoding: 'utf8' })
        .split('\n')
        .filter((line) => line.includes(`${top}/`) || children.some(({ pid }) => line.trim().startsWith(`${pid} `)))
        .filter((line) => !line.includes('<defunct>')),
    [Symbol.dispose]() {
      for (const child of children) child.kill('SIGKILL')
      rmSync(top, { recursive: true, force: true })
    },
  }
}

/** Ends by itself in ten seconds: what does not come by then does not come. */
async function until(isSo: () => boolean): Promise<void> {
  for (let turn = 0; turn < 500 && !isSo(); turn++) await pause(20)
  expect(isSo()).toBe(true)
}

/** Resolves when the text was printed on stdout. */
async function said({ stdout }: ChildProcess, text: string): Promise<void> {
  let seen = ''
  await new Promise<void>((resolve, reject) => {
    stdout?.on('data', (chunk) => {
      seen += chunk
      if (seen.includes(text)) resolve()
    })
    stdout?.once('end', () => reject(new Error(`ended without ${text}: ${seen}`)))
  })
}
