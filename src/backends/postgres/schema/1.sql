-- Version 1 of the schema. The name in double braces is replaced by the name of the schema.
-- Once a release with this version is published, changes go into the next version, so that the release keeps working.
--
-- Functions keep their plans for the life of a connection, and a plan may be made while the table is empty. Only
-- ordered index scans stay fast when the table grows, so every function that reads the table disables all other scans
-- and joins. After that, new plans for the arrays of each call would gain nothing, and would take as long as the insert
-- itself.
-- Such a function compiles no plan (`jit`) either: that takes 30 to 80 ms, and reads at most a few thousand rows faster. A list
-- that has no index is the only one that needs a scan of the table, so it enables it.
--
-- Functions that only take a lease or hand out rows set `synchronous_commit` to off until the end of the transaction,
-- so their commit does not wait for the disk. If the server crashes and loses that commit, the lease is lost.
-- Everything that depends on the lease is committed later.

-- One row holds an operation, its key and its due work. All times come from the database's clock. If there is a token,
-- `due_at` is the end of its lease. Every unfinished operation has an `announce_at`. The partial indexes over it do not
-- contain finished operations, so a million finished operations do not slow down the search for work.
--
-- A row in the state `key` only holds a key, for callers that use the idempotency store without the operation
-- store. `key_for` is the id of its operation. All keys are in one unique index. `bound` is true if the row holds
-- its key. An operation that was created without RECORD has a key but does not hold it.
--
-- An operation that is `behind` waits for its turn in its lane. Until then, no receipt finds it. It becomes so when a receipt
-- meets it too early, so recording it costs nothing more.
--
-- If the resource of an operation is created before the reply, `not_before` is the end of the operation's delay until
-- the resource exists, and null from then on. So an operation that failed with a `not_before` never had work to do.
-- `start_by` is the time when an operation expires, unless it has a token or lost one. It is null once a processor has started,
-- and while the operation is preparing.
-- `on_end` is JSON with the id, definition, input, retentionMs and failedRetentionMs of the follow-up.
create table {{schema}}.operations (
  id uuid primary key,
  tenant text collate "C" not null,
  definition text collate "C" not null,
  principal text,
  key text collate "C",
  bound boolean not null default false,
  fingerprint text,
  key_for uuid,
  state text not null,
  hidden boolean not null default false,
  urgency smallint not null default 3,
  lane text collate "C",
  behind boolean not null default false,
  attempt integer not null default 0,
  token text,
  previous_lost boolean not null default false,
  cancel_requested boolean not null default false,
  round integer not null default 0,
  due_at timestamptz,
  announce_at timestamptz,
  not_before timestamptz,
  created_at timestamptz not null,
  settled_at timestamptz,
  retention_ms bigint not null,
  failed_retention_ms bigint,
  start_within_ms bigint,
  start_by timestamptz,
  expires_at timestamptz,
  forget_at timestamptz,
  retry_of uuid,
  retried_by uuid,
  input text not null,
  meta text,
  on_end text,
  resource text,
  progress text,
  result text,
  error text,
  last_error text
-- Leaves room in each page for the next version of a row, so that progress updates no index.
) with (fillfactor = 90, autovacuum_vacuum_scale_factor = 0.02, autovacuum_analyze_scale_factor = 0.02);

create unique index operations_key on {{schema}}.operations (tenant, definition, key) where bound;
-- Three of the next indexes have a condition on the urgency that is always true, and only queries that state it can use the
-- index. So each query can use only the one index that answers it. Otherwise the planner may choose another one that seems as
-- cheap in statistics from a time without waiting work, and read and sort all waiting rows of a definition for each tenant.

-- Every unfinished operation is in one of the next two indexes, or waits for its lane, so waiting and running ones can be
-- counted separately.
create index operations_waiting on {{schema}}.operations (definition, due_at)
  where announce_at is not null and token is null and not behind and urgency >= 0;
create index operations_leased on {{schema}}.operations (definition, due_at) where announce_at is not null and token is not null;
-- For the turns of tenants, if more work is due than the slots of a worker. Queries of one urgency need no more conditions.
create index operations_turns on {{schema}}.operations (definition, urgency, tenant, due_at)
  where announce_at is not null and token is null and not behind;
-- For lanes: the order of each lane, and the operation that runs.
create index operations_lanes on {{schema}}.operations (definition, tenant, lane, created_at, id)
  where announce_at is not null and lane is not null and state = 'pending' and urgency <> 8;
create index operations_lane_held on {{schema}}.operations (definition, tenant, lane)
  where announce_at is not null and lane is not null and token is not null;
create index operations_behind on {{schema}}.operations (definition, announce_at) where announce_at is not null and behind;
create index operations_announce on {{schema}}.operations (definition, announce_at)
  where announce_at is not null and urgency <= 7;
-- For those that did not start in time.
create index operations_start_by on {{schema}}.operations (start_by)
  where announce_at is not null and start_by is not null and token is null and not previous_lost;
create index operations_expires on {{schema}}.operations (expires_at) where expires_at is not null;
create index operations_forget on {{schema}}.operations (forget_at) where forget_at is not null;
create index operations_key_only on {{schema}}.operations (due_at) where state = 'key';
-- For lists of failed operations. Each of the next three indexes has one more condition than the previous
-- one, and each query states only the conditions of its index. Otherwise the planner would prefer an index that is
-- closer to the order of the table, and filter.
create index operations_failed_of_tenant on {{schema}}.operations (tenant, created_at, id) where state = 'failed';
create index operations_failed_of_definition on {{schema}}.operations (definition, created_at, id)
  where state = 'failed' and settled_at is not null;
create index operations_failed on {{schema}}.operations (created_at, id)
  where state = 'failed' and settled_at is not null and announce_at is null;
-- For counts of failed operations that do not run again.
create index operations_failed_open on {{schema}}.operations (definition, created_at)
  where state = 'failed' and retried_by is null;

-- Definitions of which no attempt begins.
create table {{schema}}.paused (
  definition text collate "C" primary key,
  since timestamptz not null,
  paused_by text
);

-- Returns the time of the store's clock. Tests can replace this function.
create function {{schema}}.now_v1() returns timestamptz language sql stable parallel safe as 'select statement_timestamp()';

-- Makes the server end the transaction when its client is gone. The server notices after an idle time, unless such a
-- time is already set, and checks the connection during long statements if it supports that.
create function {{schema}}.end_if_abandoned_v1(idle_ms float8) returns void language plpgsql
as $function$
begin
  if current_setting('idle_in_transaction_session_timeout') = '0' then
    perform set_config('idle_in_transaction_session_timeout', idle_ms::bigint::text, true);
  end if;
  if current_setting('client_connection_check_interval', true) = '0' then
    begin
      perform set_config('client_connection_check_interval', '1000', true);
    exception when invalid_parameter_value then null;
    end;
  end if;
end
$function$;

-- Makes the commit wait for synchronous standbys, as after a write. A call that finds what an earlier one committed needs
-- this: if the wait of that commit was ended (SQLSTATE 57P01), or the server restarted, no standby may have it. Without
-- synchronous standbys, the transaction stays read-only, and its commit costs nothing.
create function {{schema}}.wait_for_standbys_v1() returns void language plpgsql
as $function$
begin
  if current_setting('synchronous_standby_names') <> '' then
    -- Writes to the log only. A row lock would write too, but it would wait for `job.transaction`.
    perform pg_logical_emit_message(true, 'async-request-reply', ''::text);
  end if;
end
$function$;

-- ---------------------------------------------------------------------------------------------------------------------
-- Follow-ups
-- ---------------------------------------------------------------------------------------------------------------------

create function {{schema}}.follow_up_v1(p_tenant text, p_on_end json, at timestamptz) returns void language plpgsql
set search_path = pg_catalog, pg_temp
as $function$
#variable_conflict use_column
begin
  insert into {{schema}}.operations (id, tenant, definition, state, hidden, due_at, announce_at, created_at, retention_ms,
    failed_retention_ms, input)
  values ((p_on_end->>'id')::uuid, p_tenant, p_on_end->>'definition', 'pending', true, at, at,
    date_trunc('milliseconds', at), (p_on_end->>'retentionMs')::bigint,
    (p_on_end->>'failedRetentionMs')::bigint, p_on_end->>'input')
  -- There is no notification, because it would wait at the commit, where `lock_timeout` does not apply. Workers find
  -- the follow-up at their next poll.
  on conflict do nothing;
end
$function$;

-- ---------------------------------------------------------------------------------------------------------------------
-- Places: limits and lanes. Only definitions with limits and operations with a lane take these paths. Counting and beginning
-- are under a lock of the definition, and looking at a lane and beginning under a lock of the lane. Both end with the
-- transaction. The lock of a definition comes before all locks of rows. Nothing waits for a row under these locks.
-- ---------------------------------------------------------------------------------------------------------------------

create function {{schema}}.lane_lock_v1(name text, p_tenant text, p_lane text) returns bigint language sql stable
as $function$
  select hashtextextended(jsonb_build_array('{{schema}}', 'lane', name, p_tenant, p_lane)::text, 0)
$function$;

-- A snapshot from before a lock would not show what its last holder has committed. The caller repeats the statement with
-- read committed.
create function {{schema}}.require_read_committed_v1() returns void language plpgsql
as $function$
begin
  if current_setting('transaction_isolation') not in ('read committed', 'read uncommitted') then
    raise exception 'places need read committed' using errcode = 'serialization_failure';
  end if;
end
$function$;

-- Locks the places of definitions until the end of the transaction, in the order of their names.
create function {{schema}}.lock_places_v1(names text[]) returns void language plpgsql
as $function$
declare
  name text;
begin
  perform {{schema}}.require_read_committed_v1();
  for name in select distinct n.name collate "C" from unnest(names) as n(name) order by 1 loop
    perform pg_advisory_xact_lock(hashtextextended(jsonb_build_array('{{schema}}', 'limits', name)::text, 0));
  end loop;
end
$function$;

-- Returns how many operations of a definition, or of one of its tenants, hold a place, and takes expired leases away if none
-- is free. Rows that another transaction has locked keep their place: its lock is its lease. Cancelled ones keep it too, because
-- a claim ends them at once, and so do those that the claim has chosen.
create function {{schema}}.taken_v1(name text, p_tenant text, most integer, at timestamptz, chosen uuid[])
returns integer language plpgsql
as $function$
declare
  taken integer;
begin
  for round in 1..2 loop
    taken := (select count(*) from {{schema}}.operations o
      where o.definition = name and o.announce_at is not null and o.token is not null and o.state = 'pending'
        and (p_tenant is null or o.tenant = p_tenant));
    exit when taken < most or round = 2;
    update {{schema}}.operations o set token = null, previous_lost = true where o.id = any (array(
      select l.id from {{schema}}.operations l
      where l.definition = name and l.announce_at is not null and l.token is not null and l.due_at <= at
        and l.state = 'pending' and not l.cancel_requested and (p_tenant is null or l.tenant = p_tenant)
        and l.id <> all (chosen)
      for update skip locked));
    exit when not found;
  end loop;
  return taken;
end
$function$;

-- Locks the row of an operation that waits for its lane. Returns false if another transaction holds the lane or the row.
-- Without the lock of the lane, nothing locks such a row but to end it: an end in the lane would pass it, and nothing else
-- would let it have its turn.
create function {{schema}}.lock_in_lane_v1(p_id uuid) returns boolean language plpgsql
as $function$
declare
  known record;
begin
  select o.definition, o.tenant, o.lane into known from {{schema}}.operations o where o.id = p_id and o.behind;
  if not found or not pg_try_advisory_xact_lock({{schema}}.lane_lock_v1(known.definition, known.tenant, known.lane)) then
    return false;
  end if;
  perform from {{schema}}.operations o where o.id = p_id and o.behind for update skip locked;
  return found;
end
$function$;

-- Lets the first operation of a lane have its turn. The lock of the lane must be held. If another transaction has locked its
-- row, that one ends it, and then does the same for the next.
create function {{schema}}.promote_v1(name text, p_tenant text, p_lane text, at timestamptz) returns void language plpgsql
as $function$
declare
  first record;
