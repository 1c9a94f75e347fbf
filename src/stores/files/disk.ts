import fs, { type Stats, type StatsFs } from 'node:fs'
import { promisify } from 'node:util'
import { createAdaptiveSync } from './adaptive-sync.ts'

/**
 * Every file-system call of the files store, so that tests can count them, make each one fail and crash after any of them.
 * Calls that decide something are synchronous: between folding and writing nothing is awaited.
 */
export interface Disk {
  openSync(path: string, flags: string | number, mode?: number): number
  closeSync(fd: number): void
  /** May read less than asked for; 0 is the end. */
  readSync(fd: number, into: Uint8Array, offset: number, length: number, position: number): number
  /** One `write`; may write less than given. */
  writeSync(fd: number, bytes: Uint8Array): number
  readFileSync(path: string): Buffer
  fstatSync(fd: number): Stats
  /** Follows links; undefined when there is nothing at `path`. */
  statSync(path: string): Stats | undefined
  /** Of the link itself; undefined when there is nothing at `path`. */
  lstatSync(path: string): Stats | undefined
  realpathSync(path: string): string
  statfsSync(path: string): StatsFs
  readdirSync(path: string): string[]
  mkdirSync(path: string, mode: number): void
  rmdirSync(path: string): void
  renameSync(from: string, to: string): void
  linkSync(from: string, to: string): void
  unlinkSync(path: string): void
  /** Removes a whole tree, if it exists. */
  removeSync(path: string): void
  fsyncSync(fd: number): void
  fsync(fd: number): Promise<void>
  fdatasync(fd: number): Promise<void>
  /** Calls `changed` with the name of what changed inside the folder `path`; never keeps the process alive. */
  watch(path: string, changed: (name: string | null) => void, failed: (error: Error) => void): () => void
}

export const realDisk: Disk = {
  openSync: (path, flags, mode) => fs.openSync(path, flags, mode),
  closeSync: (fd) => fs.closeSync(fd),
  readSync: (fd, into, offset, length, position) => fs.readSync(fd, into, offset, length, position),
  writeSync: (fd, bytes) => fs.writeSync(fd, bytes),
  readFileSync: (path) => fs.readFileSync(path),
  fstatSync: (fd) => fs.fstatSync(fd),
  statSync: (path) => fs.statSync(path, { throwIfNoEntry: false }),
  lstatSync: (path) => fs.lstatSync(path, { throwIfNoEntry: false }),
  realpathSync: (path) => fs.realpathSync(path),
  statfsSync: (path) => fs.statfsSync(path),
  readdirSync: (path) => fs.readdirSync(path),
  mkdirSync: (path, mode) => void fs.mkdirSync(path, { mode }),
  rmdirSync: (path) => fs.rmdirSync(path),
  renameSync: (from, to) => fs.renameSync(from, to),
  linkSync: (from, to) => fs.linkSync(from, to),
  unlinkSync: (path) => fs.unlinkSync(path),
  removeSync: (path) => fs.rmSync(path, { recursive: true, force: true }),
  fsyncSync: (fd) => fs.fsyncSync(fd),
  fsync: promisify(fs.fsync),
  fdatasync: createAdaptiveSync(),
  watch(path, changed, failed) {
    const watcher = fs.watch(path, { persistent: false }, (_event, name) => changed(name))
    watcher.on('error', failed)
    return () => watcher.close()
  },
}

/** The result of `call`, or `otherwise` if the file or folder does not exist. */
export function ifMissing<T, U>(otherwise: U, call: () => T): T | U {
  try {
    return call()
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return otherwise
    throw error
  }
}

/** The result of `call`, undefined if it throws: for what may be missing, unreadable or broken. */
export function orUndefined<T>(call: () => T): T | undefined {
  try {
    return call()
  } catch {
    return undefined
  }
}

export function removeIfExists(disk: Disk, path: string): void {
  ifMissing(undefined, () => disk.unlinkSync(path))
}

/** The code of a system error (`ENOENT`, `ENOSPC` …), the only part of it worth branching on. */
export function codeOf(error: unknown): string | undefined {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : undefined
}
