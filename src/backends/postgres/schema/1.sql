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
-- `due_at` is the end of its lease. Only unfinished operations have one, so a million finished operations do not
-- slow down the search for work.
--
-- `bound` is true if the row holds its key. An operation that was created without RECORD has a key but does not hold it.
--
-- An operation that is `behind` waits for its turn in its lane. Until then, no claim finds it. It becomes so when a claim
-- meets it too early, so recording it costs nothing more. The one with the latest `lane_at` has the turn, or had the last one:
-- it is in front. All that wait behind it come later in the lane, but for those that are `late`, because they became visible or
-- pending only after others could begin. So no search passes those that have had their turn.
-- An operation that has ended has `lane_left`, its transaction, until a claim has let the next one of its lane have its turn.
-- The end itself neither reads nor locks the lane, so it works at any isolation level and waits for nobody.
--
-- An attempt that began under a limit is `limited`, so that others have no entry in the index that counts it.
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
  state text not null,
  hidden boolean not null default false,
  urgency smallint not null default 3,
  lane text collate "C",
  behind boolean not null default false,
  lane_at timestamptz,
  lane_left xid8,
  late boolean not null default false,
  attempt integer not null default 0,
  token text,
  previous_lost boolean not null default false,
  cancel_requested boolean not null default false,
  limited boolean not null default false,
  due_at timestamptz,
  not_before timestamptz,
  created_at timestamptz not null,
  settled_at timestamptz,
  retention_ms bigint not null,
  failed_retention_ms bigint,
  start_within_ms bigint,
  start_by timestamptz,
  expires_at timestamptz,
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
  where due_at is not null and token is null and not behind and urgency >= 0;
create index operations_leased on {{schema}}.operations (definition, due_at) where due_at is not null and token is not null;
-- For counts of the places of one tenant.
create index operations_places on {{schema}}.operations (definition, tenant, due_at)
  where due_at is not null and token is not null and limited;
-- For the turns of tenants, if more work is due than the slots of a worker.
create index operations_turns on {{schema}}.operations (definition, urgency, tenant, due_at)
  where due_at is not null and token is null and not behind and urgency <= 7;
-- For lanes: the order of each lane, those that are late, and the operation in front.
create index operations_lanes on {{schema}}.operations (definition, tenant, lane, created_at, id)
  where due_at is not null and lane is not null and state = 'pending' and urgency <> 8;
create index operations_late on {{schema}}.operations (definition, tenant, lane, created_at, id)
  where due_at is not null and lane is not null and state = 'pending' and late;
create index operations_lane_front on {{schema}}.operations (definition, tenant, lane, lane_at) where lane_at is not null;
create index operations_behind on {{schema}}.operations (definition, due_at) where due_at is not null and behind;
create index operations_lane_left on {{schema}}.operations (definition, lane_left) where lane_left is not null;
-- For those that did not start in time.
create index operations_start_by on {{schema}}.operations (start_by)
  where due_at is not null and start_by is not null and token is null and not previous_lost;
create index operations_expires on {{schema}}.operations (expires_at) where expires_at is not null;
-- For lists of failed operations. Each of the next three indexes has one more condition than the previous
-- one, and each query states only the conditions of its index. Otherwise the planner would prefer an index that is
-- closer to the order of the table, and filter.
create index operations_failed_of_tenant on {{schema}}.operations (tenant, created_at, id) where state = 'failed';
create index operations_failed_of_definition on {{schema}}.operations (definition, created_at, id)
  where state = 'failed' and settled_at is not null;
create index operations_failed on {{schema}}.operations (created_at, id)
  where state = 'failed' and settled_at is not null and due_at is null;
-- For counts of failed operations that do not run again.
create index operations_failed_open on {{schema}}.operations (definition, created_at)
  where state = 'failed' and retried_by is null;

-- Definitions of which no attempt begins.
create table {{schema}}.paused (
  definition text collate "C" primary key,
  since timestamptz not null,
  paused_by text
);

