import type { Database } from './database.ts'

/** What a standby leaves of a journal that took over and was behind: everything after the record `seq` is gone. */
export async function loseEnd({ sql }: Database, schema: string, seq: number): Promise<void> {
  await sql(`do $$ declare journal bigint; begin
    select log into journal from ${schema}.logs where name like '%/journal' and removed is null;
    delete from ${schema}.records where log = journal and seq > ${seq};
    delete from ${schema}.snapshots where log = journal and seq > ${seq};
    update ${schema}.logs l set seq = ${seq}, last = coalesce((
      select r.id from ${schema}.records r
      where r.log = journal and r.body::json ->> 'after' is not null order by r.seq desc limit 1), '')
    where l.log = journal;
  end $$`)
}
