import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { describe, expect, it, onTestFinished } from 'vitest'
import { systemBinaries } from './binaries.mjs'
import { askOnce as ask } from './database.ts'
import { startPostgres } from './server.mjs'

describe.each(['system', 'embedded'] as const)('a test server from %s programs', (from) => {
  it('syncs, keeps what it has over a crash and a restart, and hands over to a standby', async ({ skip }) => {
    skip(from === 'system' && systemBinaries() === undefined, 'PostgreSQL is not installed here')
    await using server = await startPostgres({ from, walSegment: 1 })
    expect(server.source).toBe(from)
    await ask(server.url, 'create table kept (n int); insert into kept values (1)')
    expect(await ask(server.url, 'show fsync')).toEqual([{ fsync: 'on' }])
    const first = server.pid
    await server.kill()
    await expect(ask(server.url, 'select 1')).rejects.toThrow()
    await server.start()
    expect(server.pid).not.toBe(first)
    await server.restart()
    const standby = await server.standby()
    expect(await ask(standby.url, 'select n, pg_is_in_recovery() as follows from kept')).toEqual([
      { n: 1, follows: true },
    ])
    await server.kill()
    await standby.promote()
    await ask(standby.url, 'insert into kept values (2)')
    expect(await ask(standby.url, 'select n from kept order by n')).toEqual([{ n: 1 }, { n: 2 }])
  })
})

it('a test server ends, and its folder goes, when the process that started it is killed', async () => {
  const program = `
    import { startPostgres } from ${JSON.stringify(fileURLToPath(new URL('./server.mjs', import.meta.url)))}
    const { pid, folder } = await startPostgres()
    console.log(JSON.stringify({ pid, folder }))
    setInterval(() => {}, 1000)`
  const args = ['--input-type=module', '-e', program]
  const starter = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] })
  onTestFinished(() => void starter.kill('SIGKILL'))
  const [line] = await once(starter.stdout, 'data')
  const { pid, folder } = JSON.parse(String(line))
  expect(isRunning(pid)).toBe(true)
  starter.kill('SIGKILL')
  for (let looks = 0; looks < 1000 && (isRunning(pid) || existsSync(folder)); looks++) {
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
  expect(isRunning(pid)).toBe(false)
  expect(existsSync(folder)).toBe(false)
})

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch {
    return false
  }
}
