/** One answer holds at most this much, and always at least one record. */
const MAX_RECORDS = 1000
const MAX_BYTES = 512 * 1024

/** The records of a log after the number `at`, as many as one answer holds. `log` and `at` are SQL expressions. */
export function boundedRecords(schema: string, log: string, at: string): string {
  return `(
    select w.seq, w.id, w.mark, w.size, w.body from (
      select c.*, sum(octet_length(c.body)) over (order by c.seq) - octet_length(c.body) as before
      from (
        select r.seq, r.id, r.mark, r.size, r.body from ${schema}.records r
        where r.log = ${log} and r.seq > ${at} order by r.seq limit ${MAX_RECORDS}
      ) c
    ) w where w.before < ${MAX_BYTES}
  )`
}

const HEAD = `h.log, h.seq as head, h.waiting_tries,
    greatest(0, ceil(extract(epoch from h.waiting_until - clock_timestamp()) * 1000))::int as waiting_ms`

/**
 * The lock that every writer of a log takes before the head row and keeps until its transaction ends. PostgreSQL grants an
 * advisory lock in the order of the requests and wakes one waiter. A change of a row wakes all transactions that wait for
 * it, and one that came later may be first. `log` is an SQL expression.
 */
export function writersLock(schema: string, log: string): string {
  return `pg_catalog.pg_advisory_xact_lock(pg_catalog.hashtextextended('deskmates ${schema}', ${log}))`
}

/** The head of a log, the id of the record at a number, and the records after it. */
function readStatement(schema: string, which: string, at: string): string {
  return `
    select ${HEAD}, p.id as at_id, n.seq, n.id, n.size, n.body
    from ${schema}.logs h
    left join ${schema}.records p on p.log = h.log and p.seq = ${at}
    left join lateral ${boundedRecords(schema, 'h.log', at)} n on true
    where ${which} and h.removed is null order by n.seq`
}

/** One round trip each. */
export function createStatements(schema: string) {
  return {
    readByName: readStatement(schema, 'h.name = $1::text', '$2::bigint'),
    readByLog: readStatement(schema, 'h.log = $1::bigint', '$2::bigint'),
    append: `select * from ${schema}.append($1, $2::bigint, $3::bigint, $4, $5::text[], $6, $7,
      $8::text[], $9::text[], $10::int[], $11::text[], $12::int[], $13::text[], $14::int[], $15::text[])`,
    takeLock: (log: number) => `select ${writersLock(schema, String(log))}`,
    head: `select ${HEAD} from ${schema}.logs h where h.log = $1::bigint and h.removed is null`,
    current: `select log from ${schema}.logs where name = $1::text and removed is null`,
    knows: `select exists (
      select from ${schema}.records r join ${schema}.logs h on h.log = r.log
      where h.name = $1::text and h.removed is null and r.id = $2::text) as known`,
    bodies: `select b.id, b.part, b.body from unnest($2::text[], $3::int[]) w (id, part)
      join ${schema}.bodies b on b.log = $1::bigint and b.id = w.id and b.part = w.part`,
    snapshot: `select h.log, s.seq, s.id, s.last, s.state from ${schema}.logs h
      join ${schema}.snapshots s on s.log = h.log and s.aside = $2::boolean and s.fold = $3::int
      join ${schema}.records r on r.log = h.log and r.seq = s.seq and r.id = s.id
      where h.name = $1::text and h.removed is null`,
    snapshotAt: `select seq from ${schema}.snapshots where log = $1::bigint and aside = $2::boolean`,
    keepSnapshot: `insert into ${schema}.snapshots (log, aside, fold, seq, id, last, state)
      values ($1::bigint, $2::boolean, $3::int, $4::bigint, $5, $6, $7)
      on conflict (log, aside) do update
      set fold = excluded.fold, seq = excluded.seq, id = excluded.id, last = excluded.last, state = excluded.state`,
    teams: `select name from ${schema}.logs where removed is null and seq > 0 and name like '%/journal'`,
    remove: `update ${schema}.logs set removed = clock_timestamp()
      where removed is null and starts_with(name, $1::text || '/') returning log`,
    purgeSome: (table: 'records' | 'bodies') => `with part as (
        select ctid from ${schema}.${table} where log = $1::bigint limit 5000
      ), gone as (delete from ${schema}.${table} where ctid in (select ctid from part) returning 1)
      select count(*)::int as gone from gone`,
    purgeRest: `with s as (delete from ${schema}.snapshots where log = $1::bigint)
      delete from ${schema}.logs where log = $1::bigint`,
    /** A lost hint does no harm, so its commit does not wait for the disk. */
    notify: `select pg_catalog.set_config('synchronous_commit', 'off', true), pg_notify($1::text, $2::text)`,
    clock: 'select floor(extract(epoch from clock_timestamp()) * 1000)::float8 as now',
    renew: `insert into ${schema}.leases (runtime, team, until)
      values ($1::text, $2::text, clock_timestamp() + $3::float8 * interval '1 millisecond')
      on conflict (runtime, team) do update set until = excluded.until where leases.until > '-infinity'
      returning 1 as renewed`,
    /** Ends a lease only when its time is over. The row without a team is the one that its holder renews before it acts. */
    endLease: `insert into ${schema}.leases (runtime, team, until) values ($1::text, '', '-infinity')
      on conflict (runtime, team) do update set until = excluded.until where leases.until <= clock_timestamp()
      returning 1 as ended`,
    withdraw: `delete from ${schema}.leases where runtime = $1::text and team = $2::text`,
    leave: `with others as (delete from ${schema}.leases where runtime = $1::text and team <> '')
      insert into ${schema}.leases (runtime, team, until) values ($1::text, '', clock_timestamp())
      on conflict (runtime, team) do update set until = excluded.until`,
    look: `select max(extract(epoch from l.until))::float8 * 1000 as until,
      (extract(epoch from clock_timestamp()) * 1000)::float8 as now
      from ${schema}.leases l where l.runtime = $1::text`,
    /** An ended lease stays for 30 days: as long as its holder could still try to renew it. */
    sweep: `delete from ${schema}.leases where until < clock_timestamp() - interval '1 day'
      and (until > '-infinity' or split_part(runtime, '-', 2)::float8
        < extract(epoch from clock_timestamp() - interval '30 days') * 1000)`,
  }
}

export type Statements = ReturnType<typeof createStatements>

/** An array literal of PostgreSQL. */
export function arrayOf(values: readonly (string | number | null)[]): string {
  const quoted = (value: string) => `"${value.replace(/[\\"]/g, '\\$&')}"`
  return `{${values.map((value) => (typeof value === 'string' ? quoted(value) : String(value))).join(',')}}`
}
