-- Claims: turns of tenants, the search for work, and the beginning of attempts.

-- Returns where the entries of unfinished operations begin in the order of `due_at`, in epoch milliseconds, but nothing later
-- than `slack` ago, because operations that are being recorded are not visible yet. As long as a transaction is open anywhere,
-- vacuum keeps the entries of operations that have ended, so a search without this bound passes all of them. Looks for
-- unfinished operations that were due at `since` or later. A `since` in the future is from before the clock was set back, and
-- does not count, here and in `claim_v1`. `oldest` is the oldest transaction that is open, `next` follows the
-- last one that has ended, and `at_ms` is the time.
create function {{schema}}.live_since_v1(definitions text[], since float8[], slack float8)
returns table (definition text, since_ms float8, oldest text, next text, at_ms float8) language plpgsql
{{by_index}} set lock_timeout = '5s'
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
    {{earliest}}
    waiting := (select o.due_at from {{schema}}.operations o
      where o.definition = name and {{waiting}} and o.urgency >= 0
        and o.due_at >= earliest
      order by o.due_at limit 1);
    leased := (select o.due_at from {{schema}}.operations o
      where o.definition = name and {{leased}} and o.due_at >= earliest
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
-- in the order of their names, and then the others up to `up_to`, which is itself by default. Passes no more than `misses` tenants
-- whose earliest work is due later, or who have no free place, and says how many it may still pass, and whether it has looked at all
-- tenants. `frees` are the free places of each.
-- `known` are the tenants that had the last turns. Their entries are found at `earliest`, so that a search does not pass the
-- dead entries of a tenant with much work. `reached` is the last tenant that it looked at.
create function {{schema}}.next_tenants_v1(name text, level integer, known text[], up_to text, most integer,
  misses integer, at timestamptz, earliest timestamptz, most_of_tenant integer, held_since timestamptz, out tenants text[],
  out frees integer[], out reached text, out misses_left integer, out complete boolean)
returns record language plpgsql
as $function$
declare
  first text collate "C" := known[cardinality(known)];
  here text collate "C" := first;
  last text collate "C" := coalesce(up_to, first);
  -- A walk that an earlier claim has begun may have passed the end of the names.
  bound text collate "C" := case when first < last then last end;
  walked record;
begin
  misses_left := misses;
  complete := true;
  -- A tenant without others is common, and the walk would cost more than all else.
  if cardinality(known) = 1 and not exists (
    (select from {{schema}}.operations o
      where o.definition = name and o.urgency = level and o.tenant > first
        and {{waiting}} and o.urgency <= 7
      order by o.tenant, o.due_at limit 1)
    union all
    (select from {{schema}}.operations o
      where o.definition = name and o.urgency = level and o.tenant < first
        and {{waiting}} and o.urgency <= 7
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
            and {{waiting}} and o.urgency <= 7
          order by o.tenant, o.due_at limit 1)
        union all
        select b.known, coalesce((select o.due_at <= at from {{schema}}.operations o
          where o.definition = name and o.urgency = level and o.tenant = b.known and o.due_at >= earliest
            and {{waiting}} and o.urgency <= 7
          order by o.due_at limit 1), false) where b.known is not null
        union all
        (select o.tenant, o.due_at <= at from {{schema}}.operations o
          where b.known is null and o.definition = name and o.urgency = level and o.tenant > w.tenant
            and {{waiting}} and o.urgency <= 7
          order by o.tenant, o.due_at limit 1)
        limit 1) n
      -- Counts like `taken_v1`, but a call for each tenant would take twice as long.
      cross join lateral (
        select case when not n.is_due then 0 when most_of_tenant is null then 2147483647 else most_of_tenant - (
          select count(*) from (select from {{schema}}.operations o
            where o.definition = name and o.tenant = n.tenant and {{leased}} and o.limited
              and o.due_at >= held_since and o.state = 'pending'
            order by o.due_at limit most_of_tenant) t) end as free) f
      where w.found < most and w.looked - w.found < misses_left and (bound is null or w.tenant < bound))
    select array_agg(w.tenant order by w.looked) filter (where w.free > 0) as due,
        array_agg(w.free::integer order by w.looked) filter (where w.free > 0) as frees, max(w.looked) as looked,
        max(w.tenant) filter (where w.looked > 0) as last
      into walked from walk w where bound is null or w.tenant <= bound;
    tenants := tenants || walked.due;
    frees := frees || walked.frees;
    reached := coalesce(walked.last, reached);
    most := most - coalesce(cardinality(walked.due), 0);
    misses_left := misses_left - walked.looked + coalesce(cardinality(walked.due), 0);
    exit when most <= 0 or misses_left <= 0 or bound is not null;
    here := '';
    bound := last;
  end loop;
  complete := most <= 0 or misses_left > 0 or coalesce(reached >= bound, false);
