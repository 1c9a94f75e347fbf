import type { Connection } from '../connection/connection.ts'
import type { ConnectionPool } from '../connection/connection-pool.ts'
import { ConnectionLost, codeOf, StoreRefused, StoreTooNew, StoreUnreachable } from '../connection/failures.ts'
import { appendFunction } from './append-function.ts'

/** Incremented with every change of the tables. */
const VERSION = 1
/** A server that was never reached is waited for less long: its address may be wrong. */
const FIRST_CONNECT_MS = 1000
const RETRY_DELAY_MS = 100
/** The first deskmates that knows this version. */
const NEEDS = '0.1.0'

/** Creates the tables on first use. When several processes try at once, one creates them and the others wait for its commit. */
export async function ensureSchema(pool: ConnectionPool): Promise<void> {
  const { schema, shown } = pool.address
  const until = performance.now() + Math.min(pool.timeouts.connect, FIRST_CONNECT_MS)
  for (;;) {
    try {
      return await withConnection(pool, async (connection) => {
        const found = (await versionOf(connection, schema)) ?? (await create(connection, schema))
        if (found.version > VERSION) throw new StoreTooNew(shown, schema, found.needs)
      })
    } catch (error) {
      if (codeOf(error) === '42501') {
        const advice = `Allow this user to create it, or run as an administrator: create schema ${schema} authorization USER;`
        throw new StoreRefused(shown, error, advice)
      }
      if (codeOf(error) !== undefined) throw new StoreRefused(shown, error)
      if (!(error instanceof ConnectionLost)) throw error
      if (performance.now() > until) throw new StoreUnreachable(shown, error)
      await new Promise((resolve) => setTimeout(resolve, RETRY_DELAY_MS))
    }
  }
}

async function withConnection<T>(pool: ConnectionPool, work: (connection: Connection) => Promise<T>): Promise<T> {
  const connection = await pool.take()
  try {
    return await work(connection)
  } finally {
    pool.give(connection)
  }
}

interface Version {
  readonly version: number
  readonly needs: string
}

async function versionOf(connection: Connection, schema: string): Promise<Version | undefined> {
  try {
    const [row] = await connection.run(`select version, needs from ${schema}.version`, [], 'plain')
    return row && { version: Number(row.version), needs: String(row.needs) }
  } catch (error) {
    // 42P01: no such table. 3F000: no such schema.
    if (codeOf(error) === '42P01' || codeOf(error) === '3F000') return undefined
    throw error
  }
}

async function create(connection: Connection, schema: string): Promise<Version> {
  await connection.run('begin', [], 'plain')
  try {
    await connection.run(
      `select pg_catalog.pg_advisory_xact_lock(pg_catalog.hashtext('deskmates ${schema}'))`,
      [],
      'plain',
    )
    const [there] = await connection.run(
      `select pg_catalog.to_regclass('${schema}.version') is not null as made`,
      [],
      'plain',
    )
    if (!there?.made) await connection.run(tables(schema) + appendFunction(schema), [], 'plain')
    const version = await versionOf(connection, schema)
    await connection.run('commit', [], 'plain')
    if (!version) throw new Error(`Schema ${schema} was created but holds no version.`)
    return version
  } catch (error) {
    if (connection.isOpen) await connection.run('rollback', [], 'plain')
    throw error
  }
}

/**
 * One row of `logs` is the head of a log: the process that moves it has decided. A record's text is kept as it was
 * written, as JSON in a text column: the JSON types of PostgreSQL keep neither every string nor every order of members.
 * Texts over 8 KB are kept once, in `bodies`, and replaced by a short reference. `snapshots.aside` says whether the state
 * holds such references.
 */
function tables(schema: string): string {
  return `
create schema if not exists ${schema};

create table ${schema}.version (version int not null, needs text not null);
insert into ${schema}.version values (${VERSION}, '${NEEDS}');

create table ${schema}.logs (
  log bigint generated always as identity primary key,
  name text collate "C" not null,
  seq bigint not null default 0,
  last text collate "C" not null default '',
  needs text[] not null default '{}',
  waiting text collate "C",
  waiting_tries int not null default 0,
  waiting_until timestamptz not null default 'epoch',
  made timestamptz not null default clock_timestamp(),
  removed timestamptz
) with (fillfactor = 20);
create unique index logs_name on ${schema}.logs (name) where removed is null;

create table ${schema}.records (
  log bigint not null,
  seq bigint not null,
  id text collate "C" not null,
  mark text collate "C" not null,
  size int not null,
  body text collate "C" not null,
  primary key (log, seq),
  unique (log, id)
);

create table ${schema}.bodies (
  log bigint not null,
  id text collate "C" not null,
  part int not null,
  body text collate "C" not null,
  primary key (log, id, part)
);

create table ${schema}.snapshots (
  log bigint not null,
  aside boolean not null,
  fold int not null,
  seq bigint not null,
  id text collate "C" not null,
  last text collate "C" not null,
  state text collate "C" not null,
  primary key (log, aside)
);

create table ${schema}.leases (
  runtime text collate "C" not null,
  team text collate "C" not null,
  until timestamptz not null,
  primary key (runtime, team)
);
`
}
