import { type Disk, realDisk } from '../../src/stores/files/disk.ts'

/**
 * The real disk without waiting for it, since no power is cut here, and with a way to close what a dead process left
 * open in this one.
 */
export function closingDisk(): { disk: Disk; closeAll(): void } {
  const open = new Set<number>()
  const watches = new Set<() => void>()
  const disk: Disk = {
    ...realDisk,
    openSync(path, flags, mode) {
      const fd = realDisk.openSync(path, flags, mode)
      open.add(fd)
      return fd
    },
    closeSync(fd) {
      open.delete(fd)
      realDisk.closeSync(fd)
    },
    watch(path, changed, failed) {
      const stop = realDisk.watch(path, changed, failed)
      watches.add(stop)
      return () => void (watches.delete(stop) && stop())
    },
    fsyncSync() {},
    async fdatasync() {},
  }
  return {
    disk,
    closeAll() {
      for (const fd of open) realDisk.closeSync(fd)
      for (const stop of watches) stop()
      open.clear()
      watches.clear()
    },
  }
}
