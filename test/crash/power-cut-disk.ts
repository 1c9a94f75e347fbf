import fs, { constants } from 'node:fs'
import { dirname } from 'node:path'
import { type Disk, realDisk } from '../../src/stores/files/disk.ts'

/** A disk whose power can be cut: what was not synced by then is gone. */
export interface PowerCutDisk {
  readonly disk: Disk
  /** `names`: are new, moved and removed names of folders that were not synced gone too? Both happen on real machines. */
  cut(names: 'kept' | 'lost'): void
}

interface Change {
  readonly folders: readonly string[]
  undo(): void
}

/** What is there when it begins is safe. Files are real, so that a process after the cut finds what is left. */
export function powerCutDisk(): PowerCutDisk {
  /** By path: how much of a file survives. */
  const safe = new Map<string, number>()
  const open = new Map<number, string>()
  /** Changes to folders that were not synced, in order. */
  let changes: Change[] = []

  const change = (paths: readonly string[], undo: () => void) =>
    void changes.push({ folders: paths.map((path) => dirname(path)), undo })

  function sync(fd: number): void {
    const path = open.get(fd)!
    const stats = fs.fstatSync(fd)
    if (stats.isDirectory()) changes = changes.filter(({ folders }) => !folders.includes(path))
    else safe.set(path, stats.size)
  }

  const disk: Disk = {
    ...realDisk,
    openSync(path, flags, mode) {
      const isNew = typeof flags === 'number' && (flags & constants.O_CREAT) !== 0 && !fs.existsSync(path)
      const fd = realDisk.openSync(path, flags, mode)
      open.set(fd, path)
      if (isNew) {
        safe.set(path, 0)
        change([path], () => fs.rmSync(path, { force: true }))
      } else if (!safe.has(path)) safe.set(path, fs.fstatSync(fd).size)
      return fd
    },
    closeSync(fd) {
      open.delete(fd)
      realDisk.closeSync(fd)
    },
    mkdirSync(path, mode) {
      realDisk.mkdirSync(path, mode)
      change([path], () => fs.rmSync(path, { recursive: true, force: true }))
    },
    renameSync(from, to) {
      const replaced = contentOf(to)
      const before = safe.get(to)
      realDisk.renameSync(from, to)
      safe.set(to, safe.get(from) ?? fs.statSync(to).size)
      safe.delete(from)
      for (const [fd, path] of open) if (path === from) open.set(fd, to)
      change([from, to], () => {
        if (fs.existsSync(to)) fs.renameSync(to, from)
        safe.set(from, safe.get(to) ?? 0)
        if (replaced) fs.writeFileSync(to, replaced)
        safe.set(to, before ?? replaced?.length ?? 0)
      })
    },
    unlinkSync(path) {
      const removed = contentOf(path)
      realDisk.unlinkSync(path)
      change([path], () => void (removed && fs.writeFileSync(path, removed)))
    },
    fsyncSync: sync,
    // A change that is made while the sync runs may be missing in it.
    async fsync(fd) {
      const path = open.get(fd)!
      const begun = new Set(changes)
      await Promise.resolve()
      changes = changes.filter((change) => !begun.has(change) || !change.folders.includes(path))
    },
    async fdatasync(fd) {
      const path = open.get(fd)!
      const { size } = fs.fstatSync(fd)
      await Promise.resolve()
      safe.set(path, size)
    },
  }

  return {
    disk,
    cut(names) {
      for (const fd of open.keys()) realDisk.closeSync(fd)
      open.clear()
      if (names === 'lost') for (const { undo } of changes.reverse()) undo()
      changes = []
      for (const [path, size] of safe) {
        const there = fs.statSync(path, { throwIfNoEntry: false })
        if (there?.isFile() && there.size > size) fs.truncateSync(path, size)
      }
    },
  }
}

function contentOf(path: string): Buffer | undefined {
  return fs.statSync(path, { throwIfNoEntry: false })?.isFile() ? fs.readFileSync(path) : undefined
}
