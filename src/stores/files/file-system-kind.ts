import { execFileSync } from 'node:child_process'
import { dirname, resolve } from 'node:path'
import { TeamError } from '../../team/errors.ts'
import type { Disk } from './disk.ts'

/**
 * Throws where an `O_APPEND` write is not atomic: on network and shared file systems the appends of two machines may overwrite
 * each other, and a rename or a process of another kernel is not seen in time.
 */
export function refuseNetworkFileSystem(dir: string, disk: Disk): void {
  const there = nearestExisting(disk, resolve(dir))
  const kind =
    process.platform === 'darwin'
      ? refusedMount(execFileSync('/sbin/mount', { encoding: 'utf8', env: {} }), disk.realpathSync(there))
      : refusedMagic(disk.statfsSync(there).type)
  if (kind !== undefined) throw new RefusedFileSystem(dir, kind)
}

export class RefusedFileSystem extends TeamError {
  readonly code = 'refused_file_system'
  constructor(dir: string, kind: string) {
    super(
      `${dir} is on ${kind}, where appends of several machines are not atomic and a team could lose mail. ` +
        'Set DESKMATES_DIR to a local folder, or use --store postgres://… for several machines.',
    )
  }
}

/** The folder itself or, if it does not exist yet, its nearest existing ancestor. */
export function nearestExisting(disk: Disk, dir: string): string {
  return disk.statSync(dir) || dirname(dir) === dir ? dir : nearestExisting(disk, dirname(dir))
}

/** The name of a refused Linux file system by the magic number of statfs; undefined if it is not refused. */
export function refusedMagic(type: number): string | undefined {
  return REFUSED_MAGIC.get(type >>> 0)
}

/** The same on macOS, whose statfs numbers mean nothing: the longest mount point around `path` in what `mount` prints. */
export function refusedMount(mounts: string, path: string): string | undefined {
  let longest = { point: '', kind: '' }
  for (const line of mounts.split('\n')) {
    // `//me@nas/share on /Volumes/share (smbfs, nodev, nosuid, mounted by me)`; any part but the last may hold spaces.
    const [, point, kind] = /^.*? on (\/.*) \(([^(),]+)[^()]*\)$/.exec(line) ?? []
    if (point === undefined || kind === undefined || point.length <= longest.point.length) continue
    if (path === point || path.startsWith(point === '/' ? point : `${point}/`)) longest = { point, kind }
  }
  return REFUSED_MOUNT.test(longest.kind) ? longest.kind : undefined
}

// From linux/magic.h and the headers of the file systems. A FUSE mount may be a network one, and virtiofs reports FUSE, so all
// of them are refused.
const REFUSED_MAGIC = new Map([
  [0x6969, 'NFS'],
  [0x517b, 'SMB'],
  [0xff534d42, 'CIFS'],
  [0xfe534d42, 'SMB2'],
  [0x564c, 'NCP'],
  [0x01021997, '9p'],
  [0x65735546, 'FUSE or virtiofs'],
  [0x5346414f, 'AFS'],
  [0x6b414653, 'AFS'],
  [0x73757245, 'Coda'],
  [0x00c36400, 'Ceph'],
  [0x01161970, 'GFS2'],
  [0x7461636f, 'OCFS2'],
  [0x0bd00bd0, 'Lustre'],
  [0x47504653, 'GPFS'],
  [0x19830326, 'BeeGFS'],
  [0x20030528, 'OrangeFS'],
  [0xaad7aaea, 'PanFS'],
  [0xbeefdead, 'StorNext'],
  [0x61636673, 'ACFS'],
  [0x786f4256, 'a VirtualBox shared folder'],
  [0x7c7c6673, 'a Parallels shared folder'],
  [0xbacbacbc, 'a VMware shared folder'],
])

const REFUSED_MOUNT = /^(nfs|smbfs|cifs|afpfs|webdav|ftp|9p|virtiofs|.*fuse.*|sshfs|prl_fs|vmhgfs)$/i
