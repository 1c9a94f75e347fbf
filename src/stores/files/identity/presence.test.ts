import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { runtimeOf, thisRuntime } from '../../identity.ts'
import { realDisk } from '../disk.ts'
import { createFilePresence } from './presence.ts'

let dir: string
let now: number
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'deskmates-presence-'))
  now = 1_700_000_000_000
})
const children: ChildProcess[] = []
afterEach(() => {
  for (const child of children.splice(0)) child.kill('SIGKILL')
  rmSync(dir, { recursive: true, force: true })
})

const open = () => createFilePresence({ dir, disk: realDisk, clock: { now: () => now } })
const folder = () => join(dir, '.teams/web/presence')
const files = () => readdirSync(folder()).sort()

/** A runtime of its own that has announced itself in `web` just now. */
async function neighbour() {
  const child = spawn(process.execPath, ['-e', 'process.stdin.resume(); console.log("up")'], {
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  children.push(child)
  await once(child.stdout, 'data')
  const runtime = runtimeOf(child.pid!)
  mkdirSync(folder(), { recursive: true })
  writeFileSync(join(folder(), `${runtime}.json`), JSON.stringify({ runtime, renewedAt: now / 1000 }))
  return {
    runtime,
    signal: (signal: NodeJS.Signals) => child.kill(signal),
    async kill() {
      const gone = once(child, 'exit')
      child.kill('SIGKILL')
      await gone
    },
  }
}

describe('presence in files', () => {
  it('is announced, renewed and withdrawn in one file per process', async () => {
    const presence = open()
    await presence.announce('web')
    const file = join(folder(), `${thisRuntime()}.json`)
    const first = JSON.parse(readFileSync(file, 'utf8'))
    expect(first).toMatchObject({ runtime: presence.self, pid: process.pid, announcedAt: 1_700_000_000 })
    expect(statSync(file).mode & 0o777).toBe(0o600)

    now += 5_500
    await presence.renew('web')
    expect(JSON.parse(readFileSync(file, 'utf8'))).toEqual({ ...first, renewedAt: 1_700_000_005.5 })
    expect(presence.present('web')).toEqual([{ runtime: presence.self, state: 'alive', renewedAt: 1_700_000_005.5 }])

    await presence.withdraw('web')
    await presence.withdraw('web')
    expect(files()).toEqual([])
    expect(presence.present('web')).toEqual([])
  })

  it('is seen by every other handle until the process dies', async () => {
    const other = await neighbour()
    const presence = open()
    expect(await presence.look(other.runtime)).toBe('alive')
    await other.kill()
    expect(await presence.look(other.runtime)).toBe('dead')
    expect(presence.present('web')).toMatchObject([{ runtime: other.runtime, state: 'dead' }])
  }) // F33

  it('of a live but silent process never ends', async () => {
    const other = await neighbour()
    other.signal('SIGSTOP')
    now += 24 * 3_600_000
    const presence = open()
    expect(await presence.look(other.runtime)).toBe('alive')
    await presence.announce('web')
    expect(presence.present('web').map((one) => one.state)).toEqual(['alive', 'alive'])
    await other.kill()
  }) // F46

  it('removes files of dead processes, also unfinished ones, and no others', async () => {
    const other = await neighbour()
    const elsewhere = thisRuntime().replace(/^r-\w{12}/, 'r-0123456789ab')
    for (const name of [`${other.runtime}.json.01ABC.new`, `${elsewhere}.json`, 'notes.txt', 'r-garbage.json']) {
      writeFileSync(join(folder(), name), 'not even JSON')
    }
    await other.kill()
    await open().announce('web')
    expect(files()).toEqual([`${elsewhere}.json`, `${thisRuntime()}.json`, 'notes.txt', 'r-garbage.json'].sort())
  }) // F33

  it('is read from the name of a file whose content is broken', async () => {
    const presence = open()
    await presence.announce('web')
    writeFileSync(join(folder(), `${presence.self}.json`), '{"renewedAt":"soon"')
    expect(presence.present('web')).toEqual([{ runtime: presence.self, state: 'alive', renewedAt: undefined }])
    await presence.renew('web')
    expect(presence.present('web')).toMatchObject([{ renewedAt: 1_700_000_000 }])
  })

  it('is written again into a deleted folder, but not into a removed team', async () => {
    const presence = open()
    await presence.announce('web')
    rmSync(folder(), { recursive: true })
    await presence.renew('web')
    expect(files()).toEqual([`${presence.self}.json`])
    rmSync(join(dir, '.teams/web'), { recursive: true })
    await presence.renew('web')
    expect(existsSync(join(dir, '.teams/web'))).toBe(false)
    await presence.withdraw('web')
  })

  it('of a team without processes is an empty list', () => expect(open().present('empty')).toEqual([]))
})