begin
  select o.id, o.behind into first from {{schema}}.operations o
  where o.definition = name and o.tenant = p_tenant and o.lane = p_lane and o.announce_at is not null
    and o.lane is not null and o.state = 'pending' and o.urgency <> 8
  order by o.created_at, o.id limit 1;
  if first.behind then
    perform from {{schema}}.operations o where o.id = first.id for update skip locked;
    if found then
      -- A search begins at the first live entry, so the operation is due from now on.
      update {{schema}}.operations o set behind = false, due_at = at, announce_at = at where o.id = first.id and o.behind;
    end if;
  end if;
end
$function$;

-- Returns whether an operation has its turn in its lane. The caller has locked its row. If it has not, no receipt finds it
-- until then, and the result is false, or null if another transaction holds the lane, which says nothing.
create function {{schema}}.has_turn_v1(o {{schema}}.operations, at timestamptz) returns boolean language plpgsql
as $function$
declare
  holder uuid;
  holder_until timestamptz;
  first uuid;
begin
  perform {{schema}}.require_read_committed_v1();
  if not pg_try_advisory_xact_lock({{schema}}.lane_lock_v1(o.definition, o.tenant, o.lane)) then
    return null;
  end if;
  select h.id, h.due_at into holder, holder_until from {{schema}}.operations h
  where h.definition = o.definition and h.tenant = o.tenant and h.lane = o.lane and h.announce_at is not null
    and h.lane is not null and h.token is not null and h.state = 'pending' and h.id <> o.id limit 1;
  if holder_until <= at then
    perform from {{schema}}.operations h where h.id = holder for update skip locked;
    if found then
      update {{schema}}.operations h set token = null, previous_lost = true where h.id = holder;
      holder := null;
    end if;
  end if;
  first := (select f.id from {{schema}}.operations f
    where f.definition = o.definition and f.tenant = o.tenant and f.lane = o.lane and f.announce_at is not null
      and f.lane is not null and f.state = 'pending' and f.urgency <> 8
    order by f.created_at, f.id limit 1);
  if holder is null and first = o.id then
    if o.behind then
      update {{schema}}.operations b set behind = false where b.id = o.id;
    end if;
    return true;
  end if;
  update {{schema}}.operations b set behind = true, previous_lost = b.previous_lost or b.token is not null, token = null
  where b.id = o.id and (not b.behind or b.token is not null);
  if holder is null then
    perform {{schema}}.promote_v1(o.definition, o.tenant, o.lane, at);
  end if;
  return false;
end
$function$;

-- Returns those of the operations that have their turn, how many of the others were put off, and how many are in lanes that
-- other transactions hold.
create function {{schema}}.with_turn_v1(ids uuid[], at timestamptz, out allowed uuid[], out put_off integer,
  out missed integer)
returns record language plpgsql
as $function$
declare
  item uuid;
  known {{schema}}.operations;
  turn boolean;
begin
  put_off := 0;
  missed := 0;
  foreach item in array coalesce(ids, '{}') loop
    select o.* into known from {{schema}}.operations o where o.id = item;
    turn := known.lane is null or known.state <> 'pending' or known.cancel_requested or {{schema}}.has_turn_v1(known, at);
    if turn then
      allowed := allowed || item;
    elsif not turn then
      put_off := put_off + 1;
    else
      missed := missed + 1;
    end if;
  end loop;
end
$function$;

create function {{schema}}.ended_v1() returns trigger language plpgsql
as $function$
begin
  if new.on_end is not null then
    perform {{schema}}.follow_up_v1(new.tenant, new.on_end::json, new.settled_at);
  end if;
  if new.lane is not null then
    perform pg_advisory_xact_lock({{schema}}.lane_lock_v1(new.definition, new.tenant, new.lane));
    perform {{schema}}.promote_v1(new.definition, new.tenant, new.lane, new.settled_at);
  end if;
  return null;
end
$function$;

-- A trigger ensures that every function that ends operations creates the follow-up, and frees the lane.
create trigger operations_ended after update of settled_at on {{schema}}.operations for each row
when (old.settled_at is null and new.settled_at is not null and (new.on_end is not null or new.lane is not null))
execute function {{schema}}.ended_v1();

-- ---------------------------------------------------------------------------------------------------------------------
-- Recording and creating. The parameter `extra` is empty, or JSON with the members that few operations have: hidden,
-- delayMs, startWithinMs, urgency, lane, retryOf and onEnd. An empty principal, key, token, meta or extra stands for an absent one. The duration -1
-- does too. Arrays contain no null, because Postgres reads it as the text "NULL" if `array_nulls` is off.
-- ---------------------------------------------------------------------------------------------------------------------

create function {{schema}}.insert_one_v1(p_id uuid, p_tenant text, p_definition text, p_principal text, p_key text,
  p_bound boolean, p_fingerprint text, p_input text, p_retention float8, p_failed_retention float8, p_meta text, p_extra text,
  p_token text, p_lease float8)
returns boolean language plpgsql
as $function$
#variable_conflict use_column
declare
  at timestamptz := {{schema}}.now_v1();
  extra json := nullif(p_extra, '');
  delay float8 := extra->>'delayMs';
begin
  insert into {{schema}}.operations (id, tenant, definition, principal, key, bound, fingerprint, state, hidden, urgency,
    attempt, token, due_at, announce_at, not_before, created_at, retention_ms, failed_retention_ms,
    start_within_ms, start_by, retry_of, input, meta, on_end, lane)
  values (p_id, p_tenant, p_definition, nullif(p_principal, ''), nullif(p_key, ''), p_bound, p_fingerprint,
    case when p_token = '' then 'pending' else 'preparing' end, coalesce((extra->>'hidden')::boolean, false),
    coalesce((extra->>'urgency')::smallint, 3), (p_token <> '')::integer, nullif(p_token, ''),
    at + case when p_token = '' then coalesce(delay, 0) else p_lease end * interval '1 ms',
    at + case when p_token = '' then coalesce(delay, 30000) else p_lease end * interval '1 ms',
    case when p_token <> '' then at + coalesce(delay, 0) * interval '1 ms' end,
    date_trunc('milliseconds', at), p_retention, nullif(p_failed_retention, -1), (extra->>'startWithinMs')::bigint,
    case when p_token = '' then at + (coalesce(delay, 0) + (extra->>'startWithinMs')::float8) * interval '1 ms' end,
    (extra->>'retryOf')::uuid, p_input, nullif(p_meta, ''), extra->>'onEnd', extra->>'lane')
  on conflict do nothing;
  return found;
end
$function$;

create function {{schema}}.operation_json_v1(o {{schema}}.operations) returns json language sql stable
as $function$
  select json_build_object('id', o.id, 'tenant', o.tenant, 'definition', o.definition,
    'principal', o.principal, 'key', o.key, 'fingerprint', o.fingerprint, 'state', o.state, 'hidden', o.hidden,
    'urgency', o.urgency, 'lane', o.lane, 'attempt', o.attempt, 'cancel_requested', o.cancel_requested,
    'created_at', floor(extract(epoch from o.created_at) * 1000)::bigint,
    'settled_at', floor(extract(epoch from o.settled_at) * 1000)::bigint,
    'retention_ms', o.retention_ms, 'failed_retention_ms', o.failed_retention_ms,
    'start_within_ms', o.start_within_ms, 'retry_of', o.retry_of, 'retried_by', o.retried_by, 'input', o.input, 'meta', o.meta, 'on_end', o.on_end,
    'resource', o.resource, 'progress', o.progress, 'result', o.result, 'error', o.error, 'last_error', o.last_error)
$function$;

create function {{schema}}.create_v1(p_id uuid, p_tenant text, p_definition text, p_principal text, p_key text, p_input text,
  p_retention float8, p_failed_retention float8, p_meta text, p_extra text, p_token text, p_lease float8, p_error text)
returns boolean language plpgsql
set search_path = pg_catalog, pg_temp
set jit = off set enable_seqscan = off set enable_bitmapscan = off set enable_hashjoin = off set enable_mergejoin = off
set plan_cache_mode = force_generic_plan set lock_timeout = '5s'
as $function$
#variable_conflict use_column
declare
  at timestamptz := {{schema}}.now_v1();
  extra json := nullif(p_extra, '');
begin
  if p_error = '' then
    if {{schema}}.insert_one_v1(p_id, p_tenant, p_definition, p_principal, p_key, false, null, p_input, p_retention,
        p_failed_retention, p_meta, p_extra, p_token, p_lease) then
      return true;
    end if;
    -- If the operation is preparing, its creator may have lost the answer and repeated the call.
    perform {{schema}}.wait_for_standbys_v1();
    return exists (select from {{schema}}.operations o where o.id = p_id and o.state = 'preparing' and o.token = p_token);
  end if;
  insert into {{schema}}.operations (id, tenant, definition, principal, key, state, hidden, urgency, not_before, created_at,
    settled_at, retention_ms, failed_retention_ms, start_within_ms, expires_at, retry_of, input, meta, on_end, error, lane)
  values (p_id, p_tenant, p_definition, nullif(p_principal, ''), nullif(p_key, ''), 'failed',
    coalesce((extra->>'hidden')::boolean, false), coalesce((extra->>'urgency')::smallint, 3), at,
    date_trunc('milliseconds', at), at, p_retention, nullif(p_failed_retention, -1), (extra->>'startWithinMs')::bigint,
    at + coalesce(nullif(p_failed_retention, -1), p_retention) * interval '1 ms', (extra->>'retryOf')::uuid, p_input,
    nullif(p_meta, ''), extra->>'onEnd', p_error, extra->>'lane')
  on conflict do nothing;
  if not found then
    perform {{schema}}.wait_for_standbys_v1();
    return false;
  end if;
  if extra->>'onEnd' is not null then
    perform {{schema}}.follow_up_v1(p_tenant, extra->'onEnd', at);
  end if;
  return true;
end
$function$;

-- Records one submission that has a conflict.
create function {{schema}}.record_one_v1(p_id uuid, p_tenant text, p_definition text, p_principal text, p_key text,
  p_fingerprint text, p_input text, p_retention float8, p_failed_retention float8, p_meta text, p_extra text,
  p_token text, p_lease float8, out outcome text, out operation {{schema}}.operations)
returns record language plpgsql
set search_path = pg_catalog, pg_temp
set jit = off set enable_seqscan = off set enable_bitmapscan = off set enable_hashjoin = off set enable_mergejoin = off
set plan_cache_mode = force_generic_plan
as $function$
#variable_conflict use_column
declare
  holder {{schema}}.operations;
begin
  perform {{schema}}.wait_for_standbys_v1();
  -- The conflicting row may be purged between two reads. Then the next round finds no conflict.
  for round in 1..5 loop
    select o.* into operation from {{schema}}.operations o where o.id = p_id;
    if found then
      outcome := 'exists';
      return;
    end if;
    select o.* into holder from {{schema}}.operations o
      where o.bound and o.tenant = p_tenant and o.definition = p_definition and o.key = p_key;
    if not found then
      if {{schema}}.insert_one_v1(p_id, p_tenant, p_definition, p_principal, p_key, p_key <> '', p_fingerprint,
          p_input, p_retention, p_failed_retention, p_meta, p_extra, p_token, p_lease) then
        outcome := 'created';
        return;
      end if;
    elsif holder.state <> 'key' then
      operation := holder;
      outcome := 'exists';
      return;
    else
      -- A caller that uses the stores separately has bound the key and not created the operation yet. This creates
      -- it. The input of its follow-up may contain the id.
      if holder.fingerprint = p_fingerprint then
        outcome := case when {{schema}}.insert_one_v1(holder.key_for, p_tenant, p_definition, p_principal, p_key, false,
          p_fingerprint, p_input, p_retention, p_failed_retention, p_meta,
          replace(p_extra, p_id::text, holder.key_for::text), p_token, p_lease)
          then 'helped' end;
      end if;
      select o.* into operation from {{schema}}.operations o where o.id = holder.key_for;
      outcome := coalesce(outcome, case when found then 'exists' else 'reused' end);
      operation.fingerprint := holder.fingerprint;
      return;
    end if;
  end loop;
  raise exception 'the key is bound and released over and over' using errcode = 'serialization_failure';
