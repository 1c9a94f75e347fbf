import type { Disk } from '../../stores/files/disk.ts'
import { RefusedFileSystem, refuseNetworkFileSystem } from '../../stores/files/file-system-kind.ts'
import { wantedStore } from '../workspace/open-store.ts'
import { type Examination, fail, notAvailable, pass } from './examination.ts'

/** The kind of file system where `.teams` would live, and whether anything can be put there. */
export const fileSystem: Examination = {
  name: 'file system',
  onDisk: false,
  remedy: 'Keep teams in a local folder that you can write to: DESKMATES_DIR=/a/local/folder deskmates doctor',
  async examine({ call, root, disk, folder }) {
    try {
      refuseNetworkFileSystem(root, disk)
    } catch (error) {
      if (!(error instanceof RefusedFileSystem)) throw error
      // With teams in PostgreSQL none of it is needed.
      const isElsewhere = wantedStore(call) !== 'files'
      return isElsewhere ? notAvailable(error.message) : fail(error.message)
    }
    const { type, free } = look(disk, folder('file-system'))
    if (free < LEAST) {
      const remedy = `Free some space around ${root}, or use another disk: DESKMATES_DIR=/another/folder deskmates doctor`
      return fail(`${kindOf(type)} with only ${sized(free)} free, in ${root}`, remedy)
    }
    return pass(`${kindOf(type)}, ${sized(free)} free, in ${root}`)
  },
}

/** What a few teams and their snapshots take, in bytes. */
const LEAST = 64 * 1024 * 1024

function look(disk: Disk, folder: string): { type: number; free: number } {
  const { type, bavail, bsize } = disk.statfsSync(folder)
  return { type, free: bavail * bsize }
}

function kindOf(type: number): string {
  return (process.platform === 'linux' && LOCAL.get(type >>> 0)) || 'a local file system'
}

/** linux/magic.h */
const LOCAL = new Map([
  [0xef53, 'ext4'],
  [0x58465342, 'XFS'],
  [0x9123683e, 'Btrfs'],
  [0x2fc12fc1, 'ZFS'],
  [0xf2f52010, 'F2FS'],
  [0xca451a4e, 'bcachefs'],
  [0x794c7630, 'overlayfs'],
  [0x01021994, 'tmpfs (in memory: gone after a restart)'],
])

function sized(bytes: number): string {
  const [amount, unit] = bytes >= 1e9 ? [bytes / 1e9, 'GB'] : [bytes / 1e6, 'MB']
  return `${Math.floor(amount)} ${unit}`
}
