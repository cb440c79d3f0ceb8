-- What operators did. `facts` is a JSON object.
create table {{schema}}.actions (
  id text collate "C" not null primary key,
  at_ms bigint not null,
  action text not null,
  definition text,
  operation_id text,
  acted_by text,
  acted_via text,
  facts text not null
);

create index actions_by_time on {{schema}}.actions (at_ms);

create index actions_of_definition on {{schema}}.actions (definition, at_ms) where definition is not null;

create index actions_of_operation on {{schema}}.actions (operation_id, at_ms) where operation_id is not null;

-- Records an action, or replaces the facts of a known one.
create function {{schema}}.record_action_v3(
  p_id text, p_action text, p_definition text, p_operation_id text, p_by text, p_via text, p_facts text
) returns boolean language plpgsql
set search_path = pg_catalog, pg_temp set lock_timeout = '5s'
as $function$
begin
  insert into {{schema}}.actions (id, at_ms, action, definition, operation_id, acted_by, acted_via, facts)
  values (p_id, floor(extract(epoch from {{schema}}.now_v1()) * 1000), p_action, p_definition, p_operation_id, p_by, p_via, p_facts)
  on conflict (id) do update set facts = excluded.facts;
  return true;
end
$function$;

-- Returns actions, newest first.
create function {{schema}}.list_actions_v3(
  p_definition text, p_operation_id text, p_from float8, p_to float8, most integer
) returns setof {{schema}}.actions language plpgsql
{{by_index}} set lock_timeout = '5s'
as $function$
declare
  range_start bigint := coalesce(p_from, 0);
  range_end bigint := coalesce(p_to, 9007199254740991);
begin
  if p_operation_id is not null then
    return query select a.* from {{schema}}.actions a
    where a.operation_id = p_operation_id and (p_definition is null or a.definition = p_definition)
      and a.at_ms >= range_start and a.at_ms < range_end
    order by a.at_ms desc, a.id desc limit most;
  elsif p_definition is not null then
    return query select a.* from {{schema}}.actions a
    where a.definition = p_definition and a.at_ms >= range_start and a.at_ms < range_end
    order by a.at_ms desc, a.id desc limit most;
  else
    return query select a.* from {{schema}}.actions a
    where a.at_ms >= range_start and a.at_ms < range_end
    order by a.at_ms desc, a.id desc limit most;
  end if;
end
$function$;

-- Deletes actions that are older than 90 days, the oldest first. Returns how many.
create function {{schema}}.purge_actions_v3(most integer) returns integer language plpgsql
{{by_index}} set lock_timeout = '5s'
as $function$
declare
  kept_from bigint := floor(extract(epoch from {{schema}}.now_v1()) * 1000) - 7776000000;
  purged integer;
begin
  with old as (
    select a.id from {{schema}}.actions a where a.at_ms < kept_from order by a.at_ms limit most for update skip locked
  )
  delete from {{schema}}.actions a using old where a.id = old.id;
  get diagnostics purged = row_count;
  return purged;
end
$function$;