end
$function$;

-- The functions that record return nothing for a submission that became an operation, as nearly all do. One column holds
-- the whole operation, because clients read the names of all columns with every answer.

-- Records a single submission. The insert reads no table, so it cannot get a bad plan, and plan settings would take more
-- time than they save.
create function {{schema}}.record_alone_v1(p_id uuid, p_tenant text, p_definition text, p_principal text, p_key text,
  p_fingerprint text, p_input text, p_retention float8, p_failed_retention float8, p_meta text, p_extra text,
  p_token text, p_lease float8)
returns json language plpgsql
set search_path = pg_catalog, pg_temp set lock_timeout = '100ms'
as $function$
#variable_conflict use_column
declare
  at timestamptz;
  answer record;
begin
  if p_extra = '' and p_token = '' then
    -- Nearly all submissions. Another function call would take as long as an index.
    at := {{schema}}.now_v1();
    insert into {{schema}}.operations (id, tenant, definition, principal, key, bound, fingerprint, state, due_at,
      announce_at, created_at, retention_ms, failed_retention_ms, input, meta)
    values (p_id, p_tenant, p_definition, nullif(p_principal, ''), nullif(p_key, ''), p_key <> '', p_fingerprint, 'pending',
      at, at + interval '30 s', date_trunc('milliseconds', at), p_retention, nullif(p_failed_retention, -1), p_input,
      nullif(p_meta, ''))
    on conflict do nothing;
    if found then
      return null;
    end if;
  elsif {{schema}}.insert_one_v1(p_id, p_tenant, p_definition, p_principal, p_key, p_key <> '', p_fingerprint, p_input,
      p_retention, p_failed_retention, p_meta, p_extra, p_token, p_lease) then
    return null;
  end if;
  answer := {{schema}}.record_one_v1(p_id, p_tenant, p_definition, p_principal, p_key, p_fingerprint, p_input, p_retention,
    p_failed_retention, p_meta, p_extra, p_token, p_lease);
  return json_build_object('outcome', answer.outcome, 'operation', {{schema}}.operation_json_v1(answer.operation));
end
$function$;

-- Returns the submissions of a batch. Arrays can be shorter than `ids`, because most of their values are equal, and reading
-- them would take as long as the insert. `tenants`, `definitions`, `retentions` and `failed_retentions` have one element if it
-- holds for all submissions. `principals`, `metas`, `extras`, `tokens` and `leases` are empty if no submission has any.
create function {{schema}}.submissions_v1(ids uuid[], tenants text[], definitions text[],
  principals text[], keys text[], fingerprints text[], inputs text[], retentions float8[], failed_retentions float8[],
  metas text[], extras text[], tokens text[], leases float8[])
returns table (id uuid, tenant text, definition text, principal text, key text, fingerprint text, input text,
  retention float8, failed_retention float8, meta text, extra text, token text, lease float8, place bigint)
language sql stable
as $function$
  select n.id, coalesce(n.tenant, tenants[1]), coalesce(n.definition, definitions[1]), coalesce(n.principal, ''), n.key,
    n.fingerprint, n.input, coalesce(n.retention, retentions[1]), coalesce(n.failed_retention, failed_retentions[1]),
    coalesce(n.meta, ''), coalesce(n.extra, ''), coalesce(n.token, ''), coalesce(n.lease, 0), n.place
  from unnest(ids, tenants, definitions, principals, keys, fingerprints, inputs, retentions, failed_retentions, metas,
      extras, tokens, leases)
    with ordinality as n(id, tenant, definition, principal, key, fingerprint, input, retention, failed_retention, meta,
      extra, token, lease, place)
$function$;

-- Returns the rows of the submissions of a batch in the order of their keys, so that two concurrent batches cannot deadlock.
create function {{schema}}.new_rows_v1(at timestamptz, ids uuid[], tenants text[], definitions text[],
  principals text[], keys text[], fingerprints text[], inputs text[], retentions float8[], failed_retentions float8[],
  metas text[], extras text[], tokens text[], leases float8[])
returns table (id uuid, tenant text, definition text, principal text, key text, bound boolean, fingerprint text,
  state text, hidden boolean, urgency smallint, attempt integer, token text, due_at timestamptz, announce_at timestamptz,
  not_before timestamptz, created_at timestamptz, retention_ms float8, failed_retention_ms float8, start_within_ms bigint,
  start_by timestamptz, retry_of uuid, input text, meta text, on_end text, lane text)
language sql stable
as $function$
  select n.id, n.tenant, n.definition, nullif(n.principal, ''), nullif(n.key, ''), n.key <> '', n.fingerprint,
    case when n.token is null then 'pending' else 'preparing' end, coalesce((n.extra->>'hidden')::boolean, false),
    coalesce((n.extra->>'urgency')::smallint, 3::smallint), (n.token is not null)::integer, n.token,
    at + case when n.token is null then coalesce((n.extra->>'delayMs')::float8, 0) else n.lease end * interval '1 ms',
    at + case when n.token is null then coalesce((n.extra->>'delayMs')::float8, 30000) else n.lease end * interval '1 ms',
    case when n.token is not null then at + coalesce((n.extra->>'delayMs')::float8, 0) * interval '1 ms' end,
    date_trunc('milliseconds', at), n.retention, nullif(n.failed_retention, -1), (n.extra->>'startWithinMs')::bigint,
    case when n.token is null then at + (coalesce((n.extra->>'delayMs')::float8, 0) + (n.extra->>'startWithinMs')::float8)
      * interval '1 ms' end,
    (n.extra->>'retryOf')::uuid, n.input, nullif(n.meta, ''), n.extra->>'onEnd', n.extra->>'lane'
  from (
    select m.id, coalesce(m.tenant, tenants[1]) as tenant, coalesce(m.definition, definitions[1]) as definition, m.principal,
      m.key, m.fingerprint, m.input, coalesce(m.retention, retentions[1]) as retention,
      coalesce(m.failed_retention, failed_retentions[1]) as failed_retention, m.meta, nullif(m.extra, '')::json as extra,
      nullif(m.token, '') as token, m.lease
    from unnest(ids, tenants, definitions, principals, keys, fingerprints, inputs, retentions, failed_retentions, metas,
        extras, tokens, leases)
      as m(id, tenant, definition, principal, key, fingerprint, input, retention, failed_retention, meta, extra, token,
        lease)) n
  order by n.tenant, n.definition, n.key, n.id
$function$;

-- Records submissions of which probably none has a conflict. Without ON CONFLICT, the insert takes a quarter less time. If one
-- has a conflict after all, the insert is rolled back.
create function {{schema}}.record_new_v1(ids uuid[], tenants text[], definitions text[], principals text[], keys text[],
  fingerprints text[], inputs text[], retentions float8[], failed_retentions float8[], metas text[],
  extras text[], tokens text[], leases float8[])
returns table (place integer, outcome text, operation json) language plpgsql
set search_path = pg_catalog, pg_temp set plan_cache_mode = force_generic_plan set lock_timeout = '100ms'
as $function$
declare
  at timestamptz := {{schema}}.now_v1();
begin
  begin
    insert into {{schema}}.operations (id, tenant, definition, principal, key, bound, fingerprint, state, hidden, urgency,
      attempt, token, due_at, announce_at, not_before, created_at, retention_ms, failed_retention_ms,
      start_within_ms, start_by, retry_of, input, meta, on_end, lane)
    select n.* from {{schema}}.new_rows_v1(at, ids, tenants, definitions, principals, keys, fingerprints,
      inputs, retentions, failed_retentions, metas, extras, tokens, leases) as n;
    return;
  exception when unique_violation then null;
  end;
  return query select r.* from {{schema}}.record_v1(ids, tenants, definitions, principals, keys, fingerprints, inputs,
    retentions, failed_retentions, metas, extras, tokens, leases) as r;
end
$function$;

create function {{schema}}.record_v1(ids uuid[], tenants text[], definitions text[], principals text[], keys text[],
  fingerprints text[], inputs text[], retentions float8[], failed_retentions float8[], metas text[],
  extras text[], tokens text[], leases float8[])
returns table (place integer, outcome text, operation json) language plpgsql
set search_path = pg_catalog, pg_temp
set jit = off set enable_seqscan = off set enable_bitmapscan = off set enable_hashjoin = off set enable_mergejoin = off
set plan_cache_mode = force_generic_plan set lock_timeout = '100ms'
as $function$
#variable_conflict use_column
declare
  at timestamptz := {{schema}}.now_v1();
  made uuid[];
  item record;
  answer record;
begin
  with inserted as (
    insert into {{schema}}.operations (id, tenant, definition, principal, key, bound, fingerprint, state, hidden, urgency,
      attempt, token, due_at, announce_at, not_before, created_at, retention_ms, failed_retention_ms,
      start_within_ms, start_by, retry_of, input, meta, on_end, lane)
    select n.* from {{schema}}.new_rows_v1(at, ids, tenants, definitions, principals, keys, fingerprints,
      inputs, retentions, failed_retentions, metas, extras, tokens, leases) as n
    on conflict do nothing returning id)
  select array_agg(id) into made from inserted;
  if cardinality(made) = cardinality(ids) then
    return;
  end if;
  for item in
    select n.* from {{schema}}.submissions_v1(ids, tenants, definitions, principals, keys, fingerprints, inputs, retentions,
      failed_retentions, metas, extras, tokens, leases) as n
    where n.id <> all (coalesce(made, '{}'))
  loop
    place := item.place;
    answer := {{schema}}.record_one_v1(item.id, item.tenant, item.definition, item.principal, item.key, item.fingerprint,
      item.input, item.retention, item.failed_retention, item.meta, item.extra, item.token, item.lease);
    outcome := answer.outcome;
    operation := {{schema}}.operation_json_v1(answer.operation);
    return next;
  end loop;
end
$function$;

-- Records each submission separately, so that one that has to wait or cannot be stored does not fail the others.
create function {{schema}}.record_each_v1(ids uuid[], tenants text[], definitions text[], principals text[], keys text[],
  fingerprints text[], inputs text[], retentions float8[], failed_retentions float8[], metas text[],
  extras text[], tokens text[], leases float8[])
returns table (place integer, outcome text, operation json) language plpgsql
set search_path = pg_catalog, pg_temp
set jit = off set enable_seqscan = off set enable_bitmapscan = off set enable_hashjoin = off set enable_mergejoin = off
set plan_cache_mode = force_generic_plan set lock_timeout = '5ms'
as $function$
#variable_conflict use_column
declare
  item record;
  answer record;
begin
  -- Unlike a row lock, a lock on the table affects all submissions.
  begin
    lock table {{schema}}.operations in row exclusive mode;
  exception when lock_not_available then
    raise exception 'the table is locked' using errcode = 'cannot_connect_now';
  end;
  for item in
    select n.* from {{schema}}.submissions_v1(ids, tenants, definitions, principals, keys, fingerprints, inputs, retentions,
      failed_retentions, metas, extras, tokens, leases) as n
    order by n.tenant, n.definition, n.key, n.id
  loop
    place := item.place;
    begin
      answer := {{schema}}.record_one_v1(item.id, item.tenant, item.definition, item.principal, item.key, item.fingerprint,
        item.input, item.retention, item.failed_retention, item.meta, item.extra, item.token, item.lease);
      outcome := answer.outcome;
      operation := {{schema}}.operation_json_v1(answer.operation);
    exception
      when lock_not_available then outcome := 'locked'; operation := null;
      when data_exception or program_limit_exceeded or integrity_constraint_violation then
        outcome := 'refused:' || sqlstate; operation := null;
    end;
    return next;
  end loop;
end
$function$;

-- ---------------------------------------------------------------------------------------------------------------------
-- Reading. A hot standby can lag behind what the primary has answered, so it reads nothing.
-- ---------------------------------------------------------------------------------------------------------------------

create function {{schema}}.refuse_standby_v1() returns void language plpgsql
as $function$
begin
  raise exception 'the server is a hot standby' using errcode = 'read_only_sql_transaction';
end
$function$;

