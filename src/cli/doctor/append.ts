import { constants } from 'node:fs'
import { join } from 'node:path'
import type { Disk } from '../../stores/files/disk.ts'
import { syncFolders } from '../../stores/files/folders.ts'
import { type Examination, fail, pass } from './examination.ts'

/** What every record relies on: one append is one piece at the end of the file, and a sync comes back. */
export const appendAndSync: Examination = {
  name: 'append and sync',
  onDisk: true,
  remedy:
    'Look for errors of this disk (dmesg, free space, quota), or keep teams on another one: DESKMATES_DIR=/another/folder deskmates doctor',
  async examine({ disk, folder }) {
    const dir = folder('append')
    const path = join(dir, 'journal.jsonl')
    const lines = [0, 1, 2].map((n) => Buffer.from(`\n${JSON.stringify({ n, text: 'x'.repeat(SIZE) })}\n`))
    const fds = [open(disk, path), open(disk, path)]
    let slowest = 0
    try {
      for (const [n, line] of lines.entries()) {
        const fd = fds[n % 2]!
        const written = disk.writeSync(fd, line)
        if (written !== line.length) return fail(`one append of ${line.length} bytes wrote only ${written} of them`)
        const began = performance.now()
        await disk.fdatasync(fd)
        slowest = Math.max(slowest, performance.now() - began)
      }
      syncFolders(disk, [dir])
    } finally {
      for (const fd of fds) disk.closeSync(fd)
    }
    if (!disk.readFileSync(path).equals(Buffer.concat(lines)))
      return fail('what was appended through two descriptors is not what is in the file')
    return pass(`3 appends of 64 KB through two descriptors, each in one piece; a sync took ${slowest.toFixed(1)} ms`)
  },
}

const SIZE = 64 * 1024

function open(disk: Disk, path: string): number {
  return disk.openSync(path, constants.O_WRONLY | constants.O_APPEND | constants.O_CREAT, 0o600)
}
