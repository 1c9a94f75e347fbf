import { mkdtempSync, realpathSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { type Disk, realDisk } from '../disk.ts'
import { createFolderEntries } from '../folder-entries.ts'
import { createJournalFile } from './journal-file.ts'

describe('a new journal file', () => {
  let dir: string
  beforeEach(() => {
    dir = realpathSync(mkdtempSync(join(tmpdir(), 'deskmates-journal-file-')))
  })
  afterEach(() => rmSync(dir, { recursive: true }))

  function newFile(fsync: Disk['fsync']) {
    const disk: Disk = { ...realDisk, fsync, fdatasync: async () => {} }
    const file = createJournalFile(disk, join(dir, 'journal.jsonl'), createFolderEntries(disk, dir))
    file.create()
    return file
  }

  it('is durable only when its entry in the folder is, and the event loop runs meanwhile', async () => {
    let release = () => {}
    const file = newFile(() => new Promise((resolve) => (release = resolve)))
    let isDurable = false
    const synced = file.sync().then(() => (isDurable = true))
    await new Promise((resolve) => setImmediate(resolve))
    expect(isDurable).toBe(false)
    release()
    await synced
    file.close()
  }) // F2

  it('is not durable when its folder cannot be synced, and the next sync tries again', async () => {
    let fails = true
    let calls = 0
    const file = newFile(async () => {
      calls++
      if (fails) throw new Error('EIO')
    })
    await expect(file.sync()).rejects.toThrow('EIO')
    fails = false
    await file.sync()
    await file.sync()
    expect(calls).toBe(2)
    file.close()
  })
})