-- The shortest lease of any attempt that began under a limit, by definition. Few processes ever change it.
create table {{schema}}.shortest_leases (
  definition text collate "C" primary key,
  lease_ms float8 not null
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
  insert into {{schema}}.operations (id, tenant, definition, state, hidden, due_at, created_at, retention_ms,
    failed_retention_ms, input)
  values ((p_on_end->>'id')::uuid, p_tenant, p_on_end->>'definition', 'pending', true, at,
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

-- Returns the end of the earliest lease of a definition, or an earlier time. Where the entries of ended attempts cannot be
-- removed, because a transaction is open somewhere, counts begin there. `known` is the earliest end at the time of an earlier
-- claim, and that time, in epoch milliseconds. Every lease since then is at least the shortest one. Without the lock of the
-- definition's places, an even shorter lease that another claim begins at the same time may be missed.
create function {{schema}}.held_since_v1(name text, lease float8, known jsonb, at timestamptz) returns timestamptz
language plpgsql
as $function$
declare
  shortest float8;
  looked_at timestamptz := to_timestamp((known->>1)::float8 / 1000);
begin
  select s.lease_ms into shortest from {{schema}}.shortest_leases s where s.definition = name;
  if shortest is null or lease < shortest then
    insert into {{schema}}.shortest_leases (definition, lease_ms) values (name, lease)
    on conflict (definition) do update set lease_ms = excluded.lease_ms;
    shortest := lease;
  end if;
  return case when looked_at <= at
    then least(to_timestamp((known->>0)::float8 / 1000), looked_at + shortest * interval '1 ms') else '-infinity' end;
end
$function$;

-- Returns how many operations of a definition, or of one of its tenants, hold a place: up to `most`.
create function {{schema}}.taken_v1(name text, p_tenant text, most integer, held_since timestamptz) returns integer language plpgsql
as $function$
begin
  if p_tenant is null then
    return (select count(*) from (select from {{schema}}.operations o
      where o.definition = name and o.due_at is not null and o.token is not null and o.due_at >= held_since
        and o.state = 'pending'
      order by o.due_at limit most) n);
  end if;
  return (select count(*) from (select from {{schema}}.operations o
    where o.definition = name and o.tenant = p_tenant and o.due_at is not null and o.token is not null and o.limited
      and o.due_at >= held_since and o.state = 'pending'
    order by o.due_at limit most) n);
end
$function$;

-- Takes the expired leases away of those that have no free place: of all tenants, or of one. Rows that another transaction has
-- locked keep theirs: its lock is its lease. Cancelled ones keep it too, because a claim ends them at once, and so do those that
-- the claim has chosen.
create function {{schema}}.release_expired_v1(name text, most integer, most_of_tenant integer, at timestamptz,
  held_since timestamptz, chosen uuid[])
returns void language plpgsql
as $function$
declare
  full_tenants text[] := array(select distinct o.tenant from {{schema}}.operations o
    where o.definition = name and o.due_at is not null and o.token is not null and o.due_at >= held_since and o.due_at <= at);
begin
  if cardinality(full_tenants) = 0 then
    return;
  end if;
  if most is null or {{schema}}.taken_v1(name, null, most, held_since) < most then
    full_tenants := array(select t.tenant from unnest(full_tenants) as t(tenant)
      where {{schema}}.taken_v1(name, t.tenant, most_of_tenant, held_since) >= most_of_tenant);
  end if;
  update {{schema}}.operations o set token = null, previous_lost = true where o.id = any (array(
    select l.id from {{schema}}.operations l
    where l.definition = name and l.due_at is not null and l.token is not null and l.due_at >= held_since and l.due_at <= at
      and l.state = 'pending' and not l.cancel_requested and l.tenant = any (full_tenants) and l.id <> all (chosen)
    for update skip locked));
end
$function$;

-- Returns the operation in front of a lane, which has a token only if it has not ended, the time from which another one is in
-- front, and the first operation that has not ended: the one in front, one that comes later, or a late one. If an attempt of
-- another operation than `p_id` runs in the lane, looks for none.
create function {{schema}}.lane_v1(name text, p_tenant text, p_lane text, p_id uuid, at timestamptz,
  out front_id uuid, out front_created_at timestamptz, out token text, out due_at timestamptz, out front_at timestamptz,
  out id uuid, out created_at timestamptz, out behind boolean)
returns record language plpgsql
as $function$
#variable_conflict use_column
declare
  late record;
begin
  select o.id, o.created_at, case when o.settled_at is null then o.token end, o.due_at, o.lane_at
    into front_id, front_created_at, token, due_at, front_at
  from {{schema}}.operations o
  where o.definition = name and o.tenant = p_tenant and o.lane = p_lane and o.lane_at is not null
  order by o.lane_at desc limit 1;
  front_at := greatest(at, front_at + interval '1 microsecond');
  if token is not null and due_at > at and front_id is distinct from p_id then
    return;
  end if;
  select o.id, o.created_at, o.behind into late from {{schema}}.operations o
  where o.definition = name and o.tenant = p_tenant and o.lane = p_lane and o.due_at is not null
    and o.lane is not null and o.state = 'pending' and o.late
  order by o.created_at, o.id limit 1;
  if front_id = p_id then
    id := front_id;
    created_at := front_created_at;
  else
    select o.id, o.created_at, o.behind into id, created_at, behind from {{schema}}.operations o
    where o.definition = name and o.tenant = p_tenant and o.lane = p_lane and o.due_at is not null
      and o.lane is not null and o.state = 'pending' and o.urgency <> 8
      and (o.created_at, o.id) >= (coalesce(front_created_at, '-infinity'),
        coalesce(front_id, '00000000-0000-0000-0000-000000000000'))
    order by o.created_at, o.id limit 1;
  end if;
  if (late.created_at, late.id) < (created_at, id) or id is null then
    id := late.id;
    created_at := late.created_at;
    behind := late.behind;
  end if;
end
$function$;

-- Lets an operation that is behind have its turn. The lock of the lane must be held, and no attempt run in it. If another
-- transaction has locked its row, that one ends it, and marks it.
create function {{schema}}.promote_v1(p_id uuid, front_at timestamptz, at timestamptz) returns void language plpgsql
as $function$
begin
  -- A search begins at the first live entry, so the operation is due from now on.
  update {{schema}}.operations o set behind = false, late = false, lane_at = front_at, due_at = at where o.id = (
    select b.id from {{schema}}.operations b where b.id = p_id for update skip locked) and o.behind;
end
$function$;

-- Returns what `pass_turns_v1` saw, unless that is too old: a server that crashes can lose what a claim has done.
create function {{schema}}.seen_v1(looked jsonb, at timestamptz) returns pg_snapshot language sql stable
as $function$
  select case when to_timestamp((looked->>1)::float8 / 1000) between at - interval '10 s' and at
    then (looked->>0)::pg_snapshot end
$function$;

-- Lets the next operations have their turn in the lanes that others have left. Returns how many of these lanes are left, because
-- other transactions hold them or because there are too many for one call, and the changed `turns`, or null: they contain a snapshot
-- and the time of the last look at all lanes. What had left its lane by the snapshot has been dealt with. A search without it
-- would pass all that for as long as a transaction is open anywhere.
create function {{schema}}.pass_turns_v1(definitions text[], lanes boolean[], at timestamptz, turns jsonb,
  out missed integer, out next_turns jsonb)
returns record language plpgsql
as $function$
declare
  name text;
  seen pg_snapshot;
  -- From before this transaction writes anything. A later snapshot could pass what the claim itself ends.
  now_seen pg_snapshot := pg_current_snapshot();
  item record;
  passed integer;
  missed_before integer;
begin
  missed := 0;
  for which in 1..cardinality(definitions) loop
    name := definitions[which];
    continue when not lanes[which]
      and not exists (select from {{schema}}.operations o where o.definition = name and o.lane_left is not null);
    seen := {{schema}}.seen_v1(turns->name->'left', at);
    passed := 0;
    missed_before := missed;
    for item in
      (select o.id, o.tenant, o.lane from {{schema}}.operations o
        where o.definition = name and o.lane_left is not null and o.lane_left >= coalesce(pg_snapshot_xmax(seen), '0')
        order by o.lane_left limit 256)
      union all
      -- The limit keeps the planner from reading all marks for once.
      (select m.* from pg_snapshot_xip(seen) as x(xid) cross join lateral (
        select o.id, o.tenant, o.lane from {{schema}}.operations o
        where o.definition = name and o.lane_left is not null and o.lane_left = x.xid limit 256) m limit 256)
    loop
      passed := passed + 1;
      missed := missed + (not {{schema}}.pass_turn_v1(item.id, name, item.tenant, item.lane, at))::integer;
    end loop;
    missed := missed + passed / 256;
    if lanes[which] and missed = missed_before then
      next_turns := coalesce(next_turns, turns) || jsonb_build_object(name, coalesce(turns->name, '{}') || jsonb_build_object('left',
        jsonb_build_array(now_seen::text, case when seen is null then to_jsonb(floor(extract(epoch from at) * 1000))
          else turns->name->'left'->1 end)));
    end if;
  end loop;
end
$function$;

-- Lets the next operation of a lane have its turn that another one has left. Returns false if another transaction is in its way.
create function {{schema}}.pass_turn_v1(p_id uuid, name text, p_tenant text, p_lane text, at timestamptz)
returns boolean language plpgsql
as $function$
declare
  lane record;
begin
  perform {{schema}}.require_read_committed_v1();
  if not pg_try_advisory_xact_lock({{schema}}.lane_lock_v1(name, p_tenant, p_lane)) then
    return false;
  end if;
  -- A condition on the mark would make the planner read all marks.
  update {{schema}}.operations o set lane_left = null where o.id = (
    select l.id from {{schema}}.operations l where l.id = p_id for update skip locked);
  if not found then
    return (select o.lane_left from {{schema}}.operations o where o.id = p_id) is null;
  end if;
  lane := {{schema}}.lane_v1(name, p_tenant, p_lane, null, at);
  if lane.token is null and lane.behind then
    perform {{schema}}.promote_v1(lane.id, lane.front_at, at);
  end if;
  return true;
end
$function$;

-- Returns whether others wait for the lane that an operation has left.
create function {{schema}}.is_awaited_v1(o {{schema}}.operations) returns boolean language sql stable
as $function$
  select exists (select from {{schema}}.operations n
    where n.definition = o.definition and n.tenant = o.tenant and n.lane = o.lane and n.due_at is not null
      and n.lane is not null and n.state = 'pending' and n.urgency <> 8)
$function$;

-- Returns whether an operation has its turn in its lane. The caller has locked its row. If it has not, no claim finds it
-- until then, and the result is false, or null if another transaction holds the lane, which says nothing.
create function {{schema}}.has_turn_v1(o {{schema}}.operations, at timestamptz) returns boolean language plpgsql
as $function$
declare
  lane record;
  is_held boolean;
begin
  perform {{schema}}.require_read_committed_v1();
  if not pg_try_advisory_xact_lock({{schema}}.lane_lock_v1(o.definition, o.tenant, o.lane)) then
    return null;
  end if;
  lane := {{schema}}.lane_v1(o.definition, o.tenant, o.lane, o.id, at);
  is_held := lane.token is not null and lane.front_id <> o.id;
  if is_held and lane.due_at <= at then
    perform from {{schema}}.operations h where h.id = lane.front_id for update skip locked;
    if found then
      update {{schema}}.operations h set token = null, previous_lost = true where h.id = lane.front_id;
      is_held := false;
    end if;
  end if;
  if not is_held and (lane.id is null or (o.created_at, o.id) <= (lane.created_at, lane.id)) then
    if o.id is distinct from lane.front_id then
      update {{schema}}.operations b set behind = false, late = false, lane_at = lane.front_at where b.id = o.id;
    end if;
    return true;
  end if;
  if not o.behind or o.token is not null then
    update {{schema}}.operations b set behind = true, previous_lost = b.previous_lost or b.token is not null, token = null,
      late = b.late or coalesce((o.created_at, o.id) < (lane.front_created_at, lane.front_id), false)
    where b.id = o.id;
  end if;
  if not is_held and lane.behind then
    perform {{schema}}.promote_v1(lane.id, lane.front_at, at);
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
  perform {{schema}}.follow_up_v1(new.tenant, new.on_end::json, new.settled_at);
  return null;
end
$function$;

create function {{schema}}.left_lane_v1() returns trigger language plpgsql
as $function$
begin
  new.lane_left := pg_current_xact_id();
  return new;
end
$function$;

-- Triggers ensure that every function that ends operations creates the follow-up, and marks those that leave their lane.
create trigger operations_ended after update of settled_at on {{schema}}.operations for each row
when (old.settled_at is null and new.settled_at is not null and new.on_end is not null)
execute function {{schema}}.ended_v1();
create trigger operations_left_lane before update of settled_at on {{schema}}.operations for each row
when (old.settled_at is null and new.settled_at is not null and new.lane is not null)
execute function {{schema}}.left_lane_v1();

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
    attempt, token, due_at, not_before, created_at, retention_ms, failed_retention_ms,
    start_within_ms, start_by, retry_of, input, meta, on_end, lane, late)
  values (p_id, p_tenant, p_definition, nullif(p_principal, ''), nullif(p_key, ''), p_bound, p_fingerprint,
    case when p_token = '' then 'pending' else 'preparing' end, coalesce((extra->>'hidden')::boolean, false),
    coalesce((extra->>'urgency')::smallint, 3), (p_token <> '')::integer, nullif(p_token, ''),
    at + case when p_token = '' then coalesce(delay, 0) else p_lease end * interval '1 ms',
    case when p_token <> '' then at + coalesce(delay, 0) * interval '1 ms' end,
    date_trunc('milliseconds', at), p_retention, nullif(p_failed_retention, -1), (extra->>'startWithinMs')::bigint,
    case when p_token = '' then at + (coalesce(delay, 0) + (extra->>'startWithinMs')::float8) * interval '1 ms' end,
    (extra->>'retryOf')::uuid, p_input, nullif(p_meta, ''), extra->>'onEnd', extra->>'lane',
    extra->>'lane' is not null and delay > 0 is true)
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
    else
      operation := holder;
      outcome := 'exists';
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
      created_at, retention_ms, failed_retention_ms, input, meta)
    values (p_id, p_tenant, p_definition, nullif(p_principal, ''), nullif(p_key, ''), p_key <> '', p_fingerprint, 'pending',
      at, date_trunc('milliseconds', at), p_retention, nullif(p_failed_retention, -1), p_input,
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
  state text, hidden boolean, urgency smallint, attempt integer, token text, due_at timestamptz,
  not_before timestamptz, created_at timestamptz, retention_ms float8, failed_retention_ms float8, start_within_ms bigint,
  start_by timestamptz, retry_of uuid, input text, meta text, on_end text, lane text, late boolean)
