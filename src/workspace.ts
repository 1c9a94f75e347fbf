import { homedir } from 'node:os'
import { join } from 'node:path'
import type { Store } from './journal/store.ts'
import { plainText } from './redaction/plain-text.ts'
import { realDisk } from './stores/files/disk.ts'
import { refuseNetworkFileSystem } from './stores/files/file-system-kind.ts'
import { mayWrite, openTrust, type Trust } from './stores/files/identity/trust.ts'
import { openFileStore } from './stores/files/store.ts'
import { openMirror } from './stores/files/views/views.ts'
import { findRoot, type Root } from './stores/files/workspace-root.ts'
import type { PostgresStoreOptions } from './stores/postgres/store.ts'

/** The teams of one folder on plain files, with all that belongs to them, or those of a database. */
export interface Workspace extends AsyncDisposable, Root {
  readonly store: Store
  /** Views for people and the door exist on files only. */
  readonly kind: 'files' | 'postgres'
  readonly trust: Trust
  /** Where a team's journal is, for people. */
  journalOf(team: string): string
}

export interface WorkspaceOptions {
  /** Where to look for the workspace root from; by default the current folder. */
  readonly cwd?: string
  readonly env?: Readonly<Record<string, string | undefined>>
  readonly durability?: 'power' | 'process'
  /** `postgres://…` for the teams of a database; by default those of the folder. */
  readonly store?: string
  readonly warn?: (message: string) => void
}

/** What the command line opens too: a team made here can be used there, and the other way round. */
export async function openWorkspace(options: WorkspaceOptions = {}): Promise<Workspace> {
  const { cwd = process.cwd(), env = process.env, durability, warn = toStderr } = options
  const place = findRoot(cwd, env, env.HOME || homedir())
  const trust = openTrust(env, { warn })
  if (options.store !== undefined && options.store !== 'files') return onPostgres(options.store, place, trust, warn)
  const journalOf = (team: string) => join(place.root, '.teams', team, 'journal.jsonl')
  const store = await openFileStore({
    dir: place.root,
    durability,
    warn,
    mirror: (team) => openMirror({ dir: place.root, team, disk: realDisk, warn }),
    mayWrite: mayWrite(trust, place.root),
    refuse: (dir) => refuseNetworkFileSystem(dir, realDisk),
  })
  return { ...place, store, kind: 'files', trust, journalOf, [Symbol.asyncDispose]: () => store[Symbol.asyncDispose]() }
}

/** Whoever has the address of a database and its password may write there, so its teams are trusted by it. */
async function onPostgres(url: string, place: Root, trust: Trust, warn: (message: string) => void): Promise<Workspace> {
  const { parseAddress } = await import('./stores/postgres/connection/address.ts')
  const { shown } = parseAddress(url)
  const store = await openPostgresStore({ url, warn })
  return {
    ...place,
    store,
    kind: 'postgres',
    trust: { ...trust, isTeamTrusted: () => true },
    journalOf: (team) => `${shown} ${team}/journal`,
    [Symbol.asyncDispose]: () => store[Symbol.asyncDispose](),
  }
}

/** Teams in a PostgreSQL database. Its driver is loaded here and nowhere else: files need none of it. */
export async function openPostgresStore(options: PostgresStoreOptions): Promise<Store> {
  const adapter = await import('./stores/postgres/store.ts')
  return adapter.openPostgresStore(options)
}

function toStderr(message: string): void {
  process.stderr.write(plainText(`deskmates: ${message}\n`))
}
