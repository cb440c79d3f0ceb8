-- Sweeping. Rows that another sweep is taking are skipped.

-- Ends operations that did not start in time. Those in lanes that other transactions hold are left to the next call:
-- waiting for several lanes, in the order of deadlines, could deadlock.
create function {{schema}}.end_overdue_v1(most integer, expired text)
returns table (id uuid, definition text, tenant text, principal text, created_at timestamptz) language plpgsql
{{by_index}} set lock_timeout = '5s'
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
      expires_at = at + {{kept}}, due_at = null
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
{{by_index}}
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
{{by_index}}
as $function$
begin
  perform from {{schema}}.operations o where o.id = p_retry_of and o.retried_by = p_id for update skip locked;
  if found then
    update {{schema}}.operations o
    set expires_at = greatest(at, o.settled_at + {{kept}})
    where o.id = p_retry_of;
    return true;
  end if;
  return not exists (select from {{schema}}.operations o where o.id = p_retry_of and o.retried_by = p_id);
end
$function$;

create function {{schema}}.purge_v1(most integer) returns integer language plpgsql
{{by_index}} set lock_timeout = '5s'
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
