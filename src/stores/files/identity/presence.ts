import { hostname } from 'node:os'
import { join } from 'node:path'
import type { Presence, RuntimeId } from '../../../journal/store.ts'
import { type Liveness, look, thisRuntime } from '../../identity.ts'
import { codeOf, type Disk } from '../disk.ts'
import { makeFolder } from '../folders.ts'
import { replaceFile } from '../replace-file.ts'

export interface FilePresence extends Presence {
  /** Everybody who has announced itself and not withdrawn; `renewedAt` in seconds since 1970, if the file tells. */
  present(team: string): { runtime: RuntimeId; state: Liveness; renewedAt: number | undefined }[]
}

/**
 * One file per runtime and team in `.teams/<team>/presence/`. The file says only that someone came; whether that one
 * still lives is read off the process itself, so a silent process keeps its place and a killed one loses it at once.
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
  const announced = new Map<string, number>()
  const folderOf = (team: string) => join(dir, '.teams', team, 'presence')

  function write(team: string): void {
    const now = clock.now() / 1000
    const announcedAt = announced.get(team) ?? now
    announced.set(team, announcedAt)
    const line = JSON.stringify({ runtime: self, pid: process.pid, host: hostname(), announcedAt, renewedAt: now })
    replaceFile(disk, join(folderOf(team), `${self}.json`), Buffer.from(`${line}\n`))
  }

  return {
    self,

    async announce(team) {
      makeFolder(disk, folderOf(team))
      for (const name of names(disk, folderOf(team))) {
        // Also takes away what a writer left that was killed between making its file and giving it its name.
        const runtime = name.split('.')[0] ?? ''
        if (look(runtime) === 'dead') remove(disk, join(folderOf(team), name))
      }
      announced.delete(team)
      write(team)
    },

    async renew(team) {
      // A team that was put away stays away: renewing must not bring an empty folder of that name back.
      if (!disk.statSync(join(dir, '.teams', team))) return
      makeFolder(disk, folderOf(team))
      write(team)
    },

    async withdraw(team) {
      announced.delete(team)
      remove(disk, join(folderOf(team), `${self}.json`))
    },

    // A live process is never replaced on files: it has no lease that could end.
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
  return tolerating('ENOENT', () => disk.readdirSync(folder).sort()) ?? []
}

function remove(disk: Disk, path: string): void {
  tolerating('ENOENT', () => disk.unlinkSync(path))
}

function tolerating<T>(code: string, call: () => T): T | undefined {
  try {
    return call()
  } catch (error) {
    if (codeOf(error) === code) return undefined
    throw error
  }
}
