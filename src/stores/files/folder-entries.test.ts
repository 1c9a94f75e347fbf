import { mkdirSync, mkdtempSync, realpathSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, relative } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { type Disk, realDisk } from './disk.ts'
import { createFolderEntries } from './folder-entries.ts'

describe('the entries of the folders of a store', () => {
  let root: string
  let synced: string[]
  let born: number
  const folder = (name: string) => join(root, '.teams', 'web', name)

  beforeEach(() => {
    root = realpathSync(mkdtempSync(join(tmpdir(), 'deskmates-entries-')))
    synced = []
    born = 1
    mkdirSync(folder('transcripts'), { recursive: true })
  })
  afterEach(() => rmSync(root, { recursive: true }))

  function entries() {
    let last = ''
    const disk: Disk = {
      ...realDisk,
      openSync(path, flags, mode) {
        last = path
        return realDisk.openSync(path, flags, mode)
      },
      statSync: (path) => Object.assign(realDisk.statSync(path)!, { ino: 7, birthtimeMs: born }),
      fsyncSync: () => void synced.push(relative(root, last)),
    }
    return createFolderEntries(disk, root)
  }

  it('are synced up to the root for the first file', () => {
    const kept = entries()
    kept.sync(folder('transcripts'), kept.now())
    expect(synced).toEqual(['.teams/web/transcripts', '.teams/web', '.teams', ''])
  })

  it('are synced once for all files that were created before', () => {
    const kept = entries()
    const [one, two] = [kept.now(), kept.now()]
    kept.sync(folder('transcripts'), one)
    synced.length = 0
    kept.sync(folder('transcripts'), two)
    expect(synced).toEqual([])
  })

  it('are synced again for a file that was created since, without the ancestors', () => {
    const kept = entries()
    kept.sync(folder('transcripts'), kept.now())
    synced.length = 0
    kept.sync(folder('transcripts'), kept.now())
    expect(synced).toEqual(['.teams/web/transcripts'])
  })

  it('are synced up to the root again for a folder that reuses path and inode of an older one', () => {
    const kept = entries()
    kept.sync(folder('transcripts'), kept.now())
    synced.length = 0
    born = 2
    kept.sync(folder('transcripts'), kept.now())
    expect(synced).toEqual(['.teams/web/transcripts', '.teams/web', '.teams', ''])
  })
})