language sql stable
as $function$
  select n.id, n.tenant, n.definition, nullif(n.principal, ''), nullif(n.key, ''), n.key <> '', n.fingerprint,
    case when n.token is null then 'pending' else 'preparing' end, coalesce((n.extra->>'hidden')::boolean, false),
    coalesce((n.extra->>'urgency')::smallint, 3::smallint), (n.token is not null)::integer, n.token,
    at + case when n.token is null then coalesce((n.extra->>'delayMs')::float8, 0) else n.lease end * interval '1 ms',
    case when n.token is not null then at + coalesce((n.extra->>'delayMs')::float8, 0) * interval '1 ms' end,
    date_trunc('milliseconds', at), n.retention, nullif(n.failed_retention, -1), (n.extra->>'startWithinMs')::bigint,
    case when n.token is null then at + (coalesce((n.extra->>'delayMs')::float8, 0) + (n.extra->>'startWithinMs')::float8)
      * interval '1 ms' end,
    (n.extra->>'retryOf')::uuid, n.input, nullif(n.meta, ''), n.extra->>'onEnd', n.extra->>'lane',
    n.extra->>'lane' is not null and (n.extra->>'delayMs')::float8 > 0 is true
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
      attempt, token, due_at, not_before, created_at, retention_ms, failed_retention_ms,
      start_within_ms, start_by, retry_of, input, meta, on_end, lane, late)
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
      attempt, token, due_at, not_before, created_at, retention_ms, failed_retention_ms,
      start_within_ms, start_by, retry_of, input, meta, on_end, lane, late)
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