create function {{schema}}.get_v1(p_id uuid, p_tenant text) returns setof {{schema}}.operations language plpgsql
set search_path = pg_catalog, pg_temp
set jit = off set enable_seqscan = off set enable_bitmapscan = off set enable_hashjoin = off set enable_mergejoin = off
set plan_cache_mode = force_generic_plan set lock_timeout = '5s'
as $function$
begin
  if pg_is_in_recovery() then
    perform {{schema}}.refuse_standby_v1();
  end if;
  return query select o.* from {{schema}}.operations o
  where o.id = p_id and o.tenant = p_tenant and not o.hidden and o.state <> 'key';
end
$function$;

create function {{schema}}.get_many_v1(ids uuid[]) returns setof {{schema}}.operations language plpgsql
set search_path = pg_catalog, pg_temp
set jit = off set enable_seqscan = off set enable_bitmapscan = off set enable_hashjoin = off set enable_mergejoin = off
set plan_cache_mode = force_generic_plan set lock_timeout = '5s'
as $function$
begin
  if pg_is_in_recovery() then
    perform {{schema}}.refuse_standby_v1();
  end if;
  return query select o.* from {{schema}}.operations o where o.id = any (ids) and o.state <> 'key';
end
$function$;

create function {{schema}}.list_v1(p_tenant text, p_definition text, p_state text, created_from float8, created_before float8,
  after_created float8, after_id uuid, internal boolean, most integer)
returns setof {{schema}}.operations language plpgsql
set search_path = pg_catalog, pg_temp
set jit = off set enable_seqscan = off set enable_bitmapscan = off set enable_hashjoin = off set enable_mergejoin = off
set lock_timeout = '5s'
as $function$
begin
  if pg_is_in_recovery() then
    perform {{schema}}.refuse_standby_v1();
  end if;
  if coalesce(p_state, '') not in ('failed', 'pending', 'preparing') then
    -- Only indexes that users add have these operations. This ends with the function, like its own settings.
    perform set_config('enable_seqscan', 'on', true);
  end if;
  -- The query is planned for the given filter, so that it uses the index for that filter.
  return query execute 'select o.* from {{schema}}.operations o where o.state <> ''key'''
    || case when internal then '' else ' and not o.hidden and o.state <> ''preparing''' end
    || case when p_tenant is null then '' else ' and o.tenant = $1' end
    || case when p_definition is null then '' else ' and o.definition = $2' end
    || case when p_state is null then '' else ' and o.state = $3' end
    -- Each filter states the conditions of its index.
    || case
      when p_state in ('pending', 'preparing') then ' and o.announce_at is not null and o.urgency <= 7'
      when p_state is distinct from 'failed' or p_tenant is not null then ''
      when p_definition is not null then ' and o.settled_at is not null'
      else ' and o.settled_at is not null and o.announce_at is null'
    end
    || case when created_from is null then '' else ' and o.created_at >= to_timestamp($4 / 1000)' end
    || case when created_before is null then '' else ' and o.created_at < to_timestamp($5 / 1000)' end
    || case when after_id is null then '' else ' and (o.created_at, o.id) < (to_timestamp($6 / 1000), $7)' end
    || ' order by o.created_at desc, o.id desc limit $8'
    using p_tenant, p_definition, p_state, created_from, created_before, after_created, after_id, most;
end
$function$;

-- Every count stops at 10,001 and uses an index that contains only the rows to count.
create function {{schema}}.stats_v1(definitions text[])
returns table (definition text, due integer, running integer, scheduled integer, failed integer, oldest_due_ms float8,
  paused_since float8, paused_by text)
language plpgsql
set search_path = pg_catalog, pg_temp
set jit = off set enable_seqscan = off set enable_bitmapscan = off set enable_hashjoin = off set enable_mergejoin = off
set plan_cache_mode = force_generic_plan set lock_timeout = '5s'
as $function$
#variable_conflict use_column
declare
  at timestamptz := {{schema}}.now_v1();
  name text;
  lost integer;
  late integer;
  oldest_late timestamptz;
  oldest timestamptz;
  oldest_lost timestamptz;
begin
  if pg_is_in_recovery() then
    perform {{schema}}.refuse_standby_v1();
  end if;
  foreach name in array definitions loop
    definition := name;
    select count(*), min(n.due_at) into due, oldest from (
      select o.due_at from {{schema}}.operations o
      where o.definition = name and o.announce_at is not null and o.token is null and not o.behind and o.urgency >= 0
        and o.due_at <= at and o.state = 'pending'
      order by o.due_at limit 10001) n;
    -- Those that wait for their lane.
    select count(*), min(n.due_at) into late, oldest_late from (
      select o.due_at from {{schema}}.operations o
      where o.definition = name and o.announce_at is not null and o.lane is not null and o.state = 'pending'
        and o.urgency <> 8 and o.behind
      order by o.tenant, o.lane, o.created_at, o.id limit 10001) n;
    select count(*) into scheduled from (
      select from {{schema}}.operations o
      where o.definition = name and o.announce_at is not null and o.token is null and not o.behind and o.urgency >= 0
        and o.due_at > at and o.state = 'pending'
      order by o.due_at limit 10001) n;
    select count(*), min(n.due_at) into lost, oldest_lost from (
      select o.due_at from {{schema}}.operations o
      where o.definition = name and o.announce_at is not null and o.token is not null and o.due_at <= at
        and o.state = 'pending'
      order by o.due_at limit 10001) n;
    select count(*) into running from (
      select from {{schema}}.operations o
      where o.definition = name and o.announce_at is not null and o.token is not null and o.due_at > at
        and o.state = 'pending'
      order by o.due_at limit 10001) n;
    select count(*) into failed from (
      select from {{schema}}.operations o where o.definition = name and o.state = 'failed' and o.retried_by is null
      order by o.created_at limit 10001) n;
    due := due + late + lost;
    oldest_due_ms := floor(extract(epoch from at - least(oldest, oldest_late, oldest_lost)) * 1000);
    select floor(extract(epoch from p.since) * 1000), p.paused_by into paused_since, paused_by
    from {{schema}}.paused p where p.definition = name;
    return next;
  end loop;
end
$function$;

-- Counts operations that have not ended, up to `most` each. An empty tenant stands for all tenants. Looks at no operations of
-- other tenants but those that run.
create function {{schema}}.count_pending_v1(definitions text[], tenants text[], most integer[])
returns table (pending integer) language plpgsql
set search_path = pg_catalog, pg_temp
set jit = off set enable_seqscan = off set enable_bitmapscan = off set enable_hashjoin = off set enable_mergejoin = off
set plan_cache_mode = force_generic_plan set lock_timeout = '5s'
as $function$
#variable_conflict use_column
declare
  running integer;
begin
  for which in 1..cardinality(definitions) loop
    if tenants[which] = '' then
      select count(*) into pending from (
        select from {{schema}}.operations o where o.definition = definitions[which] and o.announce_at is not null
          and o.urgency <= 7
        order by o.announce_at limit most[which]) n;
    else
      select count(*) into running from (
        select from {{schema}}.operations o
        where o.definition = definitions[which] and o.announce_at is not null and o.token is not null
          and o.tenant = tenants[which]
        order by o.due_at limit most[which]) n;
      select least(most[which], running + count(*)) into pending from (
        select from generate_series(0, 7) as l(level) cross join lateral (
          select from {{schema}}.operations o
          where o.definition = definitions[which] and o.urgency = l.level and o.tenant = tenants[which]
            and o.announce_at is not null and o.token is null and not o.behind
          order by o.due_at limit most[which]) w limit most[which]) n;
      if pending < most[which] then
        -- Those that wait for their lane.
        select least(most[which], pending + count(*)) into pending from (
          select from {{schema}}.operations o
          where o.definition = definitions[which] and o.tenant = tenants[which] and o.announce_at is not null
            and o.lane is not null and o.state = 'pending' and o.urgency <> 8 and o.behind
          order by o.lane, o.created_at, o.id limit most[which]) b;
      end if;
    end if;
    return next;
  end loop;
end
$function$;

-- ---------------------------------------------------------------------------------------------------------------------
-- Attempts. Rows that may require waiting are locked in the order of their ids.
-- ---------------------------------------------------------------------------------------------------------------------

-- Returns whether a place is free for an operation whose row is locked.
create function {{schema}}.has_place_v1(o {{schema}}.operations, most integer, most_of_tenant integer, at timestamptz)
returns boolean language plpgsql
as $function$
begin
  if o.lane is not null and {{schema}}.has_turn_v1(o, at) is not true then
    return false;
  end if;
  -- If no place is free, its own expired lease has been taken away with the others.
  return (coalesce(most, 0) = 0 or {{schema}}.taken_v1(o.definition, null, most, at, '{}') < most)
    and (coalesce(most_of_tenant, 0) = 0 or {{schema}}.taken_v1(o.definition, o.tenant, most_of_tenant, at, '{}')
      < most_of_tenant);
end
$function$;

-- Ends an operation that no attempt began in time.
create function {{schema}}.end_overdue_one_v1(p_id uuid, expired text, at timestamptz) returns void language plpgsql
as $function$
begin
  update {{schema}}.operations o set state = 'failed', error = expired, settled_at = at,
    expires_at = at + coalesce(o.failed_retention_ms, o.retention_ms) * interval '1 ms', due_at = null, announce_at = null
  where o.id = p_id;
end
$function$;

-- `limits` and `tenant_limits` are empty if no call has any. 0 is no limit.
create function {{schema}}.begin_v1(ids uuid[], tokens text[], leases float8[], creates boolean[], limits integer[],
  tenant_limits integer[], cancelled text, expired text)
returns table (place integer, outcome text, due_in_ms float8, operation {{schema}}.operations) language plpgsql
set search_path = pg_catalog, pg_temp
set jit = off set enable_seqscan = off set enable_bitmapscan = off set enable_hashjoin = off set enable_mergejoin = off
set plan_cache_mode = force_generic_plan set lock_timeout = '100ms'
as $function$
#variable_conflict use_column
declare
  at timestamptz := {{schema}}.now_v1();
  item record;
  locked boolean;
  ended boolean := false;
begin
  if cardinality(limits) > 0 then
    perform {{schema}}.lock_places_v1(array(
      select o.definition from unnest(ids, limits, tenant_limits) as n(id, most, most_of_tenant)
      join {{schema}}.operations o on o.id = n.id where n.most > 0 or n.most_of_tenant > 0));
  end if;
  for item in select n.* from unnest(ids, tokens, leases, creates, limits, tenant_limits) with ordinality
    as n(id, token, lease, creates, most, most_of_tenant, place) order by n.id
  loop
    place := item.place;
    due_in_ms := null;
    if exists (select from {{schema}}.operations o where o.id = item.id and o.behind)
        and not {{schema}}.lock_in_lane_v1(item.id) then
      outcome := 'full';
      operation := null;
      return next;
      continue;
    end if;
    select o.* into operation from {{schema}}.operations o
    where o.id = item.id and o.state <> 'key' for update skip locked;
    locked := false;
    if not found then
      begin
        select o.* into operation from {{schema}}.operations o where o.id = item.id and o.state <> 'key' for update;
      exception when lock_not_available then locked := true;
      end;
    end if;
    if locked then
      -- A transaction that does the work has locked the row. Its lock is its lease.
      outcome := 'busy';
    elsif operation.id is null then
      outcome := 'unknown';
    elsif operation.announce_at is null then
      outcome := 'terminal';
    elsif operation.state = 'preparing' and not item.creates then
      outcome := 'preparing';
    elsif operation.token is distinct from item.token and operation.due_at > at then
      outcome := case when operation.token is null then 'not-due' else 'busy' end;
      due_in_ms := ceil(extract(epoch from operation.due_at - at) * 1000);
    elsif operation.token is distinct from item.token and operation.cancel_requested then
      update {{schema}}.operations o set state = 'failed', error = cancelled, settled_at = at,
        expires_at = at + coalesce(o.failed_retention_ms, o.retention_ms) * interval '1 ms', due_at = null, announce_at = null
      where o.id = item.id;
      ended := true;
      outcome := 'terminal';
    elsif operation.token is null and not operation.previous_lost and operation.start_by <= at then
      perform {{schema}}.end_overdue_one_v1(item.id, expired, at);
      ended := true;
      outcome := 'expired';
    elsif operation.state = 'pending' and operation.token is distinct from item.token
      and ((operation.lane is not null or item.most > 0 or item.most_of_tenant > 0)
          and not {{schema}}.has_place_v1(operation, item.most, item.most_of_tenant, at)
        or exists (select from {{schema}}.paused p where p.definition = operation.definition)) then
      outcome := 'full';
    else
      update {{schema}}.operations o set previous_lost = o.previous_lost or coalesce(o.token <> item.token, false),
        attempt = o.attempt + (o.token is distinct from item.token)::integer, token = item.token,
        due_at = at + item.lease * interval '1 ms', announce_at = at + item.lease * interval '1 ms', round = 0
      where o.id = item.id returning o.* into operation;
      outcome := 'begun';
    end if;
    return next;
  end loop;
  if not ended then
    perform set_config('synchronous_commit', 'off', true);
  end if;
