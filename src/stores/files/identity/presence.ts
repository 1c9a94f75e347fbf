import { hostname } from 'node:os'
import { join } from 'node:path'
import type { Presence, RuntimeId } from '../../../journal/log/store.ts'
import { type Liveness, look, thisRuntime } from '../../identity.ts'
import { type Disk, ifMissing, removeIfExists } from '../disk.ts'
import { makeFolder } from '../folders.ts'
import { replaceFile } from '../replace-file.ts'

export interface FilePresence extends Presence {
  /** Every runtime that has announced itself and not withdrawn; `renewedAt` in seconds since 1970, if it can be read. */
  present(team: string): { runtime: RuntimeId; state: Liveness; renewedAt: number | undefined }[]
}

/**
 * One file per runtime and team in `.teams/<team>/presence/`. The file says only that a process has announced itself. Whether
 * it is alive is asked of the system, so a silent process stays present and a killed one is dead at once.
 */
export function createFilePresence(options: {
  /** The folder that holds `.teams`. */
  readonly dir: string
  readonly disk: Disk
  /** Milliseconds since 1970. */
  readonly clock: { now(): number }
}): FilePresence {
  const { dir, disk, clock } = options
  const self = thisRuntime()
  const announced = new Map<string, { readonly at: number; readonly control?: string | undefined }>()
  const folderOf = (team: string) => join(dir, '.teams', team, 'presence')

  function write(team: string): void {
    const now = clock.now() / 1000
    const { at: announcedAt, control } = announced.get(team) ?? { at: now }
    announced.set(team, { at: announcedAt, control })
    const facts = { runtime: self, pid: process.pid, host: hostname(), announcedAt, renewedAt: now, control }
    const line = JSON.stringify(facts)
    replaceFile(disk, join(folderOf(team), `${self}.json`), Buffer.from(`${line}\n`))
  }

  return {
    self,

    async announce(team, { control } = {}) {
      makeFolder(disk, folderOf(team))
      for (const name of names(disk, folderOf(team))) {
        // Also removes temporary files of writers that were killed before the rename.
        const runtime = name.split('.')[0] ?? ''
        if (look(runtime) === 'dead') removeIfExists(disk, join(folderOf(team), name))
      }
      announced.set(team, { at: clock.now() / 1000, control })
      write(team)
    },

    async renew(team) {
      // Renewing must not create the folder of a removed team again.
      if (!disk.statSync(join(dir, '.teams', team))) return
      makeFolder(disk, folderOf(team))
      write(team)
    },

    async withdraw(team) {
      announced.delete(team)
      removeIfExists(disk, join(folderOf(team), `${self}.json`))
    },

    // On files a live process is never replaced: it has no lease that could end.
    async confirm() {},

    async look(runtime) {
      return look(runtime)
    },

    present(team) {
      return names(disk, folderOf(team))
        .filter((name) => /^r-[^.]*\.json$/.test(name))
        .map((name) => name.slice(0, -'.json'.length))
        .map((runtime) => ({ runtime, state: look(runtime), renewedAt: renewal(disk, folderOf(team), runtime) }))
    },
  }
}

function renewal(disk: Disk, folder: string, runtime: RuntimeId): number | undefined {
  try {
    const { renewedAt } = JSON.parse(disk.readFileSync(join(folder, `${runtime}.json`)).toString())
    return typeof renewedAt === 'number' ? renewedAt : undefined
  } catch {
    // Gone since, or broken by hand. The file's name alone decides who is present, so nothing is lost with it.
    return undefined
  }
}

function names(disk: Disk, folder: string): string[] {
  return ifMissing([], () => disk.readdirSync(folder).sort())
}