end
$function$;

-- Selects due operations of one definition in the order of their urgency and, within one urgency, by turns of their tenants,
-- the oldest of each tenant first. `turns` contains the tenants that had the last turns, by urgency, and `next_turns` the
-- same afterwards. The first turn begins at `start`. `most_of_tenant` is null if tenants have no limit. With one, `again` says
-- that it has not looked at all tenants, and the lock of the definition's places must be held. If it found no work either,
-- `next_turns` has the tenant up to which the next claim goes on, so that claims one after the other look at each tenant once.
-- `more` says that another look may find more work with a place.
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
  passes integer;
  known text[];
  walk text;
  first text;
  up_to text;
  reached text;
  complete boolean;
  ring record;
  found integer;
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
      and o.urgency = l.level and {{waiting}} and o.urgency <= 7
      order by o.tenant, o.due_at limit 1));
  foreach level in array levels loop
    known := array(select jsonb_array_elements_text(turns->level::text));
    if cardinality(known) = 0 then
      known := array[start];
    end if;
    walk := 'walk ' || level;
    first := known[cardinality(known)];
    up_to := coalesce(turns->>walk, first);
    next_turns := next_turns - walk;
    complete := true;
    reached := null;
    passes := misses;
    loop
      ring := {{schema}}.next_tenants_v1(name, level, known, up_to, most, passes, at, earliest, most_of_tenant, held_since);
      exit when ring.reached is null;
      reached := ring.reached;
      passes := ring.misses_left;
      found := coalesce(cardinality(ring.tenants), 0);
      if found = 0 then
        complete := ring.complete;
        exit;
      end if;
      share := most / found;
      extra := most % found;
      select array_agg(c.id) filter (where not c.previous_lost), array_agg(c.id) filter (where c.previous_lost),
          coalesce(bool_or(c.laned), false), count(*) >= most
        into ids, lost, laned, complete
      from unnest(ring.tenants, ring.frees) with ordinality as t(tenant, free, place) cross join lateral (
        select o.id, o.previous_lost, o.lane is not null as laned from {{schema}}.operations o
        where o.definition = name and o.urgency = level and o.tenant = t.tenant
          and {{waiting}} and o.urgency <= 7
          and {{due}}
          and (admitted or not o.previous_lost) and (creates or o.state <> 'preparing')
          and {{in_time}}
        order by o.due_at limit least(share + (t.place <= extra)::integer, t.free) for update skip locked) c;
      complete := complete or case when found < most then ring.complete else reached in (first, up_to) end;
      -- Tenants whose turn it is may have only work that this claim may not begin.
      passes := passes - found;
      exit when ids is not null or lost is not null or complete or passes <= 0;
      known := array[reached];
      first := reached;
    end loop;
    if most_of_tenant is not null then
      again := again or not complete;
      misses := greatest(1, passes);
    end if;
    if reached is null then
      next_turns := next_turns - level::text;
      continue;
    end if;
    -- If there are more tenants than turns, none of them leaves many dead entries.
    next_turns := jsonb_set(next_turns, array[level::text], to_jsonb(case when found between 1 and least(most, 64) - 1
      then array_append(array_remove(ring.tenants, reached), reached) else array[reached] end));
    if most_of_tenant is not null and not complete then
      next_turns := jsonb_set(next_turns, array[walk], to_jsonb(up_to));
    end if;
    if ids is not null or lost is not null then
      more := share < (select max(f.free) from unnest(ring.frees) as f(free)) or level < levels[cardinality(levels)];
      next_turns := next_turns - walk;
      -- A tenant may have more of this urgency than its share. The next look takes that before less urgent work.
      exit;
    end if;
  end loop;
