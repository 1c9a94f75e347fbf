import { realpathSync, unlinkSync } from 'node:fs'
import { join } from 'node:path'
import { isInside } from '../../permissions/paths/places.ts'
import { PathRefused, refusedBy } from '../../permissions/paths/refused.ts'
import { readPlainFile } from '../../permissions/paths/safe-reads.ts'
import { openSpot } from '../../permissions/paths/spot.ts'
import { realDisk } from '../../stores/files/disk.ts'
import { replaceFile } from '../../stores/files/replace-file.ts'

/** Like any file that a person keeps in the repository. */
const FILE_MODE = 0o644

/**
 * Makes a view in the folder of a phase say `text`, or removes it, in one step: readers see the old file or the new one.
 * `folder` is relative to the workspace; one that leaves the workspace, also through a link, is refused.
 */
export function putPhaseFile(workspace: string, folder: string, name: string, text: string | undefined): void {
  const shown = join(folder, name)
  try {
    using spot = openSpot(join(workspace, folder))
    if (!isInside(realpathSync(workspace), spot.real))
      throw new PathRefused(`${shown} is not written: its folder is outside of the workspace. Move the plan into it.`)
    const path = `${spot.at}/${name}`
    if (text === undefined) removeFile(path)
    else if (readPlainFile(path)?.toString() !== text) replaceFile(realDisk, path, Buffer.from(text), FILE_MODE)
    lastWritten.set(join(spot.real, name), text)
  } catch (error) {
    throw refusedBy(error, shown)
  }
}

const lastWritten = new Map<string, string | undefined>()

/** What this process wrote there last; undefined where it wrote nothing, or removed it. `path` is a real one. */
export function writtenHere(path: string): string | undefined {
  return lastWritten.get(path)
}

function removeFile(path: string): void {
  try {
    unlinkSync(path)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error
  }
}
