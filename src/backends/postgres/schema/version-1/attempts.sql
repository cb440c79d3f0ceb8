-- Attempts, cancellations, redrives and pauses. Rows that may require waiting are locked in the order of their ids.

create function {{schema}}.renew_v1(ids uuid[], tokens text[], leases float8[], progresses text[])
returns table (place integer, outcome text, cancel_requested boolean) language plpgsql
{{by_index}} set lock_timeout = '100ms'
as $function$
#variable_conflict use_column
declare
  at timestamptz := {{schema}}.now_v1();
  item record;
begin
  perform set_config('synchronous_commit', 'off', true);
  -- Rows that another transaction has locked are skipped, so that the others do not lose their leases.
  for item in
    select n.* from unnest(ids, tokens, leases, progresses) with ordinality as n(id, token, lease, progress, place)
    order by n.id, n.place
  loop
    place := item.place;
    cancel_requested := null;
    perform from {{schema}}.operations o
    where o.id = item.id and o.token = item.token and o.settled_at is null for update skip locked;
    if found then
      -- A lease of 0 stays as it is. No index then changes, which makes this a cheap (HOT) update.
      update {{schema}}.operations o set due_at = greatest(at + nullif(item.lease, 0) * interval '1 ms', o.due_at),
        progress = coalesce(nullif(item.progress, ''), o.progress)
      where o.id = item.id returning o.cancel_requested into cancel_requested;
      outcome := 'renewed';
      return next;
    elsif exists (
      select from {{schema}}.operations o where o.id = item.id and o.token = item.token and o.settled_at is null
    ) then
      outcome := 'locked';
      return next;
    end if;
  end loop;
end
$function$;

-- Returns no row for an operation that ended as asked, as nearly all do, and one without a state if the lease is lost. `texts`
-- contains the result, the error or the resource. `tokens` and `targets` have one element if it holds for all, and the other
-- arrays after `ids` are empty if no settlement has any: see `submissions_v1`. Rows are found by their id alone, because
-- another index would look cheap while the table is empty. `transaction_id` comes from `hold_v1`, or is empty.
create function {{schema}}.settle_v1(ids uuid[], tokens text[], targets text[], texts text[], last_errors text[],
  progresses text[], delays float8[], counts boolean[], starts boolean[], cancelled text, transaction_id text)
returns table (place integer, state text) language plpgsql
{{by_index}} set lock_timeout = '100ms'
as $function$
#variable_conflict use_column
declare
  at timestamptz := {{schema}}.now_v1();
  item record;
  done bigint[];
begin
  if transaction_id <> '' and transaction_id is distinct from pg_current_xact_id_if_assigned()::text then
    raise exception 'the transaction has ended' using errcode = 'no_active_sql_transaction';
  end if;
  -- Operations that end without a special case, as nearly all do, take one statement.
  with ended as (
    update {{schema}}.operations o set state = item.target, settled_at = at,
      expires_at = at + case item.target when 'failed' then coalesce(o.failed_retention_ms, o.retention_ms)
        else o.retention_ms end * interval '1 ms', due_at = null,
      result = case item.target when 'completed' then nullif(item.content, '') end,
      error = case item.target when 'failed' then item.content end,
      last_error = coalesce(nullif(item.last_error, ''), o.last_error),
      progress = coalesce(nullif(item.progress, ''), o.progress)
    from (
      select n.id, coalesce(n.token, tokens[1]) as token, coalesce(n.target, targets[1]) as target, n.content, n.last_error,
        n.progress, n.place
      from unnest(ids, tokens, targets, texts, last_errors, progresses) with ordinality
        as n(id, token, target, content, last_error, progress, place)
      where coalesce(n.target, targets[1]) in ('completed', 'failed') order by n.id) item
    -- An array of one id leaves no plan that starts with the table, which looks cheap while the table is empty.
    where o.id = any (array[item.id]) and o.token = item.token and o.settled_at is null
      and (o.state = 'pending' or item.target = 'failed') returning item.place)
  select array_agg(e.place) into done from ended e;
  if cardinality(done) = cardinality(ids) then
    return;
  end if;
  for item in
    select n.id, coalesce(n.token, tokens[1]) as token, coalesce(n.target, targets[1]) as target, n.content, n.last_error,
      n.progress, coalesce(n.delay, 0) as delay, coalesce(n.counted, false) as counted,
      coalesce(n.started, true) as started, n.place
    from unnest(ids, tokens, targets, texts, last_errors, progresses, delays, counts, starts) with ordinality
      as n(id, token, target, content, last_error, progress, delay, counted, started, place)
    where n.place <> all (coalesce(done, '{}')) order by n.id, n.place
  loop
    place := item.place;
    state := null;
    if item.target = 'prepared' then
      update {{schema}}.operations o set state = 'pending', resource = item.content, attempt = 0, token = null,
        previous_lost = false, not_before = null, late = o.lane is not null, due_at = greatest(at, o.not_before),
        start_by = greatest(at, o.not_before) + o.start_within_ms * interval '1 ms'
      where o.id = item.id and o.token = item.token and o.settled_at is null and o.state = 'preparing'
      returning o.state into state;
    elsif item.target = 'retry' then
      update {{schema}}.operations o set attempt = o.attempt - (not item.counted)::integer, token = null,
        previous_lost = o.previous_lost and not item.counted, start_by = case when not item.started then o.start_by end,
        last_error = coalesce(nullif(item.last_error, ''), o.last_error),
        progress = coalesce(nullif(item.progress, ''), o.progress),
        due_at = at + item.delay * interval '1 ms'
      where o.id = item.id and o.token = item.token and o.settled_at is null and not o.cancel_requested
      returning o.state into state;
      if not found then
        update {{schema}}.operations o set state = 'failed', error = cancelled, settled_at = at,
          expires_at = at + {{kept}}, due_at = null
        where o.id = item.id and o.token = item.token and o.settled_at is null and o.cancel_requested
        returning o.state into state;
      end if;
    end if;
    if state is null then
      -- If the attempt that ended the operation repeats the call, it gets the same answer.
      perform {{schema}}.wait_for_standbys_v1();
      select o.state into state from {{schema}}.operations o
      where o.id = item.id and o.token = item.token and o.settled_at is not null;
    end if;
    return next;
  end loop;
