import { homedir } from 'node:os'
import { resolve } from 'node:path'
import type { Store } from '../ports/store.ts'
import { realDisk } from '../stores/files/disk.ts'
import { openFileStore } from '../stores/files/file-store.ts'
import { refuseNetworkFileSystem } from '../stores/files/file-system-kind.ts'
import { openMirror } from '../stores/files/mirror.ts'
import { filePresence } from '../stores/files/presence.ts'
import { findRoot, type Root } from '../stores/files/root.ts'
import { mayWrite, openTrust, type Trust } from '../stores/files/trust.ts'
import type { Call } from './context.ts'
import { Misused } from './failure.ts'
import { warn } from './print.ts'

/** Where the teams of this call live. */
export interface Place extends AsyncDisposable, Root {
  readonly store: Store
  readonly trust: Trust
}

export async function openStore(call: Call): Promise<Place> {
  refuseOtherStores(call)
  const { env } = call
  const place = findRoot(resolve(call.cwd, call.globals.cwd ?? '.'), env, env.HOME || homedir())
  const complain = (message: string) => void warn(call, message)
  const trust = openTrust(env, { warn: complain })
  const store = await openFileStore({
    dir: place.root,
    disk: realDisk,
    presence: filePresence({ dir: place.root, disk: realDisk, clock: Date }),
    mirror: (team) => openMirror({ dir: place.root, team, disk: realDisk, warn: complain }),
    mayWrite: mayWrite(trust, place.root),
    refuse: (dir) => refuseNetworkFileSystem(dir, realDisk),
    warn: complain,
  })
  return { ...place, store, trust, [Symbol.asyncDispose]: () => store[Symbol.asyncDispose]() }
}

function refuseOtherStores({ globals, env }: Call): void {
  const wanted = globals.store ?? (env.DESKMATES_STORE || 'files')
  if (wanted === 'files') return
  if (/^postgres(ql)?:/.test(wanted)) {
    throw new Misused('This version of deskmates keeps teams in files only; PostgreSQL comes later. Use: --store files')
  }
  // The text is not repeated: it may be an address with a password in it.
  throw new Misused('--store (or DESKMATES_STORE) is neither files nor an address that begins with postgres://')
}
