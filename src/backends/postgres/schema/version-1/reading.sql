-- Reading. A hot standby can lag behind what the primary has answered, so it reads nothing.

create function {{schema}}.refuse_standby_v1() returns void language plpgsql
as $function$
begin
  raise exception 'the server is a hot standby' using errcode = 'read_only_sql_transaction';
end
$function$;

create function {{schema}}.find_key_v1(p_tenant text, p_definition text, p_key text)
returns table (operation_id uuid, fingerprint text) language plpgsql
{{by_index}} set lock_timeout = '5s'
as $function$
#variable_conflict use_column
begin
  return query select o.id, o.fingerprint from {{schema}}.operations o
  where o.bound and o.tenant = p_tenant and o.definition = p_definition and o.key = p_key;
end
$function$;

create function {{schema}}.get_v1(p_id uuid, p_tenant text) returns setof {{schema}}.operations language plpgsql
{{by_index}} set lock_timeout = '5s'
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
{{by_index}} set lock_timeout = '5s'
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
{{by_index}} set lock_timeout = '5s'
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
      where o.definition = name and {{waiting}} and o.urgency >= 0
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
      where o.definition = name and {{waiting}} and o.urgency >= 0
        and o.due_at > at and o.state = 'pending'
      order by o.due_at limit 10001) n;
    select count(*), min(n.due_at) into lost, oldest_lost from (
      select o.due_at from {{schema}}.operations o
      where o.definition = name and {{leased}} and o.due_at <= at
        and o.state = 'pending'
      order by o.due_at limit 10001) n;
    select count(*) into running from (
      select from {{schema}}.operations o
      where o.definition = name and {{leased}} and o.due_at > at
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
{{by_index}} set lock_timeout = '5s'
as $function$
#variable_conflict use_column
declare
  running integer;
begin
  for which in 1..cardinality(definitions) loop
    if tenants[which] = '' then
      select count(*) into pending from (
        (select 1 from {{schema}}.operations o
          where o.definition = definitions[which] and {{waiting}}
            and o.urgency >= 0
          order by o.due_at limit most[which])
        union all
        (select 1 from {{schema}}.operations o
          where o.definition = definitions[which] and {{leased}}
          order by o.due_at limit most[which])
        union all
        (select 1 from {{schema}}.operations o
          where o.definition = definitions[which] and o.due_at is not null and o.behind
          order by o.due_at limit most[which])
        limit most[which]) n;
    else
      select count(*) into running from (
        select from {{schema}}.operations o
        where o.definition = definitions[which] and {{leased}}
          and o.tenant = tenants[which]
        order by o.due_at limit most[which]) n;
      select least(most[which], running + count(*)) into pending from (
        select from generate_series(0, 7) as l(level) cross join lateral (
          select from {{schema}}.operations o
          where o.definition = definitions[which] and o.urgency = l.level and o.tenant = tenants[which]
            and {{waiting}} and o.urgency <= 7
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
