import type { Line } from '../connection/connection.ts'
import type { Lines } from '../connection/connection-pool.ts'
import { codeOf, LineLost, StoreRefused, StoreTooNew, StoreUnreachable } from '../connection/failures.ts'
import { appendFunction } from './append-function.ts'
import { floorFunction, holdFunction } from './turn.ts'

/** Goes up with every change of the tables. */
const VERSION = 1
/** For a server that was not there before we wait less, in milliseconds: there may be a mistake in its address. */
const OPENING = 1000
/** The first deskmates that knows this version. */
const NEEDS = '0.1.0'

/**
 * Makes our tables on first use. Eight processes may do so at once: one makes them, the others wait for its commit and
 * find them there.
 */
export async function ensureSchema(lines: Lines): Promise<void> {
  const { schema, shown } = lines.address
  const until = performance.now() + Math.min(lines.patience.connect, OPENING)
  for (;;) {
    try {
      return await withLine(lines, async (line) => {
        const found = (await versionOf(line, schema)) ?? (await make(line, schema))
        if (found.version > VERSION) throw new StoreTooNew(shown, schema, found.needs)
      })
    } catch (error) {
      if (codeOf(error) === '42501') {
        const advice = `Let this user make it, or run as another: create schema ${schema} authorization USER;`
        throw new StoreRefused(shown, error, advice)
      }
      if (codeOf(error) !== undefined) throw new StoreRefused(shown, error)
      if (!(error instanceof LineLost)) throw error
      if (performance.now() > until) throw new StoreUnreachable(shown, error)
      await new Promise((resolve) => setTimeout(resolve, 100))
    }
  }
}

async function withLine<T>(lines: Lines, work: (line: Line) => Promise<T>): Promise<T> {
  const line = await lines.take()
  try {
    return await work(line)
  } finally {
    lines.give(line)
  }
}

interface Version {
  readonly version: number
  readonly needs: string
}

async function versionOf(line: Line, schema: string): Promise<Version | undefined> {
  try {
    const [row] = await line.run(`select version, needs from ${schema}.version`, [], 'plain')
    return row && { version: Number(row.version), needs: String(row.needs) }
  } catch (error) {
    // No such schema, no such table.
    if (codeOf(error) === '42P01' || codeOf(error) === '3F000') return undefined
    throw error
  }
}

async function make(line: Line, schema: string): Promise<Version> {
  await line.run('begin', [], 'plain')
  try {
    await line.run(`select pg_catalog.pg_advisory_xact_lock(pg_catalog.hashtext('deskmates ${schema}'))`, [], 'plain')
    const [there] = await line.run(
      `select pg_catalog.to_regclass('${schema}.version') is not null as made`,
      [],
      'plain',
    )
    const functions = [appendFunction, holdFunction, floorFunction].map((make) => make(schema)).join('')
    if (!there?.made) await line.run(tables(schema) + functions, [], 'plain')
    const version = await versionOf(line, schema)
    await line.run('commit', [], 'plain')
    if (!version) throw new Error(`Schema ${schema} was made and holds no version.`)
    return version
  } catch (error) {
    if (line.isOpen) await line.run('rollback', [], 'plain')
    throw error
  }
}

/**
 * One row of `logs` is the head of a log: whoever moves it decides. A record's text is kept as it was written, as JSON
 * in a plain column: PostgreSQL's own JSON takes neither every string nor every order of members. Texts over 8 KB lie
 * in `bodies`, once, and a short ticket in their place.
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
