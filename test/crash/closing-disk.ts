import { type Disk, realDisk } from '../../src/stores/files/disk.ts'

/** A disk with a way to close what a dead process left open in this one. */
export function closingDisk(under: Disk = unsyncedDisk): { disk: Disk; closeAll(): void } {
  const open = new Set<number>()
  const watches = new Set<() => void>()
  const disk: Disk = {
    ...under,
    openSync(path, flags, mode) {
      const fd = under.openSync(path, flags, mode)
      open.add(fd)
      return fd
    },
    closeSync(fd) {
      open.delete(fd)
      under.closeSync(fd)
    },
    watch(path, changed, failed) {
      const stop = under.watch(path, changed, failed)
      watches.add(stop)
      return () => void (watches.delete(stop) && stop())
    },
  }
  return {
    disk,
    closeAll() {
      for (const fd of open) under.closeSync(fd)
      for (const stop of watches) stop()
      open.clear()
      watches.clear()
    },
  }
}

/** The real disk without waiting for it: where no power is cut, a thousand syncs would only take time. */
const unsyncedDisk: Disk = { ...realDisk, fsyncSync() {}, async fsync() {}, async fdatasync() {} }
