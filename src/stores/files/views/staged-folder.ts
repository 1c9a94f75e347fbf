import { dirname } from 'node:path'
import { codeOf, type Disk, ifMissing } from '../disk.ts'
import { makeFolder } from '../folders.ts'
import { createFile } from '../replace-file.ts'

/** Files for a folder that does not exist yet: written into another one, which is renamed once it is complete. */
export interface StagedFolder {
  /** Each name once. */
  write(name: string, text: string): void
  read(name: string): string
  /** False if the folder exists by now: another process was faster, and nothing was put there. */
  putInPlace(): boolean
  discard(): void
}

export function stageFolder(disk: Disk, folder: string, temporary: string): StagedFolder {
  return {
    write(name, text) {
      const path = `${temporary}/${name}`
      const bytes = Buffer.from(text)
      const isWritten = ifMissing(false, () => {
        createFile(disk, path, bytes)
        return true
      })
      if (isWritten) return
      makeFolder(disk, dirname(path))
      createFile(disk, path, bytes)
    },
    read: (name) => disk.readFileSync(`${temporary}/${name}`).toString(),
    putInPlace() {
      makeFolder(disk, dirname(folder))
      try {
        disk.renameSync(temporary, folder)
        return true
      } catch (error) {
        // EXDEV: both are in different file systems.
        if (!['EEXIST', 'ENOTEMPTY', 'ENOTDIR', 'EXDEV'].includes(codeOf(error) ?? '')) throw error
        return false
      }
    },
    discard: () => disk.removeSync(temporary),
  }
}
