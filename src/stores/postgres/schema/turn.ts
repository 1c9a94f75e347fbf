import { boundedRecords, numbersOf, readStatement } from './statements.ts'

/**
 * Whoever wants the head row waits for its turn first: the row itself wakes all who wait for it whenever one lets go,
 * and only one of them gets it. Turns are given in the order in which they were asked for. Those who `queues` (an
 * expression) is true for stand in a line before that, so that only the first of them asks, however many there are. All waits together are no longer than the time-out. Needs `p_lock_timeout` in
 * milliseconds, `v_began` and `v_left`, and `v_wait` where anybody queues.
 */
export function takeTurn(schema: string, log: string, queues: string): string {
  const wait = `perform pg_catalog.pg_advisory_xact_lock(${numbersOf(schema, 'turn', log)});`
  return `if p_lock_timeout is not null then
      perform pg_catalog.set_config('lock_timeout', p_lock_timeout, true);
    end if;
    ${queues === 'false' ? '' : queue(schema, log, queues)}
    ${wait}
    ${leaveLess}`
}

/** How long the first of the line waits for whoever has the floor, in milliseconds: for a few decisions. */
const COURTESY = 10

/**
 * The first of the line also waits for the floor, for a moment: else letters would come between any two decisions, and
 * each decider would have to fold them before the next. Whoever stalls with the floor costs them that moment only.
 */
function queue(schema: string, log: string, queues: string): string {
  return `if ${queues} then
      perform pg_catalog.pg_advisory_xact_lock(${numbersOf(schema, 'line', log)});
      v_wait := pg_catalog.current_setting('lock_timeout');
      begin
        perform pg_catalog.set_config('lock_timeout', '${COURTESY}', true);
        perform pg_catalog.pg_advisory_xact_lock(${numbersOf(schema, 'floor', log)});
      exception when lock_not_available then
        null;
      end;
      perform pg_catalog.set_config('lock_timeout', v_wait, true);
      ${leaveLess}
    end if;`
}

const leaveLess = `if p_lock_timeout is not null and clock_timestamp() > v_began + interval '50 milliseconds' then
      v_left := p_lock_timeout::int - ceil(extract(epoch from clock_timestamp() - v_began) * 1000)::int;
      perform pg_catalog.set_config('lock_timeout', greatest(1, v_left)::text, true);
    end if;`

/**
 * Takes the head row for the rest of the transaction, and answers like a read: nothing is newer than what it returns,
 * because each statement in here sees everything that was committed when it began.
 */
export function holdFunction(schema: string): string {
  return `
create function ${schema}.hold(p_log bigint, p_at bigint, p_lock_timeout text) returns table (
  log bigint, head bigint, waiting_tries int, waiting_ms int, at_id text, seq bigint, id text, size int, body text
) language plpgsql volatile as $hold$
#variable_conflict use_column
declare
  h ${schema}.logs%rowtype;
  v_at_id text;
  v_waiting_ms int;
  v_began timestamptz := clock_timestamp();
  v_left int;
begin
  ${takeTurn(schema, 'p_log', 'false')}
  select * into h from ${schema}.logs l where l.log = p_log and l.removed is null for update;
  if not found then
    return;
  end if;
  select r.id into v_at_id from ${schema}.records r where r.log = p_log and r.seq = p_at;
  v_waiting_ms := greatest(0, ceil(extract(epoch from h.waiting_until - clock_timestamp()) * 1000));
  if h.seq <= p_at then
    return query select h.log, h.seq, h.waiting_tries, v_waiting_ms, v_at_id, null::bigint, null, null::int, null;
    return;
  end if;
  return query select h.log, h.seq, h.waiting_tries, v_waiting_ms, v_at_id, n.seq, n.id, n.size, n.body
    from ${boundedRecords(schema, 'p_log', 'p_at')} n order by n.seq;
end
$hold$;
`
}

/** Waits for the floor, see floor.ts, and answers like a read. */
export function floorFunction(schema: string): string {
  return `
create function ${schema}.take_floor(p_log bigint, p_at bigint, p_lock_timeout text) returns table (
  log bigint, head bigint, waiting_tries int, waiting_ms int, at_id text, seq bigint, id text, size int, body text
) language plpgsql volatile as $floor$
begin
  perform pg_catalog.set_config('lock_timeout', p_lock_timeout, true);
  perform pg_catalog.pg_advisory_lock(${numbersOf(schema, 'floor', 'p_log')});
  return query ${readStatement(schema, 'h.log = p_log', 'p_at')};
end
$floor$;
`
}
