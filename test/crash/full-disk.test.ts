import { execFileSync } from 'node:child_process'
import fs, { mkdtempSync, rmdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { openTeam, type TeamHandle } from '../../src/journal/team-handle.ts'
import { type Disk, realDisk } from '../../src/stores/files/disk.ts'
import { openFileStore } from '../../src/stores/files/store.ts'
import { openViews } from '../../src/stores/files/views/views.ts'
import { TeamError } from '../../src/team/errors.ts'
import { isRefusal } from '../../src/team/refusal.ts'
import { refusalText } from '../../src/team/refusal-text.ts'
import { unreadOf } from '../../src/team/state.ts'

const MESSAGES = 200
const contentOf = (n: number) => `${n} ${'x'.repeat(4000)}`

describe('a disk that is really full', () => {
  it('keeps what was acknowledged, names what was not, and continues once there is space', async (context) => {
    using full = makeFullDisk()
    if (!full) return context.skip('neither a tmpfs can be mounted here nor is there a /dev/full')
    const { team } = await open(full.dir, full.disk)
    await team.run({ type: 'team.create', team: 'full' })
    await team.run({ type: 'member.join', name: 'bob', role: 'dev' })
    const acknowledged: string[] = []
    const failed: string[] = []
    full.begin()
    for (let n = 0; n < MESSAGES && failed.length < 3; n++) {
      try {
        await send(team, n)
        acknowledged.push(`m${n}`)
      } catch (error) {
        if (!(error instanceof TeamError)) throw error
        failed.push(`m${n}`)
      }
    }
    // Views do not fit either, which is no reason to call anything a failure.
    await team.close().catch(() => {})
    expect(failed).toHaveLength(3)

    full.freeSpace()
    const { team: next } = await open(full.dir, realDisk)
    await next.refresh()
    const there = () => unreadOf(next.state, 'bob').map(({ message }) => message.id)
    expect(acknowledged.filter((id) => !there().includes(id))).toEqual([])
    for (const id of failed) await send(next, Number(id.slice(1)))
    expect(there().sort()).toEqual([...acknowledged, ...failed].sort())
    console.log(`full: on ${full.name}, acked ${acknowledged.length}, named ${failed.length}, lost 0, sent again 3`)
    await next.close()
    const { team: last, views } = await open(full.dir, realDisk)
    await last.ingest()
    expect(await views.differences(last.state, last.cursor)).toEqual([])
    expect(last.log.faults().filter(({ kind }) => kind !== 'torn')).toEqual([])
    await last.close()
  }) // B58, F2, F22
})

async function open(dir: string, disk: Disk) {
  const views = openViews({ dir, team: 'full', disk, warn: () => {} })
  const store = await openFileStore({ dir, disk, views: () => views, warn: () => {} })
  return { team: await openTeam(store, 'full'), views }
}

async function send(team: TeamHandle, n: number): Promise<void> {
  const effects = await team.send({ to: 'bob', content: contentOf(n) }, { commandId: `m${n}` })
  if (isRefusal(effects)) throw new Error(refusalText(effects))
}

interface FullDisk extends Disposable {
  readonly name: string
  readonly dir: string
  readonly disk: Disk
  /** From now on it is, or soon will be, full. */
  begin(): void
  freeSpace(): void
}

function makeFullDisk(): FullDisk | undefined {
  return smallTmpfs() ?? devFull()
}

function smallTmpfs(): FullDisk | undefined {
  const dir = mkdtempSync(join(tmpdir(), 'deskmates-full-'))
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=1m', 'deskmates', dir], { stdio: 'ignore' })
  } catch {
    rmdirSync(dir)
    return undefined
  }
  const filler = join(dir, 'filler')
  writeFileSync(filler, Buffer.alloc(768 * 1024))
  return {
    name: 'a tmpfs of 1 MB',
    dir,
    disk: realDisk,
    begin() {},
    freeSpace: () => rmSync(filler),
    [Symbol.dispose]() {
      execFileSync('umount', ['-l', dir])
      rmdirSync(dir)
    },
  }
}

/** Every write goes where the kernel says that there is no space left. */
function devFull(): FullDisk | undefined {
  if (!fs.existsSync('/dev/full')) return undefined
  const dir = mkdtempSync(join(tmpdir(), 'deskmates-full-'))
  const full = fs.openSync('/dev/full', 'w')
  let left = Number.POSITIVE_INFINITY
  return {
    name: '/dev/full',
    dir,
    disk: { ...realDisk, writeSync: (fd, bytes) => realDisk.writeSync(left-- > 0 ? fd : full, bytes) },
    begin() {
      left = 20
    },
    freeSpace() {},
    [Symbol.dispose]() {
      fs.closeSync(full)
      rmSync(dir, { recursive: true, force: true })
    },
  }
}
