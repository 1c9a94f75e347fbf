import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdtempSync, realpathSync, rmSync, watch, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { type AlarmClock, systemClock } from '../../src/journal/clock.ts'
import { openTeam } from '../../src/journal/team-handle.ts'
import { scriptedModel } from '../../src/models/scripted/scripted-model.ts'
import { openSession } from '../../src/session/open-session.ts'
import { openWorkspace } from '../../src/workspace.ts'
import { useDatabase } from './database.ts'

const database = useDatabase()
let dir: string
let place: ReturnType<typeof database.place>
beforeEach(() => {
  dir = realpathSync(mkdtempSync(join(tmpdir(), 'deskmates-takeover-')))
  place = database.place()
})
afterEach(() => rmSync(dir, { recursive: true }))

const env = () => ({ HOME: dir, DESKMATES_STATE: join(dir, 'state') })
const open = () => openWorkspace({ cwd: dir, env: env(), store: place.url, warn() {} })

/** Of another machine; its lease is the only sign of life. */
const STRANGER = 'p-1000000000000-0123456789ab-0123456789ab-4026531836-77-123456-0123456789ab'

async function strangerHolds(seconds: number): Promise<void> {
  await using workspace = await open()
  await using team = await openTeam(workspace.store, 'web')
  await team.run({ type: 'team.create', team: 'web' })
  await team.run({ type: 'supervise', runtime: STRANGER })
  await setLease(seconds)
}

const setLease = (seconds: number) =>
  database.sql(`insert into ${place.schema}.leases (runtime, team, until)
    values ('${STRANGER}', 'web', now() + interval '${seconds} seconds')
    on conflict (runtime, team) do update set until = excluded.until`)

/** Opens the session; each wait of it is over when `during` is done. */
async function resume(during: () => Promise<unknown>) {
  const warnings: string[] = []
  const waits: number[] = []
  const clock: AlarmClock = {
    ...systemClock,
    in(seconds, ring) {
      waits.push(seconds)
      void during().then(ring)
      return () => {}
    },
  }
  await using workspace = await open()
  const model = scriptedModel({ parts: [] })
  const warn = (message: string) => void warnings.push(message)
  const opened = await openSession({ workspace, model, team: 'web', clock, warn, sandbox: { mode: 'off' }, env: {} })
    .then(async (session) => {
      await session.close()
      return 'opened'
    })
    .catch((error) => error.code)
  return { opened, warnings, waits }
}

describe('a session held by a process of another machine', () => {
  it('is waited for until its lease ends, with a message that says how long', async () => {
    await strangerHolds(20)
    const { opened, warnings, waits } = await resume(() => setLease(-1))
    expect(opened).toBe('opened')
    expect(warnings.join('\n')).toMatch(
      /works on web, or was killed there\. Waiting up to (19|20) s for its lease to end\./,
    )
    expect(waits).toEqual([1])
  }) // T49

  it('is refused as soon as that process renews its lease', async () => {
    await strangerHolds(20)
    const { opened, waits } = await resume(() => setLease(30))
    expect(opened).toBe('supervised')
    expect(waits).toEqual([1])
  }) // T49
})

describe('a session whose process of this machine was killed', () => {
  it('is taken over at once, though its lease still runs', async () => {
    const mark = join(dir, 'began')
    const script = join(dir, 'script.json')
    writeFileSync(
      script,
      JSON.stringify({ parts: [{ calls: [{ tool: 'bash', input: { command: `touch ${mark}; sleep 60` } }] }] }),
    )
    const command = join(dirname(fileURLToPath(import.meta.url)), '..', '..', 'bin', 'deskmates')
    const args = ['-p', 'Work.', '-m', `scripted:${script}`, '--store', place.url, '--team', 'default']
    const child = spawn(
      process.execPath,
      [command, ...args, '--permission-mode', 'bypassPermissions', '--sandbox', 'off'],
      { cwd: dir, env: { PATH: process.env.PATH, ...env() }, stdio: 'ignore' },
    )
    const ended = once(child, 'exit')
    try {
      await appears(mark, ended)
    } finally {
      child.kill('SIGKILL')
    }
    await ended
    const [row] = await database.sql(
      `select max(until) > now() + interval '5 seconds' as runs from ${place.schema}.leases`,
    )
    expect(row.runs).toBe(true)
    await using workspace = await open()
    const warnings: string[] = []
    const session = await openSession({
      workspace,
      model: scriptedModel({ parts: [] }),
      team: 'default',
      warn: (message) => void warnings.push(message),
      sandbox: { mode: 'off' },
      env: {},
    })
    await session.close()
    expect(warnings.filter((warning) => warning.includes('lease'))).toEqual([])
  }, 60_000) // T49
})

async function appears(path: string, ended: Promise<unknown>): Promise<void> {
  const stop = new AbortController()
  await new Promise<void>((resolve, reject) => {
    const look = () => existsSync(path) && resolve()
    watch(dirname(path), { signal: stop.signal }, look)
    look()
    ended.then(() => reject(new Error('It ended before.')))
  }).finally(() => stop.abort())
}
