import { describe, expect, it } from 'vitest'
import { doctorHarness } from '../../../test/cli/doctor-harness.ts'
import { realDisk } from '../../stores/files/disk.ts'
import { appendAndSync } from './append.ts'
import { fileSystem } from './file-system.ts'
import { watching } from './file-watch.ts'

const KIND = 'statfs names the kind of a file system on Linux only'

/** As the system says it. */
function failure(code: string, syscall: string): Error {
  return Object.assign(new Error(`${code}: it failed, ${syscall}`), { code, syscall })
}

describe('the file system', () => {
  it('passes on this machine, with its kind, the free space and the folder', async () => {
    await using waiting = doctorHarness()
    const { verdict, detail } = await waiting.examine(fileSystem)
    expect(verdict).toBe('pass')
    expect(detail).toMatch(/, \d+ [MG]B free, in /)
    expect(detail).toContain(waiting.root)
  })

  it('fails on a network file system', async ({ skip }) => {
    skip(process.platform !== 'linux', KIND)
    const statfsSync = (path: string) => ({ ...realDisk.statfsSync(path), type: 0x6969 })
    await using waiting = doctorHarness({ disk: { statfsSync } })
    expect(await waiting.examine(fileSystem)).toMatchObject({
      verdict: 'fail',
      detail: expect.stringContaining('is on NFS'),
      remedy: expect.stringContaining('DESKMATES_DIR'),
    })
    expect(waiting.remainingFiles()).toEqual([])
  })

  it('does not fail where the teams are in PostgreSQL', async ({ skip }) => {
    skip(process.platform !== 'linux', KIND)
    const statfsSync = (path: string) => ({ ...realDisk.statfsSync(path), type: 0x6969 })
    const env = { DESKMATES_STORE: 'postgres://db/teams' }
    await using waiting = doctorHarness({ disk: { statfsSync }, env })
    expect(await waiting.examine(fileSystem)).toMatchObject({ verdict: 'not available' })
  })

  it('fails when the disk is as good as full', async () => {
    const statfsSync = (path: string) => ({ ...realDisk.statfsSync(path), bavail: 3000, bsize: 1000 })
    await using waiting = doctorHarness({ disk: { statfsSync } })
    expect(await waiting.examine(fileSystem)).toMatchObject({
      verdict: 'fail',
      detail: expect.stringContaining('only 3 MB free'),
      remedy: expect.stringContaining(waiting.root),
    })
  })

  it('is not available in a folder that cannot be written to', async () => {
    const mkdirSync = () => {
      throw failure('EROFS', 'mkdir')
    }
    await using waiting = doctorHarness({ disk: { mkdirSync } })
    await expect(waiting.examine(fileSystem)).rejects.toMatchObject({ code: 'EROFS' })
  })
})

describe('appending and syncing', () => {
  it('passes on this machine', async () => {
    await using waiting = doctorHarness()
    expect(await waiting.examine(appendAndSync)).toMatchObject({ verdict: 'pass' })
  })

  it('fails when one append does not take the whole line', async () => {
    const writeSync = (fd: number, bytes: Uint8Array) => realDisk.writeSync(fd, bytes.subarray(0, 1000))
    await using waiting = doctorHarness({ disk: { writeSync } })
    expect(await waiting.examine(appendAndSync)).toMatchObject({
      verdict: 'fail',
      detail: expect.stringContaining('wrote only 1000 of them'),
      remedy: expect.stringContaining('disk'),
    })
  })

  it('fails when an append does not go to the end of the file', async () => {
    const openSync = (path: string, flags: string | number, mode?: number) =>
      realDisk.openSync(path, typeof flags === 'number' && path.endsWith('.jsonl') ? 'w' : flags, mode)
    await using waiting = doctorHarness({ disk: { openSync } })
    expect(await waiting.examine(appendAndSync)).toMatchObject({
      verdict: 'fail',
      detail: expect.stringContaining('is not what is in the file'),
    })
  })

  it('is not passed by a disk whose sync fails', async () => {
    await using waiting = doctorHarness({ disk: { fdatasync: () => Promise.reject(failure('EIO', 'fdatasync')) } })
    await expect(waiting.examine(appendAndSync)).rejects.toMatchObject({ code: 'EIO' })
  })
})

describe('watching', () => {
  it('passes on this machine: a folder reports what another process appends', async () => {
    await using waiting = doctorHarness()
    expect(await waiting.examine(watching)).toMatchObject({ verdict: 'pass' })
  })

  it('fails when a folder reports no change', async () => {
    await using waiting = doctorHarness({ disk: { watch: () => () => {} }, patience: 50 })
    expect(await waiting.examine(watching)).toMatchObject({
      verdict: 'fail',
      detail: expect.stringContaining('saw nothing'),
      remedy: expect.stringContaining('fs.inotify.max_user_watches'),
    })
  })

  it('fails when the watch breaks off', async () => {
    const watch = (_path: string, _changed: unknown, failed: (error: Error) => void) => {
      failed(failure('ENOSPC', 'watch'))
      return () => {}
    }
    await using waiting = doctorHarness({ disk: { watch } })
    expect(await waiting.examine(watching)).toMatchObject({
      verdict: 'fail',
      detail: expect.stringContaining('ENOSPC'),
    })
  })
})