end
$function$;

-- Returns where the entries of unfinished operations begin in the order of `due_at`, in epoch milliseconds, but nothing later
-- than `slack` ago, because operations that are being recorded are not visible yet. As long as a transaction is open anywhere,
-- vacuum keeps the entries of operations that have ended, so a search without this bound passes all of them. Looks for
-- unfinished operations that were due at `since` or later.
create function {{schema}}.live_since_v1(definitions text[], since float8[], slack float8)
returns table (definition text, since_ms float8) language plpgsql
set search_path = pg_catalog, pg_temp
set jit = off set enable_seqscan = off set enable_bitmapscan = off set enable_hashjoin = off set enable_mergejoin = off
set plan_cache_mode = force_generic_plan set lock_timeout = '5s'
as $function$
#variable_conflict use_column
declare
  at timestamptz := {{schema}}.now_v1();
  name text;
  earliest timestamptz;
  waiting timestamptz;
  leased timestamptz;
begin
  for which in 1..cardinality(definitions) loop
    name := definitions[which];
    earliest := to_timestamp(since[which] / 1000);
    waiting := (select o.due_at from {{schema}}.operations o
      where o.definition = name and o.announce_at is not null and o.token is null and not o.behind and o.urgency >= 0
        and o.due_at >= earliest
      order by o.due_at limit 1);
    leased := (select o.due_at from {{schema}}.operations o
      where o.definition = name and o.announce_at is not null and o.token is not null and o.due_at >= earliest
      order by o.due_at limit 1);
    definition := name;
    since_ms := floor(extract(epoch from least(waiting, leased, at - slack * interval '1 ms')) * 1000);
    return next;
  end loop;
end
$function$;

-- Returns the tenants of one definition and urgency whose turn it is, if they have due work: those after the last of `known`
-- in the order of their names, and then the others. Passes no more than `misses` tenants whose earliest work is due later.
-- `known` are the tenants that had the last turns. Their entries are found at `earliest`, so that a search does not pass the
-- dead entries of a tenant with much work. `reached` is the last tenant that it looked at.
create function {{schema}}.next_tenants_v1(name text, level integer, known text[], most integer, misses integer,
  at timestamptz, earliest timestamptz, out tenants text[], out reached text)
returns record language plpgsql
as $function$
declare
  first text collate "C" := known[cardinality(known)];
  here text collate "C" := first;
  up_to text collate "C";
  walked record;
begin
  -- A tenant without others is common, and the walk would cost more than all else.
  if cardinality(known) = 1 and not exists (
    (select from {{schema}}.operations o
      where o.definition = name and o.urgency = level and o.tenant > first and o.announce_at is not null and o.token is null and not o.behind
      order by o.tenant, o.due_at limit 1)
    union all
    (select from {{schema}}.operations o
      where o.definition = name and o.urgency = level and o.tenant < first and o.announce_at is not null and o.token is null and not o.behind
      order by o.tenant, o.due_at limit 1)) then
    tenants := known;
    reached := first;
    return;
  end if;
  tenants := '{}';
  for half in 1..2 loop
    with recursive walk(tenant, is_due, looked, found) as (
      select here, false, 0, 0
      union all
      select n.tenant, n.is_due, w.looked + 1, w.found + n.is_due::integer
      from walk w
      -- Between two known tenants, there may be others.
      cross join lateral (
        select min(k.tenant collate "C") as known from unnest(known) as k(tenant) where k.tenant > w.tenant) b
      cross join lateral (
        (select o.tenant, o.due_at <= at as is_due from {{schema}}.operations o
          where o.definition = name and o.urgency = level and o.tenant > w.tenant and o.tenant < b.known
            and o.announce_at is not null and o.token is null and not o.behind
          order by o.tenant, o.due_at limit 1)
        union all
        select b.known, coalesce((select o.due_at <= at from {{schema}}.operations o
          where o.definition = name and o.urgency = level and o.tenant = b.known and o.due_at >= earliest
            and o.announce_at is not null and o.token is null and not o.behind
          order by o.due_at limit 1), false) where b.known is not null
        union all
        (select o.tenant, o.due_at <= at from {{schema}}.operations o
          where b.known is null and o.definition = name and o.urgency = level and o.tenant > w.tenant
            and o.announce_at is not null and o.token is null and not o.behind
          order by o.tenant, o.due_at limit 1)
        limit 1) n
      where w.found < most and w.looked - w.found < misses and (up_to is null or w.tenant < up_to))
    select array_agg(w.tenant order by w.looked) filter (where w.is_due) as due, max(w.looked) as looked,
        max(w.tenant) filter (where w.looked > 0) as last
      into walked from walk w where up_to is null or w.tenant <= up_to;
    tenants := tenants || walked.due;
    reached := coalesce(walked.last, reached);
    most := most - coalesce(cardinality(walked.due), 0);
    misses := misses - walked.looked + coalesce(cardinality(walked.due), 0);
    exit when most <= 0 or misses <= 0;
    here := '';
    up_to := first;
  end loop;
end
$function$;

-- Selects due operations of one definition in the order of their urgency and, within one urgency, by turns of their tenants,
-- the oldest of each tenant first. `turns` contains the tenants that had the last turns, by urgency, and `next_turns` the
-- same afterwards. The first turn begins at `start`.
create function {{schema}}.select_by_turns_v1(name text, most integer, at timestamptz, earliest timestamptz,
  admitted boolean, creates boolean, turns jsonb, start text, out ids uuid[], out lost uuid[], out next_turns jsonb,
  out laned boolean)
returns record language plpgsql
as $function$
declare
  level integer;
  known text[];
  ring record;
  share integer;
  extra integer;
begin
  next_turns := coalesce(turns, '{}');
  laned := false;
  -- The search for the first entry of an urgency would pass the dead entries of its first tenants.
  foreach level in array array(select l.level from generate_series(0, 7) as l(level)
    -- The order makes the planner choose the index of turns.
    where turns ? l.level::text or (select true from {{schema}}.operations o where o.definition = name
      and o.urgency = l.level and o.announce_at is not null and o.token is null and not o.behind order by o.tenant, o.due_at limit 1))
  loop
    known := array(select jsonb_array_elements_text(turns->level::text));
    if cardinality(known) = 0 then
      known := array[start];
    end if;
    ring := {{schema}}.next_tenants_v1(name, level, known, most, greatest(16, most / 2), at, earliest);
    if ring.reached is null then
      next_turns := next_turns - level::text;
      continue;
    end if;
    -- If there are more tenants than turns, none of them leaves many dead entries.
    next_turns := jsonb_set(next_turns, array[level::text], to_jsonb(case when cardinality(ring.tenants) < least(most, 64)
      then array_append(array_remove(ring.tenants, ring.reached), ring.reached) else array[ring.reached] end));
    continue when cardinality(ring.tenants) = 0;
    share := most / cardinality(ring.tenants);
    extra := most % cardinality(ring.tenants);
    select array_agg(c.id) filter (where not c.previous_lost), array_agg(c.id) filter (where c.previous_lost),
        coalesce(bool_or(c.laned), false)
      into ids, lost, laned
    from unnest(ring.tenants) with ordinality as t(tenant, place) cross join lateral (
      select o.id, o.previous_lost, o.lane is not null as laned from {{schema}}.operations o
      where o.definition = name and o.urgency = level and o.tenant = t.tenant
        and o.announce_at is not null and o.token is null and not o.behind and o.due_at >= earliest and o.due_at <= at
        and (admitted or not o.previous_lost) and (creates or o.state <> 'preparing')
        and (o.start_by is null or o.previous_lost or o.start_by > at)
      order by o.due_at limit share + (t.place <= extra)::integer for update skip locked) c;
    -- A tenant may have more of this urgency than its share. The next look takes that before less urgent work.
    exit when ids is not null or lost is not null;
  end loop;
end
$function$;

-- Selects like `select_by_turns_v1` within a limit for each tenant. A tenant without a place costs one look, however much of
-- its work is due. `again` is true if it has not looked at all tenants. The lock of the definition's places must be held.
create function {{schema}}.select_within_v1(name text, most integer, at timestamptz, earliest timestamptz,
  admitted boolean, creates boolean, turns jsonb, start text, most_of_tenant integer, chosen uuid[], out ids uuid[],
  out lost uuid[], out next_turns jsonb, out again boolean)
returns record language plpgsql
as $function$
declare
  level integer;
  probes integer := 1000 + 4 * most;
  first text collate "C";
  here text collate "C";
  wrapped boolean;
  probe record;
  next_tenants text[];
  places integer[];
  free integer;
  share integer;
begin
  next_turns := coalesce(turns, '{}');
  again := false;
  for level in 0..7 loop
    first := coalesce(turns->level::text->>-1, start);
    here := first;
    wrapped := false;
    next_tenants := '{}';
    places := '{}';
    while cardinality(next_tenants) < most loop
      if probes <= 0 then
        again := true;
        exit;
      end if;
      select o.tenant, o.due_at into probe from {{schema}}.operations o
      where o.definition = name and o.urgency = level and o.tenant > here
        and o.announce_at is not null and o.token is null and not o.behind
      order by o.tenant, o.due_at limit 1;
      if probe.tenant is null or (wrapped and probe.tenant > first) then
        exit when wrapped;
        wrapped := true;
        here := '';
        continue;
      end if;
      here := probe.tenant;
      probes := probes - 1;
      continue when probe.due_at > at;
      free := most_of_tenant - {{schema}}.taken_v1(name, here, most_of_tenant, at, chosen);
      continue when free <= 0;
      next_tenants := next_tenants || here;
      places := places || free;
    end loop;
    if here <> '' and here <> first then
      next_turns := jsonb_set(next_turns, array[level::text], jsonb_build_array(here));
    end if;
    continue when cardinality(next_tenants) = 0;
    share := greatest(1, most / cardinality(next_tenants));
    select array_agg(c.id) filter (where not c.previous_lost), array_agg(c.id) filter (where c.previous_lost)
      into ids, lost
    from unnest(next_tenants, places) as t(tenant, free) cross join lateral (
      select o.id, o.previous_lost from {{schema}}.operations o
      where o.definition = name and o.urgency = level and o.tenant = t.tenant
        and o.announce_at is not null and o.token is null and not o.behind and o.due_at >= earliest and o.due_at <= at
        and (admitted or not o.previous_lost) and (creates or o.state <> 'preparing')
        and (o.start_by is null or o.previous_lost or o.start_by > at)
      order by o.due_at limit least(share, t.free) for update skip locked) c;
    -- A tenant may have more of this urgency than its share. The next look takes that before less urgent work.
    exit when ids is not null or lost is not null;
  end loop;
end
$function$;

-- Begins due operations: see `OperationStore.claim`. If `repeated`, returns the operations that the first call with this
-- receipt began. `admitted` says how many suspects of each definition may begin. Skips operations that were due before `since`, in epoch milliseconds. `last_turns` is JSON that says which
-- tenants had the last turns, by definition and urgency. It is a text, because some clients would encode JSON again. A row with
-- the outcome `turns` says it for the next call.
--
-- `limits` and `tenant_limits` are empty if no definition has any. 0 is no limit. A row with the outcome `again` says that
-- there may be more work that has a place, `blocked` that due work has none, and `next` in how many milliseconds, its place,
-- more becomes due.
create function {{schema}}.claim_v1(definitions text[], slots integer[], leases float8[], creates boolean[],
  admitted integer[], since float8[], limits integer[], tenant_limits integer[], lanes boolean[], last_turns text,
  most integer, receipt text, repeated boolean, cancelled text)
