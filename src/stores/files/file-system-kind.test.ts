import { mkdtempSync, rmSync, type StatsFs } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { type Disk, realDisk } from './disk.ts'
import { RefusedFileSystem, refusedMagic, refusedMount, refuseNetworkFileSystem } from './file-system-kind.ts'

describe('a file system for teams', () => {
  it.each([
    ['NFS', 0x6969],
    ['SMB', 0x517b],
    ['CIFS', 0xff534d42],
    ['SMB2', 0xfe534d42],
    ['9p', 0x01021997],
    ['FUSE or virtiofs', 0x65735546],
    ['AFS', 0x5346414f],
    ['Ceph', 0x00c36400],
    ['GFS2', 0x01161970],
    ['OCFS2', 0x7461636f],
    ['Lustre', 0x0bd00bd0],
  ])('of kind %s is refused', (kind, magic) => {
    expect(refusedMagic(magic)).toBe(kind)
    expect(refusedMagic(magic | 0)).toBe(kind) // as a system reports it that keeps the number in a signed word
  })

  it.each([
    ['ext4', 0xef53],
    ['xfs', 0x58465342],
    ['btrfs', 0x9123683e],
    ['zfs', 0x2fc12fc1],
    ['tmpfs', 0x01021994],
    ['overlayfs', 0x794c7630],
    ['f2fs', 0xf2f52010],
    ['bcachefs', 0xca451a4e],
    ['an unknown one', 0x12345678],
  ])('of kind %s is accepted', (_kind, magic) => expect(refusedMagic(magic)).toBeUndefined())
})

describe('the mounts of macOS', () => {
  const mounts = [
    '/dev/disk3s1s1 on / (apfs, sealed, local, read-only, journaled)',
    'devfs on /dev (devfs, local, nobrowse)',
    'map auto_home on /System/Volumes/Data/home (autofs, automounted, nobrowse)',
    '//me@nas._smb._tcp.local/share on /Volumes/share (smbfs, nodev, nosuid, mounted by me)',
    '/dev/disk5s1 on /Volumes/share/local disk (1) (apfs, local, nodev, nosuid, journaled)',
    'nas:/export/home on /Volumes/on the road (nfs, nodev, nosuid)',
    'sshfs@host: on /Volumes/remote (macfuse, nodev)',
    'a line that is none',
  ].join('\n')

  it.each([
    ['/Users/me/repo', undefined],
    ['/Volumes/share', 'smbfs'],
    ['/Volumes/share/repo', 'smbfs'],
    ['/Volumes/shared', undefined],
    ['/Volumes/share/local disk (1)/repo', undefined],
    ['/Volumes/on the road/repo', 'nfs'],
    ['/Volumes/remote/x', 'macfuse'],
  ])('judge %s by the longest mount point around it', (path, kind) => {
    expect(refusedMount(mounts, path)).toBe(kind)
  })

  it('accept everything when they cannot be read', () => expect(refusedMount('', '/Users/me')).toBeUndefined())
})

describe('refuseNetworkFileSystem', () => {
  let top: string
  beforeEach(() => {
    top = mkdtempSync(join(tmpdir(), 'deskmates-kind-'))
  })
  afterEach(() => rmSync(top, { recursive: true, force: true }))

  it('lets a team work on the disk of this machine', () => {
    expect(() => refuseNetworkFileSystem(top, realDisk)).not.toThrow()
  })

  it('checks the nearest existing folder and says what to do', ({ skip }) => {
    skip(process.platform !== 'linux', 'statfs names the kind of a file system on Linux only')
    const asked: string[] = []
    const nfs: Disk = {
      ...realDisk,
      statfsSync(path) {
        asked.push(path)
        return { type: 0x6969 } as StatsFs
      },
    }
    const dir = join(top, 'still/to/be/made')
    expect(() => refuseNetworkFileSystem(dir, nfs)).toThrow(RefusedFileSystem)
    expect(asked).toEqual([top])
    expect(() => refuseNetworkFileSystem(dir, nfs)).toThrow(`${dir} is on NFS`)
    expect(() => refuseNetworkFileSystem(dir, nfs)).toThrow('Set DESKMATES_DIR to a local folder')
  })
})
