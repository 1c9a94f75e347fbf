import { homedir } from 'node:os'
import type { Store } from './ports/store.ts'
import { realDisk } from './stores/files/disk.ts'
import { openFileStore } from './stores/files/file-store.ts'
import { refuseNetworkFileSystem } from './stores/files/file-system-kind.ts'
import { openMirror } from './stores/files/mirror.ts'
import { findRoot, type Root } from './stores/files/root.ts'
import { mayWrite, openTrust, type Trust } from './stores/files/trust.ts'

/** The teams of one folder on plain files, with all that belongs to them: views for people, the door, trust. */
export interface Workspace extends AsyncDisposable, Root {
  readonly store: Store
  readonly trust: Trust
}

export interface WorkspaceOptions {
  /** Where to look for the workspace root from; by default the current folder. */
  readonly cwd?: string
  readonly env?: Readonly<Record<string, string | undefined>>
  readonly durability?: 'power' | 'process'
  readonly warn?: (message: string) => void
}

/** What the command line opens too: a team made here can be used there, and the other way round. */
export async function openWorkspace(options: WorkspaceOptions = {}): Promise<Workspace> {
  const { cwd = process.cwd(), env = process.env, durability, warn = toStderr } = options
  const place = findRoot(cwd, env, env.HOME || homedir())
  const trust = openTrust(env, { warn })
  const store = await openFileStore({
    dir: place.root,
    durability,
    warn,
    mirror: (team) => openMirror({ dir: place.root, team, disk: realDisk, warn }),
    mayWrite: mayWrite(trust, place.root),
    refuse: (dir) => refuseNetworkFileSystem(dir, realDisk),
  })
  return { ...place, store, trust, [Symbol.asyncDispose]: () => store[Symbol.asyncDispose]() }
}

function toStderr(message: string): void {
  process.stderr.write(`deskmates: ${message}\n`)
}
