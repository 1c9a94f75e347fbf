import { homedir } from 'node:os'
import { join } from 'node:path'
import { START } from './journal/log/cursor.ts'
import type { Store } from './journal/log/store.ts'
import { realDisk } from './stores/files/disk.ts'
import { refuseNetworkFileSystem } from './stores/files/file-system-kind.ts'
import { removeTeamTokens } from './stores/files/identity/member-tokens.ts'
import { mayWrite, openTrust, type Trust } from './stores/files/identity/trust.ts'
import { openFileStore } from './stores/files/store.ts'
import { openViews } from './stores/files/views/views.ts'
import { findRoot, type Root } from './stores/files/workspace-root.ts'
import type { PostgresStoreOptions } from './stores/postgres/store.ts'
import { warnOnStderr } from './stores/warning.ts'

/** The teams of one folder, or those of a database. */
export interface Workspace extends AsyncDisposable, Root {
  readonly store: Store
  /** The folder with journals, views and inbox files, which people can read, copy and repair; a database has none. */
  readonly teamsFolder: string | undefined
  /** A journal in a folder may come from elsewhere; a database is trusted with its address. */
  readonly teamsNeedTrust: boolean
  readonly trust: Trust
  /** Where a team's journal is, to show to people. */
  journalOf(team: string): string
}

export interface WorkspaceOptions {
  /** The search for the workspace root starts here; by default the current folder. */
  readonly cwd?: string
  readonly env?: Env
  readonly durability?: 'power' | 'process'
  /** `files` (the default) or `postgres://…`. */
  readonly store?: string
  readonly warn?: (message: string) => void
}

/** The command line opens the same: a team made by one can be used by the other. */
export async function openWorkspace(options: WorkspaceOptions = {}): Promise<Workspace> {
  const { cwd = process.cwd(), env = process.env, durability, warn = warnOnStderr } = options
  const root = findRoot(cwd, env, env.HOME || homedir())
  const trust = openTrust(env, { warn })
  if (options.store !== undefined && options.store !== 'files')
    return openDatabase(options.store, root, trust, { env, warn })
  const teamsFolder = join(root.root, '.teams')
  const journals = await openFileStore({
    dir: root.root,
    durability,
    warn,
    views: (team) => openViews({ dir: root.root, team, disk: realDisk, warn }),
    mayWrite: mayWrite(trust, root.root),
    checkFileSystem: (dir) => refuseNetworkFileSystem(dir, realDisk),
  })
  const journalOf = (team: string) => join(teamsFolder, team, 'journal.jsonl')
  const store = withoutRemains(journals, { env, trust, journalOf })
  return {
    ...root,
    store,
    teamsFolder,
    teamsNeedTrust: true,
    trust,
    journalOf,
    [Symbol.asyncDispose]: () => store[Symbol.asyncDispose](),
  }
}

async function openDatabase(
  url: string,
  root: Root,
  trust: Trust,
  { env, warn }: { readonly env: Env; warn(message: string): void },
): Promise<Workspace> {
  const { parseAddress } = await import('./stores/postgres/connection/address.ts')
  const { shown } = parseAddress(url)
  const journalOf = (team: string) => `${shown} ${team}/journal`
  const store = withoutRemains(await openPostgresStore({ url, warn }), { env, trust, journalOf })
  return {
    ...root,
    store,
    teamsFolder: undefined,
    teamsNeedTrust: false,
    trust: { ...trust, isTeamTrusted: () => true },
    journalOf,
    [Symbol.asyncDispose]: () => store[Symbol.asyncDispose](),
  }
}

/**
 * However a team is removed, what the state folder of this user keeps about it goes with it: tokens of its members, that it is
 * trusted, and how to reach its session, if that was killed.
 */
function withoutRemains(
  store: Store,
  { env, trust, journalOf }: { readonly env: Env; readonly trust: Trust } & Pick<Workspace, 'journalOf'>,
): Store {
  const remove = store.remove.bind(store)
  return Object.assign(store, {
    async remove(team: string, purge: boolean) {
      const id = await idOf(store, team).catch(() => undefined)
      await remove(team, purge)
      const { removeLeftControl } = await import('./stores/files/identity/left-controls.ts')
      await removeLeftControl(env, journalOf(team))
      if (id === undefined) return
      removeTeamTokens(env, { name: team, id })
      trust.forgetTeam(id)
    },
  })
}

/** A team is known by the record that created it, which is the first of its journal. */
async function idOf(store: Store, team: string): Promise<string | undefined> {
  const log = await store.log(`${team}/journal`)
  try {
    return (await log.read(START))[0]?.record.id
  } finally {
    await log.close()
  }
}

type Env = Readonly<Record<string, string | undefined>>

/** Loads the PostgreSQL driver on first use: a workspace on files never loads it. */
export async function openPostgresStore(options: PostgresStoreOptions): Promise<Store> {
  const adapter = await import('./stores/postgres/store.ts')
  return adapter.openPostgresStore(options)
}
