import { accessSync, appendFileSync, constants, cpSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Store } from '../../src/journal/log/store.ts'
import { openTeam, type TeamHandle } from '../../src/journal/team-handle.ts'
import type { Views } from '../../src/journal/views.ts'
import { type Disk, realDisk } from '../../src/stores/files/disk.ts'
import { openFileStore } from '../../src/stores/files/store.ts'
import { openViews } from '../../src/stores/files/views/views.ts'

/** A team on disk that operations are tried on, each time from the same beginning. */
export interface FragileTeam extends Disposable {
  readonly dir: string
  /** All as it was at the beginning. */
  reset(): void
  open(disk: Disk, warn?: (message: string) => void): Promise<Opened>
}

export interface Opened {
  readonly team: TeamHandle
  readonly store: Store
  readonly views: Views
}

export const TEAM = 'crash'
export const FOREIGN = ['build is red', 'build is green']

/**
 * lead, ada and bob; ada has two unread messages; tasks 1 and 2, of which 2 and 3 share files; two lines that some
 * program left in the lead's mailbox file.
 */
export async function makeFragileTeam(): Promise<FragileTeam> {
  const home = mkdtempSync(join(inMemory(), 'deskmates-crash-'))
  const dir = join(home, 'now')
  const beginning = join(home, 'beginning')
  mkdirSync(dir)

  async function open(disk: Disk, warn: (message: string) => void = () => {}): Promise<Opened> {
    const views = openViews({ dir, team: TEAM, disk, warn })
    const store = await openFileStore({ dir, disk, warn, views: () => views })
    return { store, views, team: await openTeam(store, TEAM) }
  }

  const { team } = await open(realDisk)
  await team.run({ type: 'team.create', team: TEAM })
  for (const name of ['ada', 'bob']) await team.run({ type: 'member.join', name, role: 'dev' })
  for (const n of [1, 2]) await team.send({ to: 'ada', content: `message ${n}` }, { commandId: `letter-${n}` })
  const tasks = [
    { subject: 'one' },
    { subject: 'two', files: ['src/api/'] },
    { subject: 'three', files: ['src/api/*.ts'] },
  ]
  await team.run({ type: 'task.add', tasks })
  await team.close()
  for (const content of FOREIGN) {
    const line = JSON.stringify({ type: 'message', from: 'ci', content })
    appendFileSync(join(dir, '.teams', TEAM, 'inbox', 'lead.jsonl'), `${line}\n`)
  }
  cpSync(dir, beginning, { recursive: true })

  return {
    dir,
    open,
    reset() {
      rmSync(dir, { recursive: true, force: true })
      cpSync(beginning, dir, { recursive: true })
    },
    [Symbol.dispose]: () => rmSync(home, { recursive: true, force: true }),
  }
}

/** Thousands of small folders come and go: where there is a file system in memory they need not touch a disk. */
function inMemory(): string {
  try {
    accessSync('/dev/shm', constants.W_OK)
    return '/dev/shm'
  } catch {
    return tmpdir()
  }
}
