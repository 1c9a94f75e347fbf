import { spawn, spawnSync } from 'node:child_process'
import { closeSync, existsSync, openSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'

// Stands between a test and its server. It does what the lines on its stdin say, answers each with a line, and when
// stdin ends, because the test is done or was killed, it ends the server and removes the folder.

const { bin, folder, data, settings, user } = JSON.parse(process.argv[2])
/** @type {import('node:child_process').ChildProcess | undefined} */
let server
let exited = Promise.resolve()

const orders = {
  async start() {
    for (let tries = 0; ; tries++) {
      const failure = await startOnce()
      if (failure === undefined) return { pid: server.pid }
      // A process that a killed server has forked needs a moment to notice, and keeps its memory until then.
      if (tries === 100 || !/still in use|lock file/.test(failure)) throw new Error(failure)
      await pause(50)
    }
  },
  async stop({ signal }) {
    if (signal === 'SIGKILL') killAll()
    else server?.kill(signal)
    await exited
    return {}
  },
}

/**
 * Everything dies at once, as in a crash of the machine. A single one killed would leave the others waiting for what it
 * had in its hands.
 */
function killAll() {
  if (server?.exitCode !== null || server.signalCode !== null) return
  // Stopped first, so that it starts no process meanwhile.
  server.kill('SIGSTOP')
  const family = childrenOf(server.pid)
  server.kill('SIGKILL')
  for (const pid of family) {
    try {
      process.kill(pid, 'SIGKILL')
    } catch {
      // It has ended by itself.
    }
  }
}

function childrenOf(parent) {
  const table = existsSync('/proc/self/stat')
    ? readdirSync('/proc')
        .filter((name) => /^\d+$/.test(name))
        .map(statusOf)
    : spawnSync('ps', ['-A', '-o', 'pid=,ppid='], { encoding: 'utf8' })
        .stdout.split('\n')
        .map((line) => line.trim().split(/\s+/))
  return table.filter(([, ppid]) => Number(ppid) === parent).map(([pid]) => Number(pid))
}

function statusOf(pid) {
  try {
    const [, ppid] = /^.*\) \S (\d+)/s.exec(readFileSync(`/proc/${pid}/stat`, 'utf8')) ?? []
    return [pid, ppid]
  } catch {
    return [pid, undefined]
  }
}

let turn = Promise.resolve()
const lines = createInterface({ input: process.stdin })
lines.on('line', (line) => {
  const { order, ...about } = JSON.parse(line)
  turn = turn
    .then(() => orders[order](about))
    .then(say, (error) => say({ error: error instanceof Error ? error.message : String(error) }))
})
lines.on('close', async () => {
  // Not waiting for what is being done: a server that cannot start must not outlive its test either.
  server?.kill('SIGQUIT')
  const late = setTimeout(() => server?.kill('SIGKILL'), 5000)
  await exited
  clearTimeout(late)
  rmSync(folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 50 })
  process.exit(0)
})
// Ctrl-C reaches the whole group of a terminal; the test itself decides when the server ends.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => {})

async function startOnce() {
  const path = join(folder, 'log')
  const log = openSync(path, 'a')
  const before = readFileSync(path, 'utf8').length
  const args = ['-D', data, ...Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`])]
  const started = spawn(join(bin, 'postgres'), args, { cwd: '/', stdio: ['ignore', log, log], ...user })
  closeSync(log)
  server = started
  let over = false
  exited = new Promise((resolve) => {
    const end = () => {
      over = true
      resolve()
    }
    started.once('exit', end).once('error', end)
  })
  for (let looks = 0; looks < 6000 && !over; looks++) {
    if (isReady(started.pid)) return undefined
    await pause(10)
  }
  started.kill('SIGQUIT')
  await exited
  return `PostgreSQL did not start: ${readFileSync(path, 'utf8').slice(before).trim()}`
}

/** The server says so in the eighth line of its file, `standby` for one that follows. A killed one leaves its own there. */
function isReady(pid) {
  const lines = textOf(join(data, 'postmaster.pid')).split('\n')
  return Number(lines[0]) === pid && /^(ready|standby)/.test(lines[7] ?? '')
}

/** Empty where it is not there; the file of a killed server goes while we look. */
function textOf(path) {
  try {
    return readFileSync(path, 'utf8')
  } catch (error) {
    if (error.code === 'ENOENT') return ''
    throw error
  }
}

function say(answer) {
  process.stdout.write(`${JSON.stringify(answer)}\n`)
}

function pause(milliseconds) {
  return new Promise((resolve) => setTimeout(resolve, milliseconds))
}
