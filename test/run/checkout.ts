import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const project = dirname(dirname(dirname(fileURLToPath(import.meta.url))))

export interface Checkout extends Disposable {
  /** A copy of our scripts around a tiny project, in a path with spaces. */
  readonly root: string
  path(name: string): string
  read(name: string): string
  write(name: string, content: string): void
  /** How often npm ran, with which arguments. */
  npmCalls(): string[]
  /** Runs `node scripts/run.mjs …` to its end. */
  run(args: string[], options?: Options): Promise<Ended>
  /** Runs `bin/deskmates …` to its end. */
  deskmates(args: string[], options?: Options): Promise<Ended>
  /** Starts `node scripts/run.mjs …`; the checkout ends what is left of it. */
  start(args: string[], options?: Options): Running
}

export interface Options {
  env?: Record<string, string>
  /** JavaScript that runs before ours, to put on another Node version or platform. */
  preload?: string
  uid?: number
}

export interface Ended {
  code: number | null
  stdout: string
  stderr: string
}

export interface Running {
  child: ChildProcess
  ended: Promise<Ended>
  /** Resolves once stderr contains the text, or the process has ended. */
  says(text: string): Promise<void>
  /** Kills it as nothing can be caught. What it had started lives on, as in a real kill. */
  kill(): Promise<void>
}

/** A project whose npm, tsdown, tsc, biome and vitest are the small programs below. */
export function makeCheckout(): Checkout {
  const home = mkdtempSync(join(tmpdir(), 'deskmates-run-'))
  chmodSync(home, 0o755)
  const root = join(home, 'a check out')
  const tools = join(home, 'tools')
  const path = (name: string) => join(root, name)
  const read = (name: string) => readFileSync(path(name), 'utf8')
  const write = (name: string, content: string) => {
    mkdirSync(dirname(path(name)), { recursive: true })
    writeFileSync(path(name), content)
  }
  for (const folder of ['scripts', 'bin']) cpSync(join(project, folder), join(root, folder), { recursive: true })
  write('package.json', '{ "name": "tiny", "version": "1.0.0", "type": "module" }')
  write('package-lock.json', '{ "lockfileVersion": 3, "packages": { "": {} } }')
  write('tsconfig.json', '{}')
  write('tsdown.config.ts', '')
  write('src/index.ts', 'first')
  mkdirSync(tools)
  writeFileSync(join(tools, 'npm'), fakeNpm, { mode: 0o755 })

  const running = new Set<ChildProcess>()
  const launch = (program: string, args: string[], { env, preload, uid }: Options = {}): Running => {
    const before = preload === undefined ? [] : ['-r', join(home, 'preload.cjs')]
    if (preload !== undefined) writeFileSync(join(home, 'preload.cjs'), preload)
    const child = spawn(process.execPath, [...before, path(program), ...args], {
      cwd: tmpdir(),
      env: { ...process.env, PATH: `${tools}${delimiter}${process.env.PATH}`, FAKE_HOME: home, ...env },
      stdio: ['ignore', 'pipe', 'pipe'],
      ...(uid === undefined ? {} : { uid, gid: uid }),
    })
    running.add(child)
    const result = { stdout: '', stderr: '' }
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      result.stdout += text
    })
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      result.stderr += text
    })
    const ended = once(child, 'close').then(([code]) => ({ code, ...result }))
    const says = (text: string) =>
      new Promise<void>((resolve) => {
        const look = () => {
          if (result.stderr.includes(text) || child.exitCode !== null) resolve()
        }
        child.stderr.on('data', look)
        child.on('exit', look)
        look()
      })
    const kill = async () => {
      child.kill('SIGKILL')
      // Not 'close': the orphan holds on to the streams.
      await once(child, 'exit')
    }
    return { child, ended, says, kill }
  }

  return {
    root,
    path,
    read,
    write,
    npmCalls: () => {
      const log = join(home, 'npm.log')
      return existsSync(log) ? readFileSync(log, 'utf8').trim().split('\n') : []
    },
    run: (args, options) => launch('scripts/run.mjs', args, options).ended,
    deskmates: (args, options) => launch('bin/deskmates', args, options).ended,
    start: (args, options) => launch('scripts/run.mjs', args, options),
    [Symbol.dispose]() {
      for (const child of running) child.kill('SIGKILL')
      // Programs told to hang write down who they are.
      for (const name of ['npm.pid', 'tsdown.pid']) {
        if (existsSync(join(home, name))) endProcess(Number(readFileSync(join(home, name), 'utf8')))
      }
      rmSync(home, { recursive: true, force: true, maxRetries: 5 })
    },
  }
}

function endProcess(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL')
  } catch {
    // It has ended by itself.
  }
}

/** FAKE_NPM: 'hang' = stop half way for ever; 'wait' = go on once the file `go` exists. */
const fakeNpm = `#!${process.execPath}
const fs = require('node:fs')
const home = process.env.FAKE_HOME
fs.appendFileSync(home + '/npm.log', process.argv.slice(2).join(' ') + '\\n')
fs.mkdirSync('node_modules/.bin', { recursive: true })
console.log('npm talks on stdout')
if (process.env.FAKE_NPM === 'hang') {
  fs.writeFileSync(home + '/npm.pid', String(process.pid))
  console.error('npm hangs')
  setInterval(() => {}, 1000)
} else {
  const timer = setInterval(() => {
    if (process.env.FAKE_NPM === 'wait' && !fs.existsSync(home + '/go')) return
    clearInterval(timer)
    for (const [name, source] of Object.entries(${JSON.stringify({
      tsdown: fakeTsdown(),
      tsc: 'process.exitCode = Number(process.env.FAKE_TSC ?? 0)',
      biome: 'process.exitCode = Number(process.env.FAKE_BIOME ?? 0); console.log("biome has spoken")',
      vitest: fakeVitest(),
    })})) fs.writeFileSync('node_modules/.bin/' + name, source)
  }, 10)
}
`

/** Builds a cli.js that prints its arguments and what src/index.ts was. FAKE_TSDOWN: 'hang' half way, or 'fail'. */
function fakeTsdown(): string {
  return `
const fs = require('node:fs')
const out = process.argv[process.argv.indexOf('--out-dir') + 1]
if (process.env.FAKE_TSDOWN === 'fail') { console.error('tsdown names a mistake'); process.exit(1) }
fs.mkdirSync(out, { recursive: true })
fs.writeFileSync(out + '/half.js', '')
if (process.env.FAKE_TSDOWN === 'hang') {
  fs.writeFileSync(process.env.FAKE_HOME + '/tsdown.pid', String(process.pid))
  setInterval(() => {}, 1000)
} else {
  const source = JSON.stringify(fs.readFileSync('src/index.ts', 'utf8'))
  fs.writeFileSync(out + '/cli.js', 'console.log(' + source + ', ...process.argv.slice(2)); process.exitCode = process.argv[2] === "fail" ? 4 : 0')
}
`
}

/** Reports FAKE_REPORT, ends with FAKE_VITEST. */
function fakeVitest(): string {
  return `
const file = process.argv.find((arg) => arg.startsWith('--outputFile.json=')).split('=')[1]
if (process.env.FAKE_REPORT) require('node:fs').writeFileSync(file, process.env.FAKE_REPORT)
console.log('vitest ' + process.argv.slice(2).filter((arg) => !arg.startsWith('--')).join(' ') + ' soak=' + process.env.DESKMATES_SOAK)
process.exitCode = Number(process.env.FAKE_VITEST ?? 0)
`
}
