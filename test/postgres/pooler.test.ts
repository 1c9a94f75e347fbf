import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, chownSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { connect, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { openPostgresStore } from '../../src/stores/postgres/store.ts'
import { idsOf, readAll } from '../../src/testing/contracts/read-all.ts'
import { useDatabase } from './database.ts'

const has = spawnSync('pgbouncer', ['--version']).status === 0
if (!has) console.log('postgres: a real pooler was not tried, because pgbouncer is not installed')

describe.runIf(has)('behind PgBouncer, which gives each transaction another connection', () => {
  const database = useDatabase()

  it('writers of decisions and mail lose nothing and never wait for a lost answer', { timeout: 60_000 }, async () => {
    const port = await startPooler()
    const url = `${through(port)}?pooler=1&schema=pooled`
    // Nothing is sent a second time: one answer that does not come is a failure.
    const timeouts = { statement: 2000, connect: 2000, server: 1 }
    const stores = await Promise.all([1, 2, 3, 4, 5, 6].map(() => openPostgresStore({ url, timeouts, poll: 20 })))
    const logs = await Promise.all(stores.map((store) => store.log('web/journal')))
    await logs[0]!.append([{ id: 'made', after: '' }])
    for (let i = 0; i < 10; i++) {
      const sent = logs.map(async (log, who) => {
        await log.holdBack(i % 4)
        return (await log.append([{ id: `mail${who}.${i}` }])).outcomes
      })
      expect(await Promise.all(sent)).toEqual(logs.map(() => ['accepted']))
    }
    for (const log of logs) expect(new Set(idsOf(await readAll(log))).size).toBe(61)
    for (const store of stores) await store[Symbol.asyncDispose]()
  })

  it('an address without pooler=1 is refused with what to add', async () => {
    const port = await startPooler()
    await expect(openPostgresStore({ url: through(port) })).rejects.toMatchObject({
      code: 'store_refused',
      message: expect.stringContaining('pooler=1'),
    })
  })

  const through = (port: number) => database.server.url.replace(/127\.0\.0\.1:\d+/, `127.0.0.1:${port}`)

  async function startPooler(): Promise<number> {
    const folder = mkdtempSync(join(tmpdir(), 'deskmates-pooler-'))
    const port = await freePort()
    const { username, password } = new URL(database.server.url)
    writeFileSync(join(folder, 'users'), `"${username}" "${password}"\n`)
    writeFileSync(
      join(folder, 'ini'),
      `[databases]\n* = host=127.0.0.1 port=${database.server.port}\n[pgbouncer]\nlisten_addr = 127.0.0.1\n` +
        `listen_port = ${port}\nunix_socket_dir =\nauth_type = plain\nauth_file = ${join(folder, 'users')}\n` +
        'pool_mode = transaction\ndefault_pool_size = 3\n',
    )
    const isRoot = process.getuid?.() === 0
    for (const path of isRoot ? [folder, join(folder, 'users'), join(folder, 'ini')] : []) chownSync(path, 65534, 65534)
    chmodSync(folder, 0o700)
    const user = isRoot ? { uid: 65534, gid: 65534 } : {}
    const pooler = spawn('pgbouncer', [join(folder, 'ini')], { ...user, cwd: '/', stdio: 'ignore' })
    onTestFinished(async () => {
      pooler.kill()
      if (pooler.exitCode === null && pooler.signalCode === null) await once(pooler, 'exit')
      rmSync(folder, { recursive: true, force: true })
    })
    for (let tries = 0; tries < 2000; tries++) if (await answers(port)) return port
    throw new Error('pgbouncer never listened.')
  }
})

function answers(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect({ host: '127.0.0.1', port })
    socket.once('error', () => setTimeout(resolve, 5, false))
    socket.once('connect', () => {
      socket.destroy()
      resolve(true)
    })
  })
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as { port: number }
  server.close()
  return port
}