end
$function$;

-- Returns whether operations of a definition may be due.
create function {{schema}}.is_due_v1(name text, since float8, left_lanes jsonb, at timestamptz) returns boolean language plpgsql stable
as $function$
declare
  earliest timestamptz := to_timestamp(since / 1000);
begin
  {{earliest}}
  return exists (select from {{schema}}.operations o
      where o.definition = name and {{waiting}} and o.urgency >= 0
        and {{due}} order by o.due_at limit 1)
    or exists (select from {{schema}}.operations o
      where o.definition = name and {{leased}}
        and {{due}} order by o.due_at limit 1)
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
{{by_index}} set lock_timeout = '5s'
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
        where o.definition = definitions[which] and {{leased}} and o.token = p_token
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
      {{earliest}}
      -- With `p_id`, the searches find nothing.
      wanted := case when p_id is null then least(quota, free, slots[which]) else 0 end;
      -- Those that have lost their lease hold a place already. A pause holds back neither cancellations nor creations.
      select array_agg(n.id order by n.due_at), count(*), coalesce(bool_or(n.laned), false) into suspects, taken, meets_lanes from (
        select c.*, count(*) filter (where not c.cancel_requested) over (order by c.due_at, c.id) as lost from (
          select o.id, o.due_at, o.cancel_requested, o.lane is not null as laned from {{schema}}.operations o
          where o.definition = name and {{leased}}
            and {{due}}
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
        where o.definition = name and {{waiting}} and o.urgency >= 0
          and {{due}} order by o.due_at limit wanted + 1) w;
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
            where o.definition = name and {{waiting}} and o.urgency >= 0
              and {{due}}
              and (admitted[which] > 0 or not o.previous_lost) and (creates[which] or o.state <> 'preparing')
              and {{in_time}}
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
        with_turn := {{schema}}.with_turn_v1(plain, at, '{}');
        plain := with_turn.allowed;
        put_off := put_off + with_turn.put_off;
        missed := missed + with_turn.missed;
        taken := taken - with_turn.missed;
        with_turn := {{schema}}.with_turn_v1(suspects, at, plain);
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
            expires_at = at + {{kept}}, due_at = null
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
        where o.definition = name and {{leased}} and o.due_at >= held_since
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
    {{earliest}}
    blocked := blocked or exists (select from {{schema}}.operations o
        where o.definition = name and {{waiting}} and o.urgency >= 0
          and {{due}} and (creates[which] or o.state <> 'preparing')
          and {{in_time}}
        order by o.due_at limit 1)
      or exists (select from {{schema}}.operations o
        where o.definition = name and {{leased}}
          and {{due}} and (creates[which] or o.state <> 'preparing')
        order by o.due_at limit 1)
      -- The earliest ones may have left many dead entries.
      or (lanes[which] and (select true from {{schema}}.operations o
        where o.definition = name and o.due_at is not null and o.behind order by o.due_at desc limit 1) is not null);
    continue when exists (select from {{schema}}.paused p where p.definition = name);
    held_since := case when name = any (locked) or lanes[which]
      then {{schema}}.held_since_v1(name, leases[which], turns->name->'held', at) else '-infinity' end;
    next_at := least(next_at,
      (select o.due_at from {{schema}}.operations o
        where o.definition = name and {{waiting}} and o.urgency >= 0
          and o.due_at > at and (creates[which] or o.state <> 'preparing')
        order by o.due_at limit 1),
      (select o.due_at from {{schema}}.operations o
        where o.definition = name and {{leased}}
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