create function {{schema}}.find_key_v1(p_tenant text, p_definition text, p_key text)
returns table (operation_id uuid, fingerprint text) language plpgsql
set search_path = pg_catalog, pg_temp
set jit = off set enable_seqscan = off set enable_bitmapscan = off set enable_hashjoin = off set enable_mergejoin = off
set plan_cache_mode = force_generic_plan set lock_timeout = '5s'
as $function$
#variable_conflict use_column
begin
  return query select o.id, o.fingerprint from {{schema}}.operations o
  where o.bound and o.tenant = p_tenant and o.definition = p_definition and o.key = p_key;
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
  where o.id = p_id and o.tenant = p_tenant and not o.hidden;
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
  return query select o.* from {{schema}}.operations o where o.id = any (ids);
end
$function$;

create function {{schema}}.list_v1(p_tenant text, p_definition text, p_state text, created_from float8, created_before float8,
  after_created float8, after_id uuid, internal boolean, most integer)
returns setof {{schema}}.operations language plpgsql
set search_path = pg_catalog, pg_temp
set jit = off set enable_seqscan = off set enable_bitmapscan = off set enable_hashjoin = off set enable_mergejoin = off
set lock_timeout = '5s'
as $function$
declare
  source text := '{{schema}}.operations';
begin
  if pg_is_in_recovery() then
    perform {{schema}}.refuse_standby_v1();
  end if;
  if coalesce(p_state, '') not in ('failed', 'pending', 'preparing') then
    -- Only indexes that users add have these operations. This ends with the function, like its own settings.
    perform set_config('enable_seqscan', 'on', true);
  elsif p_state <> 'failed' and not exists (select from pg_index i
      where i.indrelid = source::regclass and pg_get_expr(i.indpred, i.indrelid) = '(due_at IS NOT NULL)') then
    -- Reads all unfinished operations, unless users have added an index in the order of the list.
    source := '(select u.* from {{schema}}.operations u
        where u.due_at is not null and u.token is null and not u.behind and u.urgency >= 0
      union all select u.* from {{schema}}.operations u where u.due_at is not null and u.token is not null
      union all select u.* from {{schema}}.operations u where u.due_at is not null and u.behind offset 0)';
  end if;
  -- The query is planned for the given filter, so that it uses the index for that filter.
  return query execute 'select o.* from ' || source || ' o where '
    || case when internal then 'true' else 'not o.hidden and o.state <> ''preparing''' end
    || case when p_tenant is null then '' else ' and o.tenant = $1' end
    || case when p_definition is null then '' else ' and o.definition = $2' end
    || case when p_state is null then '' else ' and o.state = $3' end
    -- Each filter states the conditions of its index.
    || case
      when p_state in ('pending', 'preparing') then ' and o.due_at is not null'
      when p_state is distinct from 'failed' or p_tenant is not null then ''
      when p_definition is not null then ' and o.settled_at is not null'
      else ' and o.settled_at is not null and o.due_at is null'
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
      where o.definition = name and o.due_at is not null and o.token is null and not o.behind and o.urgency >= 0
        and o.due_at <= at and o.state = 'pending'
      order by o.due_at limit 10001) n;
    -- Those that wait for their lane.
    select count(*), min(n.due_at) into late, oldest_late from (
      select o.due_at from {{schema}}.operations o
      where o.definition = name and o.due_at is not null and o.lane is not null and o.state = 'pending'
        and o.urgency <> 8 and o.behind
      order by o.tenant, o.lane, o.created_at, o.id limit 10001) n;
    select count(*) into scheduled from (
      select from {{schema}}.operations o
      where o.definition = name and o.due_at is not null and o.token is null and not o.behind and o.urgency >= 0
        and o.due_at > at and o.state = 'pending'
      order by o.due_at limit 10001) n;
    select count(*), min(n.due_at) into lost, oldest_lost from (
      select o.due_at from {{schema}}.operations o
      where o.definition = name and o.due_at is not null and o.token is not null and o.due_at <= at
        and o.state = 'pending'
      order by o.due_at limit 10001) n;
    select count(*) into running from (
      select from {{schema}}.operations o
      where o.definition = name and o.due_at is not null and o.token is not null and o.due_at > at
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
        (select 1 from {{schema}}.operations o
          where o.definition = definitions[which] and o.due_at is not null and o.token is null and not o.behind
            and o.urgency >= 0
          order by o.due_at limit most[which])
        union all
        (select 1 from {{schema}}.operations o
          where o.definition = definitions[which] and o.due_at is not null and o.token is not null
          order by o.due_at limit most[which])
        union all
        (select 1 from {{schema}}.operations o
          where o.definition = definitions[which] and o.due_at is not null and o.behind
          order by o.due_at limit most[which])
        limit most[which]) n;
    else
      select count(*) into running from (
        select from {{schema}}.operations o
        where o.definition = definitions[which] and o.due_at is not null and o.token is not null
          and o.tenant = tenants[which]
        order by o.due_at limit most[which]) n;
      select least(most[which], running + count(*)) into pending from (
        select from generate_series(0, 7) as l(level) cross join lateral (
          select from {{schema}}.operations o
          where o.definition = definitions[which] and o.urgency = l.level and o.tenant = tenants[which]
            and o.due_at is not null and o.token is null and not o.behind and o.urgency <= 7
          order by o.due_at limit most[which]) w limit most[which]) n;
      if pending < most[which] then
        -- Those that wait for their lane.
        select least(most[which], pending + count(*)) into pending from (
          select from {{schema}}.operations o
          where o.definition = definitions[which] and o.tenant = tenants[which] and o.due_at is not null
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

-- Returns where the entries of unfinished operations begin in the order of `due_at`, in epoch milliseconds, but nothing later
-- than `slack` ago, because operations that are being recorded are not visible yet. As long as a transaction is open anywhere,
-- vacuum keeps the entries of operations that have ended, so a search without this bound passes all of them. Looks for
-- unfinished operations that were due at `since` or later. A `since` in the future is from before the clock was set back, and
-- does not count, here and in `claim_v1`. `oldest` is the oldest transaction that is open, `next` follows the
-- last one that has ended, and `at_ms` is the time.
create function {{schema}}.live_since_v1(definitions text[], since float8[], slack float8)
returns table (definition text, since_ms float8, oldest text, next text, at_ms float8) language plpgsql
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
  seen pg_snapshot := pg_current_snapshot();
begin
  for which in 1..cardinality(definitions) loop
    name := definitions[which];
    earliest := to_timestamp(since[which] / 1000);
    if earliest > at then
      earliest := '-infinity';
    end if;
    waiting := (select o.due_at from {{schema}}.operations o
      where o.definition = name and o.due_at is not null and o.token is null and not o.behind and o.urgency >= 0
        and o.due_at >= earliest
      order by o.due_at limit 1);
    leased := (select o.due_at from {{schema}}.operations o
      where o.definition = name and o.due_at is not null and o.token is not null and o.due_at >= earliest
      order by o.due_at limit 1);
    definition := name;
    since_ms := floor(extract(epoch from least(waiting, leased, at - slack * interval '1 ms')) * 1000);
    oldest := pg_snapshot_xmin(seen);
    next := pg_snapshot_xmax(seen);
    at_ms := floor(extract(epoch from at) * 1000);
    return next;
  end loop;
end
$function$;

-- Returns the tenants of one definition and urgency whose turn it is, if they have due work: those after the last of `known`
-- in the order of their names, and then the others. Passes no more than `misses` tenants whose earliest work is due later, or
-- who have no free place, and says how many it may still pass. `frees` are the free places of each.
-- `known` are the tenants that had the last turns. Their entries are found at `earliest`, so that a search does not pass the
-- dead entries of a tenant with much work. `reached` is the last tenant that it looked at.
create function {{schema}}.next_tenants_v1(name text, level integer, known text[], most integer, misses integer,
  at timestamptz, earliest timestamptz, most_of_tenant integer, held_since timestamptz, out tenants text[],
  out frees integer[], out reached text, out misses_left integer)
returns record language plpgsql
as $function$
declare
  first text collate "C" := known[cardinality(known)];
  here text collate "C" := first;
  up_to text collate "C";
  walked record;
begin
  misses_left := misses;
  -- A tenant without others is common, and the walk would cost more than all else.
  if cardinality(known) = 1 and not exists (
    (select from {{schema}}.operations o
      where o.definition = name and o.urgency = level and o.tenant > first
        and o.due_at is not null and o.token is null and not o.behind and o.urgency <= 7
      order by o.tenant, o.due_at limit 1)
    union all
    (select from {{schema}}.operations o
      where o.definition = name and o.urgency = level and o.tenant < first
        and o.due_at is not null and o.token is null and not o.behind and o.urgency <= 7
      order by o.tenant, o.due_at limit 1)) then
    tenants := known;
    frees := array[case when most_of_tenant is null then 2147483647
      else most_of_tenant - {{schema}}.taken_v1(name, first, most_of_tenant, held_since) end];
    reached := first;
    return;
  end if;
  tenants := '{}';
  frees := '{}';
  for half in 1..2 loop
    with recursive walk(tenant, free, looked, found) as (
      select here, 0::bigint, 0, 0
      union all
      select n.tenant, f.free, w.looked + 1, w.found + (f.free > 0)::integer
      from walk w
      -- Between two known tenants, there may be others.
      cross join lateral (
        select min(k.tenant collate "C") as known from unnest(known) as k(tenant) where k.tenant > w.tenant) b
      cross join lateral (
        (select o.tenant, o.due_at <= at as is_due from {{schema}}.operations o
          where o.definition = name and o.urgency = level and o.tenant > w.tenant and o.tenant < b.known
            and o.due_at is not null and o.token is null and not o.behind and o.urgency <= 7
          order by o.tenant, o.due_at limit 1)
        union all
        select b.known, coalesce((select o.due_at <= at from {{schema}}.operations o
          where o.definition = name and o.urgency = level and o.tenant = b.known and o.due_at >= earliest
            and o.due_at is not null and o.token is null and not o.behind and o.urgency <= 7
          order by o.due_at limit 1), false) where b.known is not null
        union all
        (select o.tenant, o.due_at <= at from {{schema}}.operations o
          where b.known is null and o.definition = name and o.urgency = level and o.tenant > w.tenant
            and o.due_at is not null and o.token is null and not o.behind and o.urgency <= 7
          order by o.tenant, o.due_at limit 1)
        limit 1) n
      -- Counts like `taken_v1`, but a call for each tenant would take twice as long.
      cross join lateral (
        select case when not n.is_due then 0 when most_of_tenant is null then 2147483647 else most_of_tenant - (
          select count(*) from (select from {{schema}}.operations o
            where o.definition = name and o.tenant = n.tenant and o.due_at is not null and o.token is not null and o.limited
              and o.due_at >= held_since and o.state = 'pending'
            order by o.due_at limit most_of_tenant) t) end as free) f
      where w.found < most and w.looked - w.found < misses_left and (up_to is null or w.tenant < up_to))
    select array_agg(w.tenant order by w.looked) filter (where w.free > 0) as due,
        array_agg(w.free::integer order by w.looked) filter (where w.free > 0) as frees, max(w.looked) as looked,
        max(w.tenant) filter (where w.looked > 0) as last
      into walked from walk w where up_to is null or w.tenant <= up_to;
    tenants := tenants || walked.due;
    frees := frees || walked.frees;
    reached := coalesce(walked.last, reached);
    most := most - coalesce(cardinality(walked.due), 0);
    misses_left := misses_left - walked.looked + coalesce(cardinality(walked.due), 0);
    exit when most <= 0 or misses_left <= 0;
    here := '';
    up_to := first;
  end loop;
end
$function$;

-- Selects due operations of one definition in the order of their urgency and, within one urgency, by turns of their tenants,
-- the oldest of each tenant first. `turns` contains the tenants that had the last turns, by urgency, and `next_turns` the
-- same afterwards. The first turn begins at `start`. `most_of_tenant` is null if tenants have no limit. With one, `again` says
-- that it has not looked at all tenants, and the lock of the definition's places must be held. `more` says that another look may
-- find more work with a place.
create function {{schema}}.select_by_turns_v1(name text, most integer, at timestamptz, earliest timestamptz,
  admitted boolean, creates boolean, turns jsonb, start text, most_of_tenant integer, held_since timestamptz, out ids uuid[],
  out lost uuid[], out next_turns jsonb, out laned boolean, out again boolean, out more boolean)
returns record language plpgsql
as $function$
declare
  level integer;
  levels integer[];
  -- There is no search in the order of time after one within a limit, so it passes more tenants.
  misses integer := case when most_of_tenant is null then greatest(16, most / 2) else 2000 end;
  known text[];
  ring record;
  share integer;
  extra integer;
begin
  next_turns := coalesce(turns, '{}');
  laned := false;
  again := false;
  more := false;
  -- The search for the first entry of an urgency would pass the dead entries of its first tenants.
  levels := array(select l.level from generate_series(0, 7) as l(level)
    -- The order makes the planner choose the index of turns.
    where turns ? l.level::text or (select true from {{schema}}.operations o where o.definition = name
      and o.urgency = l.level and o.due_at is not null and o.token is null and not o.behind and o.urgency <= 7
      order by o.tenant, o.due_at limit 1));
  foreach level in array levels loop
    known := array(select jsonb_array_elements_text(turns->level::text));
    if cardinality(known) = 0 then
      known := array[start];
    end if;
    ring := {{schema}}.next_tenants_v1(name, level, known, most, misses, at, earliest, most_of_tenant, held_since);
    if most_of_tenant is not null then
      again := again or (ring.misses_left <= 0 and cardinality(ring.tenants) < most);
      misses := greatest(1, ring.misses_left);
    end if;
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
    more := share < (select max(f.free) from unnest(ring.frees) as f(free)) or level < levels[cardinality(levels)];
    select array_agg(c.id) filter (where not c.previous_lost), array_agg(c.id) filter (where c.previous_lost),
        coalesce(bool_or(c.laned), false)
      into ids, lost, laned
    from unnest(ring.tenants, ring.frees) with ordinality as t(tenant, free, place) cross join lateral (
      select o.id, o.previous_lost, o.lane is not null as laned from {{schema}}.operations o
      where o.definition = name and o.urgency = level and o.tenant = t.tenant
        and o.due_at is not null and o.token is null and not o.behind and o.urgency <= 7
        and o.due_at >= earliest and o.due_at <= at
        and (admitted or not o.previous_lost) and (creates or o.state <> 'preparing')
        and (o.start_by is null or o.previous_lost or o.start_by > at)
      order by o.due_at limit least(share + (t.place <= extra)::integer, t.free) for update skip locked) c;
    -- A tenant may have more of this urgency than its share. The next look takes that before less urgent work.
    exit when ids is not null or lost is not null;
  end loop;
end
$function$;

-- Returns whether operations of a definition may be due.
create function {{schema}}.is_due_v1(name text, since float8, left_lanes jsonb, at timestamptz) returns boolean language plpgsql stable
as $function$
declare
  earliest timestamptz := to_timestamp(since / 1000);
begin
  if earliest > at then
    earliest := '-infinity';
  end if;
  return exists (select from {{schema}}.operations o
      where o.definition = name and o.due_at is not null and o.token is null and not o.behind and o.urgency >= 0
        and o.due_at >= earliest and o.due_at <= at order by o.due_at limit 1)
    or exists (select from {{schema}}.operations o
      where o.definition = name and o.due_at is not null and o.token is not null
        and o.due_at >= earliest and o.due_at <= at order by o.due_at limit 1)
    or exists (select from {{schema}}.operations o
      where o.definition = name and o.lane_left is not null
        and o.lane_left >= coalesce(pg_snapshot_xmax({{schema}}.seen_v1(left_lanes, at)), '0'))
    or exists (select from pg_snapshot_xip({{schema}}.seen_v1(left_lanes, at)) as x(xid) cross join lateral (
      select from {{schema}}.operations o
      where o.definition = name and o.lane_left is not null and o.lane_left = x.xid limit 1) m);
end
$function$;

-- Begins due operations: see `OperationStore.claim`. If `repeated`, returns the operations that the first call with this token
-- began. `admitted` says how many suspects of each definition may begin. Skips operations that were due before `since`, in epoch
-- milliseconds. `last_turns` is JSON that says which tenants had the last turns, by definition and urgency. It is a text, because
-- some clients would encode JSON again. For definitions with limits or lanes, it also says where leases begin and
-- which ends have been seen: see `held_since_v1` and `pass_turns_v1`. A row
-- with the outcome `turns` says it for the next call.
--
-- `limits` and `tenant_limits` are empty if no definition has any. 0 is no limit. A row with the outcome `again` says that
-- there may be more work that has a place, `blocked` that due work has none, and `next` in how many milliseconds, its place,
-- more becomes due. With `p_id`, all of this is about that operation only, and there is one definition.
create function {{schema}}.claim_v1(definitions text[], slots integer[], leases float8[], creates boolean[],
  admitted integer[], since float8[], limits integer[], tenant_limits integer[], lanes boolean[], last_turns text,
  most integer, p_token text, repeated boolean, cancelled text, p_id uuid)
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
  which integer;
  looked_at integer[] := array(select generate_series(1, cardinality(definitions)));
  more integer[];
  has_more boolean;
  ended integer := 0;
  blocked boolean := false;
  next_at timestamptz := 'infinity';
  chosen record;
  meets_lanes boolean;
  is_limited boolean;
  locked text[] := '{}';
  most_of_tenant integer;
  held_since timestamptz;
  places integer;
  paused boolean;
  put_off integer := 0;
  missed integer := 0;
  left_lanes record;
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
        set due_at = at + lease * interval '1 ms'
        where o.definition = definitions[which] and o.due_at is not null and o.token is not null and o.token = p_token
          and o.due_at > at and o.due_at <= at + lease * interval '1 ms' returning o.*
      loop
        return next;
      end loop;
    end loop;
    return;
  end if;
  if cardinality(limits) > 0 then
    -- Those of which nothing is due need no lock, and nothing of them begins.
    locked := array(
      select n.name from unnest(definitions, limits, tenant_limits, since) as n(name, most, most_of_tenant, since)
      where (n.most > 0 or n.most_of_tenant > 0) and {{schema}}.is_due_v1(n.name, n.since, turns->n.name->'left', at));
    if cardinality(locked) > 0 then
      perform {{schema}}.lock_places_v1(locked);
      -- Leases begin after the lock, so that no claim that had it earlier has looked at a later time. A test may have another clock.
      at := case when at = statement_timestamp() then clock_timestamp() else at end;
    end if;
  end if;
  left_lanes := {{schema}}.pass_turns_v1(definitions, lanes, at, turns);
  missed := left_lanes.missed;
  turns := coalesce(left_lanes.next_turns, turns);
  -- Each definition gets a share, and unused shares go to the others, so that a long backlog delays no other
  -- definition.
  loop
    quota := greatest(1, free / greatest(1, cardinality(looked_at)));
    more := '{}';
    foreach which in array looked_at loop
      name := definitions[which];
      is_limited := coalesce(limits[which] > 0 or tenant_limits[which] > 0, false);
      continue when slots[which] <= 0 or (is_limited and name <> all (locked));
      paused := exists (select from {{schema}}.paused p where p.definition = name);
      lease := leases[which];
      earliest := to_timestamp(since[which] / 1000);
      if earliest > at then
        earliest := '-infinity';
      end if;
      -- With `p_id`, the searches find nothing.
      wanted := case when p_id is null then least(quota, free, slots[which]) else 0 end;
      -- Those that have lost their lease hold a place already. A pause holds back neither cancellations nor creations.
      select array_agg(n.id order by n.due_at), count(*), coalesce(bool_or(n.laned), false) into suspects, taken, meets_lanes from (
        select c.*, count(*) filter (where not c.cancel_requested) over (order by c.due_at, c.id) as lost from (
          select o.id, o.due_at, o.cancel_requested, o.lane is not null as laned from {{schema}}.operations o
          where o.definition = name and o.due_at is not null and o.token is not null
            and o.due_at >= earliest and o.due_at <= at
            and (o.cancel_requested or (admitted[which] > 0 and (not paused or o.state = 'preparing')))
            -- If this call arrives after its repetition, other calls begin the operations that the repetition began.
            and o.token <> p_token and (creates[which] or o.state <> 'preparing')
          order by o.due_at limit wanted for update skip locked) c) n
      where n.cancel_requested or n.lost <= admitted[which];
      most_of_tenant := nullif(tenant_limits[which], 0);
      places := 2147483647;
      if is_limited then
        held_since := {{schema}}.held_since_v1(name, lease, turns->name->'held', at);
        perform {{schema}}.release_expired_v1(name, nullif(limits[which], 0), most_of_tenant, at, held_since,
          coalesce(suspects, '{}'));
        if limits[which] > 0 then
          places := limits[which] - {{schema}}.taken_v1(name, null, limits[which], held_since);
        end if;
        if p_id is not null and most_of_tenant > 0 then
          places := least(places, most_of_tenant - {{schema}}.taken_v1(name,
            (select o.tenant from {{schema}}.operations o where o.id = p_id), most_of_tenant, held_since));
        end if;
      end if;
      wanted := case when paused then 0 else greatest(0, least(wanted - taken, places)) end;
      plain := null;
      has_more := true;
      -- Only if more is due than there are slots, it matters whose turn it is. The other searches begin at the first entry,
      -- so that they pass no dead ones.
      select count(*), coalesce(min(w.due_at), earliest) into waiting, earliest from (
        select o.due_at from {{schema}}.operations o
        where o.definition = name and o.due_at is not null and o.token is null and not o.behind and o.urgency >= 0
          and o.due_at >= earliest and o.due_at <= at order by o.due_at limit wanted + 1) w;
      if wanted > 0 and (waiting > wanted or (waiting > 0 and most_of_tenant > 0)) then
        chosen := {{schema}}.select_by_turns_v1(name, wanted, at, earliest, admitted[which] > 0, creates[which], turns->name,
          p_token, most_of_tenant, held_since);
        -- Null only if it has selected nothing, and may find something in the order of time.
        plain := case when chosen.lost is null and most_of_tenant is null then chosen.ids else coalesce(chosen.ids, '{}') end;
        suspects := suspects || chosen.lost;
        taken := taken + coalesce(cardinality(chosen.ids), 0) + coalesce(cardinality(chosen.lost), 0);
        meets_lanes := meets_lanes or chosen.laned;
        has_more := chosen.more;
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
      end if;
      if waiting > 0 and plain is null then
        -- The tenants that had the turn may have had no due work.
        select array_agg(c.id order by c.due_at) filter (where not c.previous_lost),
            suspects || array_agg(c.id order by c.due_at) filter (where c.previous_lost), taken + count(*),
            meets_lanes or coalesce(bool_or(c.laned), false)
          into plain, suspects, taken, meets_lanes from (
            select o.id, o.due_at, o.previous_lost, o.lane is not null as laned from {{schema}}.operations o
            where o.definition = name and o.due_at is not null and o.token is null and not o.behind and o.urgency >= 0
              and o.due_at >= earliest and o.due_at <= at
              and (admitted[which] > 0 or not o.previous_lost) and (creates[which] or o.state <> 'preparing')
              and (o.start_by is null or o.previous_lost or o.start_by > at)
            order by o.due_at limit wanted for update skip locked) c;
      end if;
      if p_id is not null then
        select array_agg(c.id) filter (where not c.lost), array_agg(c.id) filter (where c.lost), true
          into plain, suspects, meets_lanes from (
            select o.id, o.token is not null or o.previous_lost as lost from {{schema}}.operations o
            where o.id = p_id and o.definition = name and o.due_at <= at and not o.behind
              and coalesce(o.token <> p_token, true) and (creates[which] or o.state <> 'preparing')
              and (o.state = 'preparing' or o.cancel_requested or (not paused and (o.token is not null or places > 0)))
              and (o.start_by is null or o.token is not null or o.previous_lost or o.start_by > at)
            for update skip locked) c;
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
      if taken > 0 and (taken = quota or meets_lanes or (waiting > wanted and has_more)) then
        more := more || which;
      end if;
      outcome := 'begun';
      for operation in
        update {{schema}}.operations o set attempt = o.attempt + 1, token = p_token,
          due_at = at + lease * interval '1 ms', limited = is_limited
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
            expires_at = at + coalesce(o.failed_retention_ms, o.retention_ms) * interval '1 ms', due_at = null
          where o.id = suspect;
          ended := ended + 1;
          outcome := 'ended';
          return next;
          continue;
        else
          continue when admitted[which] <= 0;
          admitted[which] := admitted[which] - 1;
          update {{schema}}.operations o set previous_lost = true, attempt = o.attempt + 1, token = p_token,
            due_at = at + lease * interval '1 ms', limited = is_limited
          where o.id = suspect returning o.* into operation;
          outcome := 'begun';
        end if;
        free := free - 1;
        slots[which] := slots[which] - 1;
        return next;
      end loop;
      exit when free <= 0;
    end loop;
    looked_at := more;
    exit when free <= 0 or cardinality(looked_at) = 0;
    -- Each is put off or ended only once. The bound keeps the call short.
    exit when put_off + ended > 256;
  end loop;
  if ended = 0 then
    perform set_config('synchronous_commit', 'off', true);
  end if;
  operation := null;
  for which in 1..cardinality(definitions) loop
    name := definitions[which];
    continue when name <> all (locked) and not lanes[which];
    outcome := 'turns';
    operation.definition := name;
    held_since := {{schema}}.held_since_v1(name, leases[which], turns->name->'held', at);
    operation.meta := coalesce(turns->name, '{}') || jsonb_build_object('held', jsonb_build_array(
      (select floor(extract(epoch from o.due_at) * 1000) from {{schema}}.operations o
        where o.definition = name and o.due_at is not null and o.token is not null and o.due_at >= held_since
        order by o.due_at limit 1),
      floor(extract(epoch from at) * 1000)));
    return next;
  end loop;
  operation := null;
  if free > 0 and (put_off + ended > 256 or missed > 0) then
    outcome := 'again';
    return next;
  end if;
  for which in 1..cardinality(definitions) loop
    continue when free <= 0 or slots[which] <= 0;
    if p_id is not null then
      select o.due_at <= at and (o.start_by is null or o.token is not null or o.previous_lost or o.start_by > at),
          case when o.token is null and o.due_at > at then o.due_at end into blocked, next_at
        from {{schema}}.operations o where o.id = p_id and o.due_at is not null;
      continue;
    end if;
    name := definitions[which];
    earliest := to_timestamp(since[which] / 1000);
    if earliest > at then
      earliest := '-infinity';
    end if;
    blocked := blocked or exists (select from {{schema}}.operations o
        where o.definition = name and o.due_at is not null and o.token is null and not o.behind and o.urgency >= 0
          and o.due_at >= earliest and o.due_at <= at and (creates[which] or o.state <> 'preparing')
          and (o.start_by is null or o.previous_lost or o.start_by > at)
        order by o.due_at limit 1)
      or exists (select from {{schema}}.operations o
        where o.definition = name and o.due_at is not null and o.token is not null
          and o.due_at >= earliest and o.due_at <= at and (creates[which] or o.state <> 'preparing')
        order by o.due_at limit 1)
      -- The earliest ones may have left many dead entries.
      or (lanes[which] and (select true from {{schema}}.operations o
        where o.definition = name and o.due_at is not null and o.behind order by o.due_at desc limit 1) is not null);
    continue when exists (select from {{schema}}.paused p where p.definition = name);
    held_since := case when name = any (locked) or lanes[which]
      then {{schema}}.held_since_v1(name, leases[which], turns->name->'held', at) else '-infinity' end;
    next_at := least(next_at,
      (select o.due_at from {{schema}}.operations o
        where o.definition = name and o.due_at is not null and o.token is null and not o.behind and o.urgency >= 0
          and o.due_at > at and (creates[which] or o.state <> 'preparing')
        order by o.due_at limit 1),
      (select o.due_at from {{schema}}.operations o
        where o.definition = name and o.due_at is not null and o.token is not null
          and o.due_at > at and o.due_at >= held_since and (creates[which] or o.state <> 'preparing')
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
          expires_at = at + coalesce(o.failed_retention_ms, o.retention_ms) * interval '1 ms', due_at = null
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
    expires_at = at + coalesce(o.failed_retention_ms, o.retention_ms) * interval '1 ms', due_at = null
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
    insert into {{schema}}.operations (id, tenant, definition, principal, state, hidden, urgency, due_at,
      created_at, retention_ms, failed_retention_ms, start_within_ms, start_by, retry_of, input, meta, lane, on_end)
    values (p_successor, known.tenant, known.definition, known.principal, 'pending', known.hidden, known.urgency, at,
      date_trunc('milliseconds', at), known.retention_ms, known.failed_retention_ms, known.start_within_ms,
      at + known.start_within_ms * interval '1 ms', known.id, known.input, known.meta, known.lane,
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
    select o.id, o.definition, o.tenant, o.principal, o.created_at from {{schema}}.operations o
    where o.due_at is not null and o.token is null and not o.previous_lost and o.start_by is not null and o.start_by <= at
    order by o.start_by limit most for update skip locked
  loop
    update {{schema}}.operations o set state = 'failed', error = expired, settled_at = at,
      expires_at = at + coalesce(o.failed_retention_ms, o.retention_ms) * interval '1 ms', due_at = null
    where o.id = item.id;
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
  for item in
    select o.id, o.retry_of, o.retried_by from {{schema}}.operations o
    where o.expires_at <= at and not (o.lane_left is not null and {{schema}}.is_awaited_v1(o)) order by o.expires_at limit most for update skip locked
  loop
    if item.retried_by is not null then
      continue when {{schema}}.postpone_redriven_v1(item.id, item.retried_by, at);
    end if;
    if item.retry_of is not null then
      continue when not {{schema}}.free_predecessor_v1(item.id, item.retry_of, at);
    end if;
    delete from {{schema}}.operations o where o.id = item.id;
    purged := purged + 1;
  end loop;
  return purged;
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
      if outcome = 'created' then
        made := true;
        -- Setting `created_at` is what the trigger `operations_in_transaction` waits for.
        update {{schema}}.operations o set created_at = o.created_at, late = o.lane is not null
        where o.id = ids[place];
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