returns table (place integer, outcome text, operation {{schema}}.operations) language plpgsql
set search_path = pg_catalog, pg_temp
set jit = off set enable_seqscan = off set enable_bitmapscan = off set enable_hashjoin = off set enable_mergejoin = off
set plan_cache_mode = force_generic_plan set lock_timeout = '5s'
as $function$
#variable_conflict use_column
declare
  at timestamptz := {{schema}}.now_v1();
  turns jsonb := last_turns;
  name text;
  lease float8;
  earliest timestamptz;
  plain uuid[];
  suspects uuid[];
  suspect uuid;
  quota integer;
  wanted integer;
  waiting integer;
  taken integer;
  free integer := most;
  more boolean;
  ended integer := 0;
  blocked boolean := false;
  next_at timestamptz := 'infinity';
  chosen record;
  meets_lanes boolean;
  most_of_tenant integer;
  places integer;
  paused boolean;
  put_off integer := 0;
  missed integer := 0;
  with_turn record;
begin
  if repeated then
    perform set_config('synchronous_commit', 'off', true);
    -- Operations that the first call began have a lease that ends between now and the end of a full lease.
    for which in 1..cardinality(definitions) loop
      lease := leases[which];
      outcome := 'begun';
      for operation in
        update {{schema}}.operations o
        set due_at = at + lease * interval '1 ms', announce_at = at + lease * interval '1 ms', round = 0
        where o.definition = definitions[which] and o.announce_at is not null and o.token is not null and o.token = receipt
          and o.due_at > at and o.due_at <= at + lease * interval '1 ms' returning o.*
      loop
        return next;
      end loop;
    end loop;
    return;
  end if;
  if cardinality(limits) > 0 then
    perform {{schema}}.lock_places_v1(array(
      select n.name from unnest(definitions, limits, tenant_limits) as n(name, most, most_of_tenant)
      where n.most > 0 or n.most_of_tenant > 0));
  end if;
  -- Each definition gets a share, and unused shares go to the others, so that a long backlog delays no other
  -- definition.
  loop
    more := false;
    quota := greatest(1, free / greatest(1, cardinality(definitions)));
    for which in 1..cardinality(definitions) loop
      continue when slots[which] <= 0;
      name := definitions[which];
      paused := exists (select from {{schema}}.paused p where p.definition = name);
      lease := leases[which];
      earliest := to_timestamp(since[which] / 1000);
      wanted := least(quota, free, slots[which]);
      most_of_tenant := coalesce(tenant_limits[which], 0);
      places := case when limits[which] > 0 then limits[which] - {{schema}}.taken_v1(name, null, limits[which], at, '{}')
        else wanted end;
      -- Those that have lost their lease hold a place already. A pause holds back neither cancellations nor creations.
      select array_agg(c.id order by c.due_at), count(*), coalesce(bool_or(c.laned), false) into suspects, taken, meets_lanes from (
        select o.id, o.due_at, o.lane is not null as laned from {{schema}}.operations o
        where o.definition = name and o.announce_at is not null and o.token is not null
          and o.due_at >= earliest and o.due_at <= at
          and (o.cancel_requested or (admitted[which] > 0 and (not paused or o.state = 'preparing')))
          -- If this call arrives after its repetition, other calls begin the operations that the repetition began.
          and o.token <> receipt and (creates[which] or o.state <> 'preparing')
        order by o.due_at limit wanted for update skip locked) c;
      wanted := case when paused then 0 else greatest(0, least(wanted - taken, places)) end;
      plain := null;
      -- Only if more is due than there are slots, it matters whose turn it is. The other searches begin at the first entry,
      -- so that they pass no dead ones.
      select count(*), coalesce(min(w.due_at), earliest) into waiting, earliest from (
        select o.due_at from {{schema}}.operations o
        where o.definition = name and o.announce_at is not null and o.token is null and not o.behind and o.urgency >= 0
          and o.due_at >= earliest and o.due_at <= at order by o.due_at limit wanted + 1) w;
      if wanted > 0 and waiting > 0 and most_of_tenant > 0 then
        chosen := {{schema}}.select_within_v1(name, wanted, at, earliest, admitted[which] > 0, creates[which], turns->name,
          receipt, most_of_tenant, coalesce(suspects, '{}'));
        plain := coalesce(chosen.ids, '{}');
        suspects := suspects || chosen.lost;
        taken := taken + coalesce(cardinality(chosen.ids), 0) + coalesce(cardinality(chosen.lost), 0);
        meets_lanes := true;
        turns := turns || jsonb_build_object(name, chosen.next_turns);
        outcome := 'turns';
        operation := null;
        operation.definition := name;
        operation.meta := chosen.next_turns;
        return next;
        if chosen.again then
          outcome := 'again';
          return next;
        end if;
      elsif wanted > 0 and waiting > wanted then
        chosen := {{schema}}.select_by_turns_v1(name, wanted, at, earliest, admitted[which] > 0, creates[which], turns->name,
          receipt);
        -- Null only if it has selected nothing.
        plain := case when chosen.lost is null then chosen.ids else coalesce(chosen.ids, '{}') end;
        suspects := suspects || chosen.lost;
        taken := taken + coalesce(cardinality(chosen.ids), 0) + coalesce(cardinality(chosen.lost), 0);
        meets_lanes := meets_lanes or chosen.laned;
        turns := turns || jsonb_build_object(name, chosen.next_turns);
        outcome := 'turns';
        operation := null;
        operation.definition := name;
        operation.meta := chosen.next_turns;
        return next;
      end if;
      if waiting > 0 and plain is null then
        -- The tenants that had the turn may have had no due work.
        select array_agg(c.id order by c.due_at) filter (where not c.previous_lost),
            suspects || array_agg(c.id order by c.due_at) filter (where c.previous_lost), taken + count(*),
            meets_lanes or coalesce(bool_or(c.laned), false)
          into plain, suspects, taken, meets_lanes from (
            select o.id, o.due_at, o.previous_lost, o.lane is not null as laned from {{schema}}.operations o
            where o.definition = name and o.announce_at is not null and o.token is null and not o.behind and o.urgency >= 0
              and o.due_at >= earliest and o.due_at <= at
              and (admitted[which] > 0 or not o.previous_lost) and (creates[which] or o.state <> 'preparing')
              and (o.start_by is null or o.previous_lost or o.start_by > at)
            order by o.due_at limit wanted for update skip locked) c;
      end if;
      if meets_lanes then
        with_turn := {{schema}}.with_turn_v1(plain, at);
        plain := with_turn.allowed;
        put_off := put_off + with_turn.put_off;
        missed := missed + with_turn.missed;
        taken := taken - with_turn.missed;
        with_turn := {{schema}}.with_turn_v1(suspects, at);
        suspects := with_turn.allowed;
        put_off := put_off + with_turn.put_off;
        missed := missed + with_turn.missed;
        taken := taken - with_turn.missed;
      end if;
      -- Operations that were put off have been taken out of the way. Those in lanes that others hold would be found again.
      more := more or (taken > 0 and (taken = quota or waiting > wanted or meets_lanes));
      outcome := 'begun';
      for operation in
        update {{schema}}.operations o set attempt = o.attempt + 1, token = receipt,
          due_at = at + lease * interval '1 ms', announce_at = at + lease * interval '1 ms', round = 0
        where o.id = any (plain) returning o.*
      loop
        free := free - 1;
        slots[which] := slots[which] - 1;
        return next;
      end loop;
      -- Suspects may crash their process and all attempts in it.
      foreach suspect in array coalesce(suspects, '{}') loop
        select o.* into operation from {{schema}}.operations o where o.id = suspect;
        if operation.cancel_requested then
          update {{schema}}.operations o set state = 'failed', error = cancelled, settled_at = at,
            expires_at = at + coalesce(o.failed_retention_ms, o.retention_ms) * interval '1 ms', due_at = null,
            announce_at = null
          where o.id = suspect;
          ended := ended + 1;
          outcome := 'ended';
          return next;
          continue;
        else
          continue when admitted[which] <= 0;
          admitted[which] := admitted[which] - 1;
          update {{schema}}.operations o set previous_lost = true, attempt = o.attempt + 1, token = receipt,
            due_at = at + lease * interval '1 ms', announce_at = at + lease * interval '1 ms', round = 0
          where o.id = suspect returning o.* into operation;
          outcome := 'begun';
        end if;
        free := free - 1;
        slots[which] := slots[which] - 1;
        return next;
      end loop;
      exit when free <= 0;
    end loop;
    exit when free <= 0 or not more;
    -- Each is put off or ended only once. The bound keeps the call short.
    exit when put_off + ended > 256;
  end loop;
  if ended = 0 then
    perform set_config('synchronous_commit', 'off', true);
  end if;
  operation := null;
  if free > 0 and (put_off + ended > 256 or missed > 0) then
    outcome := 'again';
    return next;
  end if;
  for which in 1..cardinality(definitions) loop
    continue when free <= 0 or slots[which] <= 0;
    name := definitions[which];
    earliest := to_timestamp(since[which] / 1000);
    blocked := blocked or exists (select from {{schema}}.operations o
        where o.definition = name and o.announce_at is not null and o.token is null and not o.behind and o.urgency >= 0
          and o.due_at >= earliest and o.due_at <= at and (creates[which] or o.state <> 'preparing')
          and (o.start_by is null or o.previous_lost or o.start_by > at)
        order by o.due_at limit 1)
      or exists (select from {{schema}}.operations o
        where o.definition = name and o.announce_at is not null and o.token is not null
          and o.due_at >= earliest and o.due_at <= at and (creates[which] or o.state <> 'preparing')
        order by o.due_at limit 1)
      or (lanes[which] and exists (select from {{schema}}.operations o
        where o.definition = name and o.announce_at is not null and o.behind order by o.announce_at limit 1));
    continue when exists (select from {{schema}}.paused p where p.definition = name);
    next_at := least(next_at,
      (select o.due_at from {{schema}}.operations o
        where o.definition = name and o.announce_at is not null and o.token is null and not o.behind and o.urgency >= 0
          and o.due_at > at and (creates[which] or o.state <> 'preparing')
        order by o.due_at limit 1),
      (select o.due_at from {{schema}}.operations o
        where o.definition = name and o.announce_at is not null and o.token is not null
          and o.due_at > at and (creates[which] or o.state <> 'preparing')
        order by o.due_at limit 1));
  end loop;
  if blocked then
    outcome := 'blocked';
    return next;
  end if;
  if next_at < 'infinity' then
    outcome := 'next';
    place := ceil(least(extract(epoch from next_at - at) * 1000, 2147483647));
    return next;
  end if;
end
$function$;

create function {{schema}}.renew_v1(ids uuid[], tokens text[], leases float8[], progresses text[])
returns table (place integer, outcome text, cancel_requested boolean) language plpgsql
set search_path = pg_catalog, pg_temp
set jit = off set enable_seqscan = off set enable_bitmapscan = off set enable_hashjoin = off set enable_mergejoin = off
set plan_cache_mode = force_generic_plan set lock_timeout = '100ms'
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
      update {{schema}}.operations o set due_at = coalesce(at + nullif(item.lease, 0) * interval '1 ms', o.due_at),
        announce_at = coalesce(at + nullif(item.lease, 0) * interval '1 ms', o.announce_at), round = 0,
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
-- another index (`announce_at`) would look cheap while the table is empty. `transaction_id` comes from `hold_v1`, or is empty.
create function {{schema}}.settle_v1(ids uuid[], tokens text[], targets text[], texts text[], last_errors text[],
  progresses text[], delays float8[], counts boolean[], starts boolean[], cancelled text, transaction_id text)
