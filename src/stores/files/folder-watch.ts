import { basename, dirname } from 'node:path'
import { codeOf, type Disk } from './disk.ts'

/** A hint that a file may have changed. Polling stays the floor, so a hint may be missing but never costs a fact. */
export interface FolderWatch {
  /** Calls `changed` when `path` may have changed or come into being. Returns what ends it. */
  on(path: string, changed: () => void): () => void
  /** Looks again for folders that did not exist. */
  refresh(): void
}

interface Folder {
  readonly path: string
  readonly listeners: Set<(name: string | null) => void>
  watched: string | undefined
  stop: () => void
}

/**
 * Watches the folder a file is in, never the file: a watch on a file follows it when it is renamed away and is blind
 * to the one that takes its name. One watch serves all files of a folder.
 */
export function createFolderWatch(disk: Disk, warn: (message: string) => void): FolderWatch {
  const folders = new Map<string, Folder>()
  let isPolling = false

  return {
    on(path, changed) {
      const folderPath = dirname(path)
      const folder = folders.get(folderPath) ?? open(folderPath)
      const name = basename(path)
      const listener = (what: string | null) => {
        if (what === null || what === name) changed()
      }
      folder.listeners.add(listener)
      return () => {
        folder.listeners.delete(listener)
        if (folder.listeners.size > 0) return
        folder.stop()
        folders.delete(folderPath)
      }
    },
    refresh() {
      for (const folder of folders.values()) if (folder.watched !== folder.path) attach(folder)
    },
  }

  function open(path: string): Folder {
    const folder: Folder = { path, listeners: new Set(), watched: undefined, stop: () => {} }
    folders.set(path, folder)
    attach(folder)
    return folder
  }

  /** A folder that is not there yet is awaited at the nearest one above it. */
  function attach(folder: Folder): void {
    if (isPolling) return
    folder.stop()
    folder.stop = () => {}
    for (let path = folder.path; ; path = dirname(path)) {
      try {
        folder.stop = disk.watch(path, (name) => heard(folder, name), poll)
        folder.watched = path
        return
      } catch (error) {
        if (codeOf(error) !== 'ENOENT') poll(error)
        if (isPolling || path === dirname(path)) return
      }
    }
  }

  function heard(folder: Folder, name: string | null): void {
    if (folder.watched !== folder.path) {
      attach(folder)
      name = null
    }
    for (const listener of [...folder.listeners]) listener(name)
  }

  function poll(error: unknown): void {
    if (isPolling) return
    isPolling = true
    warn(`Cannot watch folders (${codeOf(error) ?? error}), so news may take up to 2 seconds. Raise fs.inotify limits.`)
  }
}
