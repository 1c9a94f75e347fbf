import { boundedRecords, writersLock } from './statements.ts'

/**
 * The acceptance rule on the server: one call appends a whole batch in one statement. It takes the writers' lock and the
 * head row, judges the records in order, inserts those that count under the next numbers, moves the head and returns the verdicts. It also
 * returns the records that were written since `p_at` (the caller's own without their text), so a caller that lost can
 * decide again at once. If none were written (`before` equals `p_at`), the caller's own records follow `p_at` directly.
 *
 * Under READ COMMITTED each statement of the function sees everything that was committed when the statement began. The
 * head row is locked first, so that is the whole log: numbers follow the order of commits without gaps, and mail waits
 * for the lock but never has to be sent again. The row alone keeps the log right; the writers' lock makes the waiting fair.
 *
 * `p_mark` names the call. A call that is sent twice (the first answer was lost) finds its own records under its mark and
 * answers `a`, as the first time; a record of that id from another call is `r`, repeated. Refused records are not kept.
 */
export function appendFunction(schema: string): string {
  return `
create function ${schema}.append(
  p_name text, p_log bigint, p_at bigint, p_at_id text, p_knows text[], p_lock_timeout text, p_mark text,
  p_ids text[], p_afters text[], p_tries int[], p_needs text[], p_sizes int[], p_bodies text[],
  p_texts_of int[], p_texts text[]
) returns table (
  status text, outcomes text, log bigint, before bigint, head bigint, waiting_tries int, waiting_ms int,
  seq bigint, id text, size int, body text
) language plpgsql volatile as $append$
#variable_conflict use_column
declare
  h ${schema}.logs%rowtype;
  v_outcomes text := '';
  v_moved boolean := false;
  v_mark text;
  v_need text;
  v_before bigint;
  v_log bigint;
begin
  if p_lock_timeout is not null then
    perform pg_catalog.set_config('lock_timeout', p_lock_timeout, true);
  end if;
  if pg_catalog.current_setting('synchronous_commit') = 'off' then
    perform pg_catalog.set_config('synchronous_commit', 'on', true);
  end if;

  loop
    v_log := p_log;
    if v_log is null then
      insert into ${schema}.logs (name) select p_name
        where not exists (select from ${schema}.logs l where l.name = p_name and l.removed is null)
        on conflict do nothing;
      select l.log into v_log from ${schema}.logs l where l.name = p_name and l.removed is null;
    end if;
    perform ${writersLock(schema, 'v_log')};
    select * into h from ${schema}.logs l where l.log = v_log and l.removed is null for update;
    -- Without p_log the log was looked up by name, and the log of that name was removed during the wait.
    exit when found or p_log is not null;
  end loop;
  if not found or (p_at > 0 and not exists (
    select from ${schema}.records r where r.log = h.log and r.seq = p_at and r.id = p_at_id
  )) then
    return query select 'replaced', '', h.log, h.seq, h.seq, 0, 0, null::bigint, null, null::int, null;
    return;
  end if;
  if h.needs <> '{}' then
    select n into v_need from unnest(h.needs) n where split_part(n, '@', 1) <> all (p_knows) limit 1;
  end if;
  if v_need is not null then
    return query select 'newer', v_need, h.log, h.seq, h.seq, 0, 0, null::bigint, null, null::int, null;
    return;
  end if;

  v_before := h.seq;
  for i in 1 .. cardinality(p_ids) loop
    select r.mark into v_mark from ${schema}.records r where r.log = h.log and r.id = p_ids[i];
    if found then
      v_outcomes := v_outcomes || case when v_mark = p_mark || '.' || i then 'a' else 'r' end;
    elsif p_afters[i] is null or p_afters[i] = h.last then
      h.seq := h.seq + 1;
      insert into ${schema}.records (log, seq, id, mark, size, body)
        values (h.log, h.seq, p_ids[i], p_mark || '.' || i, p_sizes[i], p_bodies[i]);
      if i = any (p_texts_of) then
        insert into ${schema}.bodies (log, id, part, body)
          select h.log, p_ids[i], (row_number() over (order by t.place))::int, t.body
          from unnest(p_texts_of, p_texts) with ordinality t (of, body, place) where t.of = i;
      end if;
      if p_needs[i] <> '' then
        h.needs := h.needs || string_to_array(p_needs[i], E'\\n');
      end if;
      if p_afters[i] is not null then
        h.last := p_ids[i];
        if h.waiting = p_ids[i] then
          h.waiting := null;
          h.waiting_tries := 0;
        end if;
      end if;
      v_moved := true;
      v_outcomes := v_outcomes || 'a';
    else
      if p_afters[i] <> '' and p_afters[i] <> all (p_ids[1 : i - 1]) and not exists (
        select from ${schema}.records r where r.log = h.log and r.id = p_afters[i]
      ) then
        raise exception 'follows %, which is not in this log', p_afters[i] using errcode = 'DM001', detail = p_ids[i];
      end if;
      if p_tries[i] >= 3 and (h.waiting_tries <= p_tries[i] or h.waiting_until < clock_timestamp()) then
        h.waiting := p_ids[i];
        h.waiting_tries := p_tries[i];
        h.waiting_until := clock_timestamp() + interval '200 milliseconds';
        v_moved := true;
      end if;
      v_outcomes := v_outcomes || 'c';
    end if;
  end loop;

  if v_moved then
    update ${schema}.logs l set seq = h.seq, last = h.last, needs = h.needs,
      waiting = h.waiting, waiting_tries = h.waiting_tries, waiting_until = h.waiting_until
    where l.log = h.log;
  elsif v_outcomes !~ '[ar]' then
    -- A row lock alone makes a commit wait for the disk while it holds the head. A caller that only lost need not wait;
    -- a caller whose record was there before must: a standby may not have it yet.
    perform pg_catalog.set_config('synchronous_commit', 'off', true);
  end if;
  return query select 'done', v_outcomes, h.log, v_before, h.seq, h.waiting_tries,
    greatest(0, ceil(extract(epoch from h.waiting_until - clock_timestamp()) * 1000))::int, null::bigint, null, null::int, null;
  if p_at < v_before then
    return query select null, null, null::bigint, null::bigint, null::bigint, 0, 0, n.seq, n.id, n.size,
      case when starts_with(n.mark, p_mark || '.') then null else n.body end
      from ${boundedRecords(schema, 'h.log', 'p_at')} n order by n.seq;
  end if;
end
$append$;
`
}
