import { dirname } from 'node:path'
import { decodeTime } from 'ulid'
import { codeOf, type Disk, ifMissing, removeIfExists } from '../disk.ts'
import { makeFolder } from '../folders.ts'
import { replaceFile } from '../replace-file.ts'

/** Small JSON files, replaced as a whole. */
export interface ViewFiles {
  /** Undefined when missing. A broken file is renamed, never overwritten: a person may want to see it. */
  read(path: string): ViewFile | undefined
  /** The same without renaming. */
  peek(path: string): ViewFile | 'broken' | undefined
  write(path: string, text: string): void
  remove(path: string): void
  list(folder: string): string[]
  /** Removes temporary files and folders of writers that were killed before the rename. */
  sweep(folder: string): void
}

export interface ViewFile {
  readonly text: string
  readonly value: object
}

const ABANDONED_AFTER_MS = 10 * 60_000

export interface ViewFilesOptions {
  readonly disk: Disk
  readonly warn: (message: string) => void
  readonly ids: () => string
  readonly now: () => number
}

export function openViewFiles(options: ViewFilesOptions): ViewFiles {
  const { disk, warn, ids, now } = options

  function peek(path: string): ViewFile | 'broken' | undefined {
    let text: string
    try {
      text = disk.readFileSync(path).toString()
    } catch (error) {
      if (codeOf(error) === 'ENOENT') return undefined
      if (codeOf(error) === 'EISDIR') return 'broken'
      throw error
    }
    try {
      const value: unknown = JSON.parse(text)
      return typeof value === 'object' && value !== null && 'seq' in value && typeof value.seq === 'number'
        ? { text, value }
        : 'broken'
    } catch {
      return 'broken'
    }
  }

  return {
    peek,

    read(path) {
      const there = peek(path)
      if (there !== 'broken') return there
      const renamed = `${path}.${ids()}.broken`
      if (!isMissing(() => disk.renameSync(path, renamed))) {
        warn(`${path} could not be read. It is now ${renamed}, and the view was written again from the journal.`)
      }
      return undefined
    },

    write(path, text) {
      const bytes = Buffer.from(text)
      // The folder nearly always exists, so it is made only after a failure.
      if (!isMissing(() => replaceFile(disk, path, bytes))) return
      makeFolder(disk, dirname(path))
      replaceFile(disk, path, bytes)
    },

    remove: (path) => removeIfExists(disk, path),

    list,

    sweep(folder) {
      for (const name of list(folder)) {
        const made = /\.([0-7][0-9A-HJKMNP-TV-Z]{25})\.new$/.exec(name)?.[1]
        if (made !== undefined && now() - decodeTime(made) > ABANDONED_AFTER_MS) disk.removeSync(`${folder}/${name}`)
      }
    },
  }

  function list(folder: string): string[] {
    try {
      return disk.readdirSync(folder)
    } catch (error) {
      if (['ENOENT', 'ENOTDIR'].includes(codeOf(error) ?? '')) return []
      throw error
    }
  }
}

function isMissing(call: () => void): boolean {
  return ifMissing(true, () => {
    call()
    return false
  })
}