end
$function$;

-- Waits longer than other functions, because a transaction that does the work locks the row until it ends.
create function {{schema}}.cancel_v1(p_id uuid, p_tenant text, cancelled text) returns text language plpgsql
{{by_index}} set lock_timeout = '1s'
as $function$
#variable_conflict use_column
declare
  at timestamptz := {{schema}}.now_v1();
  known {{schema}}.operations;
begin
  select o.* into known from {{schema}}.operations o
  where o.id = p_id and o.tenant = p_tenant and not o.hidden and o.state <> 'preparing' for update;
  if not found then
    return 'unknown';
  elsif known.due_at is null then
    return 'terminal';
  elsif known.token is not null and known.due_at > at then
    update {{schema}}.operations o set cancel_requested = true where o.id = p_id;
    return 'requested';
  end if;
  update {{schema}}.operations o set state = 'failed', error = cancelled, settled_at = at,
    expires_at = at + {{kept}}, due_at = null
  where o.id = p_id;
  return 'cancelled';
end
$function$;

-- Runs a failed operation again, as a new one. The lock on the failed one ensures that concurrent calls create one
-- successor.
create function {{schema}}.redrive_v1(p_id uuid, p_successor uuid, p_on_end_id uuid,
  out outcome text, out operation_id uuid, out created boolean, out state text)
returns record language plpgsql
{{by_index}} set lock_timeout = '5s'
as $function$
#variable_conflict use_column
declare
  at timestamptz := {{schema}}.now_v1();
  known {{schema}}.operations;
  follow_up json;
begin
  select o.* into known from {{schema}}.operations o where o.id = p_id for update;
  if not found then
    outcome := 'unknown';
  elsif known.retried_by is not null then
    outcome := 'redriven';
    operation_id := known.retried_by;
    created := false;
  elsif known.state <> 'failed' or known.not_before is not null then
    outcome := 'not-redrivable';
    state := known.state;
  else
    follow_up := known.on_end;
    insert into {{schema}}.operations (id, tenant, definition, principal, state, due_at, created_at, retention_ms,
      failed_retention_ms, start_by, retry_of, input, meta, {{copied_columns}}, on_end)
    values (p_successor, known.tenant, known.definition, known.principal, 'pending', at,
      date_trunc('milliseconds', at), known.retention_ms, known.failed_retention_ms,
      at + known.start_within_ms * interval '1 ms', known.id, known.input, known.meta, {{copied_values}},
      case when known.on_end is not null then json_build_object('id', p_on_end_id, 'definition', follow_up->'definition',
        'input', follow_up->'input', 'retentionMs', follow_up->'retentionMs',
        'failedRetentionMs', follow_up->'failedRetentionMs')::text end)
    on conflict do nothing;
    outcome := 'redriven';
    operation_id := p_successor;
    created := found;
    -- The failed operation is kept as long as its successor. Purges only look at it before that if the successor needs more
    -- than a day.
    update {{schema}}.operations o set retried_by = p_successor,
      expires_at = at + o.retention_ms * interval '1 ms' + interval '1 day' where o.id = p_id;
  end if;
end
$function$;

create function {{schema}}.pause_v1(p_definition text, p_by text) returns void language plpgsql
set search_path = pg_catalog, pg_temp
as $function$
begin
  insert into {{schema}}.paused (definition, since, paused_by) values (p_definition, {{schema}}.now_v1(), nullif(p_by, ''))
  on conflict do nothing;
end
$function$;

create function {{schema}}.resume_v1(p_definition text) returns void language plpgsql
set search_path = pg_catalog, pg_temp
as $function$
begin
  delete from {{schema}}.paused p where p.definition = p_definition;
end
$function$;