returns table (place integer, state text) language plpgsql
set search_path = pg_catalog, pg_temp
set jit = off set enable_seqscan = off set enable_bitmapscan = off set enable_hashjoin = off set enable_mergejoin = off
set plan_cache_mode = force_generic_plan set lock_timeout = '100ms'
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
        else o.retention_ms end * interval '1 ms', due_at = null, announce_at = null,
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
    -- The array limits the plan that starts with the table, which looks cheap while the table is empty.
    where o.id = any (ids) and o.id = item.id and o.token = item.token and o.settled_at is null
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
        previous_lost = false, round = 0, not_before = null, due_at = greatest(at, o.not_before),
        start_by = greatest(at, o.not_before) + o.start_within_ms * interval '1 ms',
        announce_at = case when o.not_before > at then o.not_before else at + interval '30 s' end
      where o.id = item.id and o.token = item.token and o.settled_at is null and o.state = 'preparing'
      returning o.state into state;
    elsif item.target = 'retry' then
      update {{schema}}.operations o set attempt = o.attempt - (not item.counted)::integer, token = null,
        previous_lost = o.previous_lost and not item.counted, start_by = case when not item.started then o.start_by end,
        last_error = coalesce(nullif(item.last_error, ''), o.last_error),
        progress = coalesce(nullif(item.progress, ''), o.progress),
        due_at = at + item.delay * interval '1 ms', announce_at = at + item.delay * interval '1 ms', round = 0
      where o.id = item.id and o.token = item.token and o.settled_at is null and not o.cancel_requested
      returning o.state into state;
      if not found then
        update {{schema}}.operations o set state = 'failed', error = cancelled, settled_at = at,
          expires_at = at + coalesce(o.failed_retention_ms, o.retention_ms) * interval '1 ms', due_at = null,
          announce_at = null
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
set search_path = pg_catalog, pg_temp
set jit = off set enable_seqscan = off set enable_bitmapscan = off set enable_hashjoin = off set enable_mergejoin = off
set plan_cache_mode = force_generic_plan set lock_timeout = '1s'
as $function$
#variable_conflict use_column
declare
  at timestamptz := {{schema}}.now_v1();
  known {{schema}}.operations;
begin
  select o.* into known from {{schema}}.operations o
  where o.id = p_id and o.tenant = p_tenant and not o.hidden and o.state not in ('key', 'preparing') for update;
  if not found then
    return 'unknown';
  elsif known.announce_at is null then
    return 'terminal';
  elsif known.token is not null and known.due_at > at then
    update {{schema}}.operations o set cancel_requested = true where o.id = p_id;
    return 'requested';
  end if;
  update {{schema}}.operations o set state = 'failed', error = cancelled, settled_at = at,
    expires_at = at + coalesce(o.failed_retention_ms, o.retention_ms) * interval '1 ms', due_at = null, announce_at = null
  where o.id = p_id;
  return 'cancelled';
end
$function$;

-- Runs a failed operation again, as a new one. The lock on the failed one ensures that concurrent calls create one
-- successor.
create function {{schema}}.redrive_v1(p_id uuid, p_successor uuid, p_on_end_id uuid,
  out outcome text, out operation_id uuid, out created boolean, out state text)
returns record language plpgsql
set search_path = pg_catalog, pg_temp
set jit = off set enable_seqscan = off set enable_bitmapscan = off set enable_hashjoin = off set enable_mergejoin = off
set plan_cache_mode = force_generic_plan set lock_timeout = '5s'
as $function$
#variable_conflict use_column
declare
  at timestamptz := {{schema}}.now_v1();
  known {{schema}}.operations;
  follow_up json;
begin
  select o.* into known from {{schema}}.operations o where o.id = p_id and o.state <> 'key' for update;
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
    insert into {{schema}}.operations (id, tenant, definition, principal, state, hidden, urgency, due_at, announce_at,
      created_at, retention_ms, failed_retention_ms, start_within_ms, start_by, retry_of, input, meta, lane, on_end)
    values (p_successor, known.tenant, known.definition, known.principal, 'pending', known.hidden, known.urgency, at,
      at + interval '30 s',
      date_trunc('milliseconds', at), known.retention_ms, known.failed_retention_ms, known.start_within_ms,
      at + known.start_within_ms * interval '1 ms', known.id, known.input, known.meta, known.lane,
      case when known.on_end is not null then json_build_object('id', p_on_end_id, 'definition', follow_up->'definition',
        'input', follow_up->'input', 'retentionMs', follow_up->'retentionMs',
        'failedRetentionMs', follow_up->'failedRetentionMs')::text end)
    on conflict do nothing;
    outcome := 'redriven';
    operation_id := p_successor;
    created := found;
    -- The failed operation is kept as long as its successor, even if an earlier `remove` asked to delete it. Purges only
    -- look at it before that if the successor needs more than a day.
    update {{schema}}.operations o set retried_by = p_successor, forget_at = null,
      expires_at = at + o.retention_ms * interval '1 ms' + interval '1 day' where o.id = p_id;
  end if;
end
$function$;

-- ---------------------------------------------------------------------------------------------------------------------
-- Sweeping. Rows that another sweep is taking are skipped.
-- ---------------------------------------------------------------------------------------------------------------------

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

create function {{schema}}.take_due_v1(definitions text[], most integer)
returns table (id uuid, definition text) language plpgsql
set search_path = pg_catalog, pg_temp
set jit = off set enable_seqscan = off set enable_bitmapscan = off set enable_hashjoin = off set enable_mergejoin = off
set plan_cache_mode = force_generic_plan set lock_timeout = '5s'
as $function$
#variable_conflict use_column
declare
  at timestamptz := {{schema}}.now_v1();
  name text;
  item {{schema}}.operations;
begin
  perform set_config('synchronous_commit', 'off', true);
  foreach name in array definitions loop
    -- An operation that waits for its lane needs no announcement. This look only finds a turn that was missed.
    for item in
      select o.* from {{schema}}.operations o
      where o.definition = name and o.announce_at <= at and o.behind order by o.announce_at limit most
    loop
      most := most - 1;
      continue when not {{schema}}.lock_in_lane_v1(item.id);
      continue when {{schema}}.has_turn_v1(item, at);
      update {{schema}}.operations o set round = o.round + 1,
        announce_at = at + least(30000 * 4 ^ least(o.round, 10), 3600000) * interval '1 ms' where o.id = item.id;
    end loop;
    for item in
      select o.* from {{schema}}.operations o
      where o.definition = name and o.announce_at <= at and o.urgency <= 7 and not o.behind
      order by o.announce_at limit most for update skip locked
    loop
      update {{schema}}.operations o set round = o.round + 1,
        announce_at = at + least(30000 * 4 ^ least(o.round, 10), 3600000) * interval '1 ms' where o.id = item.id;
      most := most - 1;
      id := item.id;
      definition := name;
      return next;
    end loop;
    exit when most <= 0;
  end loop;
end
$function$;

-- Ends operations that did not start in time. Those in lanes that other transactions hold are left to the next call:
-- waiting for several lanes, in the order of deadlines, could deadlock.
create function {{schema}}.end_overdue_v1(most integer, expired text)
returns table (id uuid, definition text, tenant text, principal text, created_at timestamptz) language plpgsql
set search_path = pg_catalog, pg_temp
set jit = off set enable_seqscan = off set enable_bitmapscan = off set enable_hashjoin = off set enable_mergejoin = off
set plan_cache_mode = force_generic_plan set lock_timeout = '5s'
as $function$
#variable_conflict use_column
declare
  at timestamptz := {{schema}}.now_v1();
  item record;
begin
  for item in
    select o.id, o.definition, o.tenant, o.principal, o.created_at, o.lane from {{schema}}.operations o
    where o.announce_at is not null and o.token is null and not o.previous_lost and o.start_by is not null and o.start_by <= at
    order by o.start_by limit most for update skip locked
  loop
    if item.lane is not null then
      continue when not pg_try_advisory_xact_lock({{schema}}.lane_lock_v1(item.definition, item.tenant, item.lane));
    end if;
    perform {{schema}}.end_overdue_one_v1(item.id, expired, at);
    id := item.id;
    definition := item.definition;
    tenant := item.tenant;
    principal := item.principal;
    created_at := item.created_at;
    return next;
  end loop;
end
$function$;

-- Keeps an operation whose successor still exists, for a day at a time. Deleting the successor ends this at once.
create function {{schema}}.postpone_redriven_v1(p_id uuid, p_retried_by uuid, at timestamptz) returns boolean language plpgsql
set search_path = pg_catalog, pg_temp
set jit = off set enable_seqscan = off set enable_bitmapscan = off set enable_hashjoin = off set enable_mergejoin = off
set plan_cache_mode = force_generic_plan
as $function$
begin
  update {{schema}}.operations o set expires_at = at + interval '1 day'
  where o.id = p_id and exists (select from {{schema}}.operations s where s.id = p_retried_by);
  return found;
end
$function$;

-- Lets the predecessor of a successor that is about to be deleted expire. Returns false if another transaction has locked
-- it. Then the successor stays until the next purge: waiting here for a purge that waits for this one would deadlock.
create function {{schema}}.free_predecessor_v1(p_id uuid, p_retry_of uuid, at timestamptz) returns boolean language plpgsql
set search_path = pg_catalog, pg_temp
set jit = off set enable_seqscan = off set enable_bitmapscan = off set enable_hashjoin = off set enable_mergejoin = off
set plan_cache_mode = force_generic_plan
as $function$
begin
  perform from {{schema}}.operations o where o.id = p_retry_of and o.retried_by = p_id for update skip locked;
  if found then
    update {{schema}}.operations o
    set expires_at = greatest(at, o.settled_at + coalesce(o.failed_retention_ms, o.retention_ms) * interval '1 ms')
    where o.id = p_retry_of;
    return true;
  end if;
  return not exists (select from {{schema}}.operations o where o.id = p_retry_of and o.retried_by = p_id);
end
$function$;

-- Deletes operations whose time from `remove_v1` has come.
create function {{schema}}.forget_v1(at timestamptz) returns void language plpgsql
set search_path = pg_catalog, pg_temp
set jit = off set enable_seqscan = off set enable_bitmapscan = off set enable_hashjoin = off set enable_mergejoin = off
set plan_cache_mode = force_generic_plan
as $function$
declare
  item record;
begin
  for item in
    select o.id, o.retry_of from {{schema}}.operations o where o.forget_at <= at
    order by o.forget_at limit 10000 for update skip locked
  loop
    if item.retry_of is not null then
      continue when not {{schema}}.free_predecessor_v1(item.id, item.retry_of, at);
    end if;
    delete from {{schema}}.operations o where o.id = item.id;
  end loop;
end
$function$;

create function {{schema}}.take_expired_v1(most integer)
returns table (id uuid, tenant text, definition text, key text) language plpgsql
set search_path = pg_catalog, pg_temp
set jit = off set enable_seqscan = off set enable_bitmapscan = off set enable_hashjoin = off set enable_mergejoin = off
set plan_cache_mode = force_generic_plan set lock_timeout = '5s'
as $function$
#variable_conflict use_column
declare
  at timestamptz := {{schema}}.now_v1();
  item record;
begin
  perform set_config('synchronous_commit', 'off', true);
  perform {{schema}}.forget_v1(at);
  for item in
    select o.id, o.tenant, o.definition, o.key, o.retried_by from {{schema}}.operations o where o.expires_at <= at
    order by o.expires_at limit most for update skip locked
  loop
    if item.retried_by is not null then
      continue when {{schema}}.postpone_redriven_v1(item.id, item.retried_by, at);
    end if;
    -- If the caller does not remove it, it is handed out again.
    update {{schema}}.operations o set expires_at = at + interval '1 minute' where o.id = item.id;
    id := item.id;
    tenant := item.tenant;
    definition := item.definition;
    key := item.key;
    return next;
  end loop;
end
$function$;

create function {{schema}}.remove_v1(ids uuid[], after_ms float8) returns void language plpgsql
set search_path = pg_catalog, pg_temp
set jit = off set enable_seqscan = off set enable_bitmapscan = off set enable_hashjoin = off set enable_mergejoin = off
set plan_cache_mode = force_generic_plan set lock_timeout = '5s'
as $function$
#variable_conflict use_column
declare
  at timestamptz := {{schema}}.now_v1();
  target uuid;
