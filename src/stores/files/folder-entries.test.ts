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
  let fails: (folder: string) => boolean
  const folder = (name: string) => join(root, '.teams', 'web', name)

  beforeEach(() => {
    root = realpathSync(mkdtempSync(join(tmpdir(), 'deskmates-entries-')))
    synced = []
    born = 1
    fails = () => false
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
      async fsync() {
        const name = relative(root, last)
        if (fails(name)) throw new Error('EIO')
        synced.push(name)
      },
    }
    return createFolderEntries(disk, root)
  }

  it('are synced up to the root for the first file', async () => {
    const kept = entries()
    await kept.sync(folder('transcripts'), kept.now())
    expect(synced).toEqual(['.teams/web/transcripts', '.teams/web', '.teams', ''])
  })

  it('are synced once for all files that were created before', async () => {
    const kept = entries()
    const [one, two] = [kept.now(), kept.now()]
    await kept.sync(folder('transcripts'), one)
    synced.length = 0
    await kept.sync(folder('transcripts'), two)
    expect(synced).toEqual([])
  })

  it('are synced again for a file that was created since, without the ancestors', async () => {
    const kept = entries()
    await kept.sync(folder('transcripts'), kept.now())
    synced.length = 0
    await kept.sync(folder('transcripts'), kept.now())
    expect(synced).toEqual(['.teams/web/transcripts'])
  })

  it('are synced up to the root again for a folder that reuses path and inode of an older one', async () => {
    const kept = entries()
    await kept.sync(folder('transcripts'), kept.now())
    synced.length = 0
    born = 2
    await kept.sync(folder('transcripts'), kept.now())
    expect(synced).toEqual(['.teams/web/transcripts', '.teams/web', '.teams', ''])
  })

  it('are synced once for files of several agents at the same time, and again for one created meanwhile', async () => {
    const kept = entries()
    const [one, two] = [kept.now(), kept.now()]
    const both = [kept.sync(folder('transcripts'), one), kept.sync(folder('transcripts'), two)]
    const late = kept.sync(folder('transcripts'), kept.now())
    await Promise.all([...both, late])
    expect(synced.filter((name) => name === '.teams/web/transcripts')).toHaveLength(2)
  })

  it('are synced again after a sync that failed', async () => {
    const kept = entries()
    const since = kept.now()
    fails = () => true
    await expect(kept.sync(folder('transcripts'), since)).rejects.toThrow('EIO')
    fails = () => false
    await kept.sync(folder('transcripts'), since)
    expect(synced).toEqual(['.teams/web/transcripts', '.teams/web', '.teams', ''])
  })

  it('are synced up to the root again after the sync of an ancestor failed', async () => {
    const kept = entries()
    const since = kept.now()
    fails = (name) => name === '.teams'
    await expect(kept.sync(folder('transcripts'), since)).rejects.toThrow('EIO')
    fails = () => false
    synced.length = 0
    await kept.sync(folder('transcripts'), since)
    expect(synced).toEqual(['.teams', ''])
  })
})
