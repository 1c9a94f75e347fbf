import { basename, dirname } from 'node:path'
import { codeOf, type Disk } from './disk.ts'

/** Hints that a file may have changed. A hint may be missing, so readers also poll. */
export interface FolderWatch {
  /** Calls `changed` when `path` may have changed or been created. Returns what ends it. */
  on(path: string, changed: () => void): () => void
  /** Tries again to watch folders that did not exist. */
  refresh(): void
}

interface Folder {
  readonly path: string
  readonly listeners: Set<(name: string | null) => void>
  watched: string | undefined
  stop: () => void
}

/**
 * Watches the folder of a file, never the file: a watch on a file follows it when it is renamed and does not see the one that
 * takes its name. One watch serves all files of a folder.
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

  /** For a folder that does not exist yet, the nearest existing ancestor is watched. */
  function attach(folder: Folder): void {
    if (isPolling) return
    folder.stop()
    folder.stop = () => {}
    for (let path = folder.path; ; path = dirname(path)) {
      try {
        folder.stop = disk.watch(path, (name) => notify(folder, name), poll)
        folder.watched = path
        return
      } catch (error) {
        if (codeOf(error) !== 'ENOENT') poll(error)
        if (isPolling || path === dirname(path)) return
      }
    }
  }

  function notify(folder: Folder, name: string | null): void {
    if (folder.watched !== folder.path) {
      attach(folder)
      name = null
    }
    for (const listener of [...folder.listeners]) listener(name)
  }

  function poll(error: unknown): void {
    if (isPolling) return
    isPolling = true
    warn(
      `Cannot watch folders (${codeOf(error) ?? error}), so changes are seen every 2 seconds only. Raise the fs.inotify limits.`,
    )
  }
}
