import type { Database } from './database.ts'

/** What a standby leaves of a log that took over and was behind: everything after the record `seq` is gone. */
export async function loseEnd({ sql }: Database, schema: string, seq: number, name = '%/journal'): Promise<void> {
  await sql(`do $$ declare lost bigint; begin
    select log into lost from ${schema}.logs where name like '${name}' and removed is null;
    delete from ${schema}.records where log = lost and seq > ${seq};
    delete from ${schema}.snapshots where log = lost and seq > ${seq};
    update ${schema}.logs l set seq = ${seq}, last = coalesce((
      select r.id from ${schema}.records r
      where r.log = lost and r.body::json ->> 'after' is not null order by r.seq desc limit 1), '')
    where l.log = lost;
  end $$`)
}
