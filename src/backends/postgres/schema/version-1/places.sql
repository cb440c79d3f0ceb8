-- Places: limits and lanes. Only definitions with limits and operations with a lane take these paths. Counting and beginning
-- are under a lock of the definition, and looking at a lane and beginning under a lock of the lane. Both end with the
-- transaction. The lock of a definition comes before all locks of rows. Nothing waits for a row under these locks.

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
      where o.definition = name and {{leased}} and o.due_at >= held_since
        and o.state = 'pending'
      order by o.due_at limit most) n);
  end if;
  return (select count(*) from (select from {{schema}}.operations o
    where o.definition = name and o.tenant = p_tenant and {{leased}} and o.limited
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
    where o.definition = name and {{leased}} and o.due_at >= held_since and o.due_at <= at);
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
-- transaction ends it, or has ended it since the look at the lane, that one marks it.
create function {{schema}}.promote_v1(p_id uuid, front_at timestamptz, at timestamptz) returns void language plpgsql
as $function$
begin
  -- A search begins at the first live entry, so the operation is due from now on.
  update {{schema}}.operations o set behind = false, late = false, lane_at = front_at, due_at = at where o.id = (
    select b.id from {{schema}}.operations b where b.id = p_id for update skip locked) and o.behind and o.due_at is not null;
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

-- Returns whether an operation has its turn in its lane. The caller has locked its row, and is about to begin those that it has
-- chosen. If the operation has not its turn, no claim finds it until then, and the result is false, or null if another
-- transaction holds the lane, which says nothing.
create function {{schema}}.has_turn_v1(o {{schema}}.operations, at timestamptz, chosen uuid[]) returns boolean language plpgsql
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
  is_held := lane.front_id <> o.id and (lane.token is not null or lane.front_id = any (chosen)) is true;
  if is_held and lane.token is not null and lane.due_at <= at then
    -- It may have been renewed since the look at the lane, or have ended.
    perform from {{schema}}.operations h where h.id = lane.front_id and h.due_at <= at for update skip locked;
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
-- other transactions hold. The caller is about to begin those that it has chosen.
create function {{schema}}.with_turn_v1(ids uuid[], at timestamptz, chosen uuid[], out allowed uuid[], out put_off integer,
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
    turn := known.lane is null or known.state <> 'pending' or known.cancel_requested
      or {{schema}}.has_turn_v1(known, at, chosen || allowed);
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