begin
  for target in select distinct n.id from unnest(ids) as n(id) order by 1 loop
    update {{schema}}.operations o set forget_at = at + after_ms * interval '1 ms', expires_at = null
    where o.id = target and o.settled_at is not null
      and (o.retried_by is null or not exists (select from {{schema}}.operations s where s.id = o.retried_by));
  end loop;
end
$function$;

create function {{schema}}.purge_v1(most integer) returns integer language plpgsql
set search_path = pg_catalog, pg_temp
set jit = off set enable_seqscan = off set enable_bitmapscan = off set enable_hashjoin = off set enable_mergejoin = off
set plan_cache_mode = force_generic_plan set lock_timeout = '5s'
as $function$
#variable_conflict use_column
declare
  at timestamptz := {{schema}}.now_v1();
  item record;
  purged integer := 0;
begin
  perform set_config('synchronous_commit', 'off', true);
  perform {{schema}}.forget_v1(at);
  for item in
    select o.id, o.tenant, o.definition, o.key, o.bound, o.retry_of, o.retried_by from {{schema}}.operations o
    where o.expires_at <= at order by o.expires_at limit most for update skip locked
  loop
    if item.retried_by is not null then
      continue when {{schema}}.postpone_redriven_v1(item.id, item.retried_by, at);
    end if;
    if item.retry_of is not null then
      continue when not {{schema}}.free_predecessor_v1(item.id, item.retry_of, at);
    end if;
    delete from {{schema}}.operations o where o.id = item.id;
    purged := purged + 1;
    if item.key is not null and not item.bound then
      delete from {{schema}}.operations o where o.bound and o.tenant = item.tenant and o.definition = item.definition
        and o.key = item.key and o.key_for = item.id;
    end if;
  end loop;
  return purged;
end
$function$;

-- ---------------------------------------------------------------------------------------------------------------------
-- The idempotency store without the operation store: rows that only hold a key, next to operations that hold their keys
-- ---------------------------------------------------------------------------------------------------------------------

create function {{schema}}.bind_v1(p_tenant text, p_definition text, p_key text, p_fingerprint text, p_operation_id uuid,
  out operation_id uuid, out fingerprint text)
returns record language plpgsql
set search_path = pg_catalog, pg_temp
set jit = off set enable_seqscan = off set enable_bitmapscan = off set enable_hashjoin = off set enable_mergejoin = off
set plan_cache_mode = force_generic_plan set lock_timeout = '5s'
as $function$
#variable_conflict use_column
declare
  at timestamptz := {{schema}}.now_v1();
begin
  for round in 1..5 loop
    insert into {{schema}}.operations (id, tenant, definition, key, bound, fingerprint, key_for, state, due_at, created_at,
      retention_ms, input)
    values (gen_random_uuid(), p_tenant, p_definition, p_key, true, p_fingerprint, p_operation_id, 'key', at, at, 0, '')
    on conflict do nothing;
    if not found then
      perform {{schema}}.wait_for_standbys_v1();
    end if;
    select coalesce(o.key_for, o.id), o.fingerprint into operation_id, fingerprint from {{schema}}.operations o
    where o.bound and o.tenant = p_tenant and o.definition = p_definition and o.key = p_key;
    if found then
      return;
    end if;
  end loop;
  raise exception 'the key is bound and released over and over' using errcode = 'serialization_failure';
end
$function$;

create function {{schema}}.find_key_v1(p_tenant text, p_definition text, p_key text)
returns table (operation_id uuid, fingerprint text) language plpgsql
set search_path = pg_catalog, pg_temp
set jit = off set enable_seqscan = off set enable_bitmapscan = off set enable_hashjoin = off set enable_mergejoin = off
set plan_cache_mode = force_generic_plan set lock_timeout = '5s'
as $function$
#variable_conflict use_column
begin
  return query select coalesce(o.key_for, o.id), o.fingerprint from {{schema}}.operations o
  where o.bound and o.tenant = p_tenant and o.definition = p_definition and o.key = p_key;
end
$function$;

create function {{schema}}.release_v1(p_tenant text, p_definition text, p_key text, p_operation_id uuid)
returns void language plpgsql
set search_path = pg_catalog, pg_temp
set jit = off set enable_seqscan = off set enable_bitmapscan = off set enable_hashjoin = off set enable_mergejoin = off
set plan_cache_mode = force_generic_plan set lock_timeout = '5s'
as $function$
begin
  delete from {{schema}}.operations o where o.bound and o.tenant = p_tenant and o.definition = p_definition
    and o.key = p_key and o.key_for = p_operation_id;
  update {{schema}}.operations o set bound = false where o.bound and o.tenant = p_tenant and o.definition = p_definition
    and o.key = p_key and o.id = p_operation_id;
end
$function$;

create function {{schema}}.take_stale_v1(older_than float8, most integer)
returns table (tenant text, definition text, key text, fingerprint text, operation_id uuid) language plpgsql
set search_path = pg_catalog, pg_temp
set jit = off set enable_seqscan = off set enable_bitmapscan = off set enable_hashjoin = off set enable_mergejoin = off
set plan_cache_mode = force_generic_plan set lock_timeout = '5s'
as $function$
#variable_conflict use_column
declare
  at timestamptz := {{schema}}.now_v1();
  item record;
begin
  perform set_config('synchronous_commit', 'off', true);
  for item in
    select o.* from {{schema}}.operations o where o.state = 'key' and o.due_at <= at - older_than * interval '1 ms'
    order by o.due_at limit most for update skip locked
  loop
    update {{schema}}.operations o set due_at = at where o.id = item.id;
    tenant := item.tenant;
    definition := item.definition;
    key := item.key;
    fingerprint := item.fingerprint;
    operation_id := item.key_for;
    return next;
  end loop;
end
$function$;

-- ---------------------------------------------------------------------------------------------------------------------
-- Within the user's transactions
-- ---------------------------------------------------------------------------------------------------------------------

-- Returns a mark of this database: its name, and when the schema was created in it.
create function {{schema}}.mark_v1() returns text language plpgsql stable
set search_path = pg_catalog, pg_temp
as $function$
begin
  return (select current_database() || ' ' || (extract(epoch from m.applied_at) * 1000000)::bigint
    from {{schema}}.migrations m where m.version = 1);
end
$function$;

-- Records within an open transaction of the caller. If the inner block fails, it is rolled back to its start, and the
-- caller's transaction can continue. `mark` is that of the database where the operation should be, or null. In another
-- database, nothing is recorded. A snapshot from before the migration sees no mark, and is accepted.
create function {{schema}}.record_in_v1(ids uuid[], tenants text[], definitions text[], principals text[], keys text[],
  fingerprints text[], inputs text[], retentions float8[], failed_retentions float8[], metas text[],
  extras text[], tokens text[], leases float8[], channel text, mark text)
returns table (place integer, outcome text, operation json) language plpgsql
set search_path = pg_catalog, pg_temp
set jit = off set enable_seqscan = off set enable_bitmapscan = off set enable_hashjoin = off set enable_mergejoin = off
set plan_cache_mode = force_generic_plan set lock_timeout = '5s'
as $function$
#variable_conflict use_column
declare
  at timestamptz := {{schema}}.now_v1();
  made boolean := false;
begin
  if mark <> {{schema}}.mark_v1() then
    return query select n, 'elsewhere:' || {{schema}}.mark_v1(), null::json from generate_series(1, cardinality(ids)) n;
    return;
  end if;
  begin
    for place, outcome, operation in
      select r.place, r.outcome, r.operation from {{schema}}.record_each_v1(ids, tenants, definitions, principals, keys,
        fingerprints, inputs, retentions, failed_retentions, metas, extras, tokens, leases) r
    loop
      if outcome in ('created', 'helped') then
        made := true;
        -- No caller announces the operation. With another queue, the next sweep announces it.
        -- Setting `created_at` is what the trigger `operations_in_transaction` waits for.
        update {{schema}}.operations o set announce_at = greatest(at, o.due_at), created_at = o.created_at
        where o.id = coalesce((operation->>'id')::uuid, ids[place]);
      end if;
      return next;
    end loop;
  exception when cannot_connect_now then
    return query select n, 'locked', null::json from generate_series(1, cardinality(ids)) n;
  end;
  if made then
    perform set_config('async_request_reply.recorded_at', statement_timestamp()::text, true);
  end if;
  if made and channel is not null then
    -- Postgres delivers the notification only when the transaction commits, and equal ones of a transaction once.
    perform pg_notify(channel, json_build_object('definitions', (select json_agg(distinct d) from unnest(definitions) d),
      'since', floor(extract(epoch from least(at, transaction_timestamp())) * 1000))::text);
  end if;
end
$function$;

create function {{schema}}.in_transaction_v1() returns trigger language plpgsql
set search_path = pg_catalog, pg_temp
as $function$
begin
  if current_setting('async_request_reply.recorded_at', true) = statement_timestamp()::text then
    raise exception 'there is no transaction in progress' using errcode = 'no_active_sql_transaction';
  end if;
  return null;
end
$function$;

-- Refuses the commit if the statement that recorded an operation commits by itself. It runs when the transaction commits, and
-- the commit of a transaction is another statement, which begins later. If the constraints of the transaction are immediate,
-- it runs before the time is noted. Only `record_in_v1` sets this column, so it costs nothing elsewhere.
create constraint trigger operations_in_transaction after update of created_at on {{schema}}.operations
deferrable initially deferred for each row execute function {{schema}}.in_transaction_v1();

-- Locks a key while its resource is created, so that other submissions with the key get an answer at once.
create function {{schema}}.lock_key_v1(p_tenant text, p_definition text, p_key text, p_idle float8)
returns boolean language plpgsql
set search_path = pg_catalog, pg_temp set lock_timeout = '5s'
as $function$
begin
  perform {{schema}}.end_if_abandoned_v1(p_idle);
  return pg_try_advisory_xact_lock(
    hashtextextended(jsonb_build_array('{{schema}}', p_tenant, p_definition, p_key)::text, 0));
end
$function$;

-- Returns false if the transaction that recorded the operation was rolled back.
create function {{schema}}.set_resource_v1(p_id uuid, p_resource text) returns boolean language plpgsql
set search_path = pg_catalog, pg_temp
set jit = off set enable_seqscan = off set enable_bitmapscan = off set enable_hashjoin = off set enable_mergejoin = off
set plan_cache_mode = force_generic_plan set lock_timeout = '5s'
as $function$
begin
  update {{schema}}.operations o set resource = p_resource where o.id = p_id;
  return found;
end
$function$;

-- Locks the operation of an attempt until the transaction that does the work ends. Returns the id of that transaction,
-- or null if the lease is lost.
create function {{schema}}.hold_v1(p_id uuid, p_token text, p_idle float8) returns text language plpgsql
set search_path = pg_catalog, pg_temp
set jit = off set enable_seqscan = off set enable_bitmapscan = off set enable_hashjoin = off set enable_mergejoin = off
set plan_cache_mode = force_generic_plan set lock_timeout = '5s'
as $function$
begin
  perform {{schema}}.end_if_abandoned_v1(p_idle);
  perform from {{schema}}.operations o
  where o.id = p_id and o.token = p_token and o.settled_at is null for update;
  return case when found then pg_current_xact_id()::text end;
end
$function$;

-- Settles an attempt in the transaction that does its work, like `settle_v1`. If the database refuses the progress, it is worth
-- less than the work.
create function {{schema}}.settle_in_v1(ids uuid[], tokens text[], targets text[], texts text[], last_errors text[],
  progresses text[], delays float8[], counts boolean[], starts boolean[], cancelled text, transaction_id text)
returns table (place integer, state text) language plpgsql
set search_path = pg_catalog, pg_temp
as $function$
begin
  if cardinality(progresses) > 0 then
    begin
      return query select s.* from {{schema}}.settle_v1(ids, tokens, targets, texts, last_errors, progresses, delays, counts,
        starts, cancelled, transaction_id) s;
      return;
    exception when data_exception or program_limit_exceeded or integrity_constraint_violation then
      null;
    end;
  end if;
  return query select s.* from {{schema}}.settle_v1(ids, tokens, targets, texts, last_errors, '{}', delays, counts, starts,
    cancelled, transaction_id) s;
end
$function$;
