-- Recording and creating. The parameter `extra` is empty, or JSON with the members that few operations have: delayMs, and
-- those of the rare columns of `index.ts`. An empty principal, key, token, meta or extra stands for an absent one. The duration -1
-- does too. Arrays contain no null, because Postgres reads it as the text "NULL" if `array_nulls` is off.

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
  insert into {{schema}}.operations ({{new_columns}})
  values (p_id, p_tenant, p_definition, nullif(p_principal, ''), nullif(p_key, ''), p_bound, p_fingerprint,
    case when p_token = '' then 'pending' else 'preparing' end, (p_token <> '')::integer, nullif(p_token, ''),
    at + case when p_token = '' then coalesce(delay, 0) else p_lease end * interval '1 ms',
    case when p_token <> '' then at + coalesce(delay, 0) * interval '1 ms' end,
    date_trunc('milliseconds', at), p_retention, nullif(p_failed_retention, -1),
    case when p_token = '' then at + (coalesce(delay, 0) + (extra->>'startWithinMs')::float8) * interval '1 ms' end,
    p_input, nullif(p_meta, ''), extra->>'lane' is not null and delay > 0 is true, {{rare_values}})
  on conflict do nothing;
  return found;
end
$function$;

create function {{schema}}.operation_json_v1(o {{schema}}.operations) returns json language sql stable
as $function$
  select json_build_object('id', o.id, 'tenant', o.tenant, 'definition', o.definition,
    'principal', o.principal, 'key', o.key, 'fingerprint', o.fingerprint, 'state', o.state,
    'attempt', o.attempt, 'cancel_requested', o.cancel_requested,
    'created_at', floor(extract(epoch from o.created_at) * 1000)::bigint,
    'settled_at', floor(extract(epoch from o.settled_at) * 1000)::bigint,
    'retention_ms', o.retention_ms, 'failed_retention_ms', o.failed_retention_ms,
    'retried_by', o.retried_by, 'input', o.input, 'meta', o.meta, 'resource', o.resource, 'progress', o.progress,
    'result', o.result, 'error', o.error, 'last_error', o.last_error, {{rare_members}})
$function$;

create function {{schema}}.create_v1(p_id uuid, p_tenant text, p_definition text, p_principal text, p_key text, p_input text,
  p_retention float8, p_failed_retention float8, p_meta text, p_extra text, p_token text, p_lease float8, p_error text)
returns boolean language plpgsql
{{by_index}} set lock_timeout = '5s'
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
  insert into {{schema}}.operations (id, tenant, definition, principal, key, state, not_before, created_at,
    settled_at, retention_ms, failed_retention_ms, expires_at, input, meta, error, {{rare_columns}})
  values (p_id, p_tenant, p_definition, nullif(p_principal, ''), nullif(p_key, ''), 'failed', at,
    date_trunc('milliseconds', at), at, p_retention, nullif(p_failed_retention, -1),
    at + coalesce(nullif(p_failed_retention, -1), p_retention) * interval '1 ms', p_input, nullif(p_meta, ''), p_error,
    {{rare_values}})
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
{{by_index}}
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
create function {{schema}}.submissions_v1({{batch_parameters}})
returns table (id uuid, tenant text, definition text, principal text, key text, fingerprint text, input text,
  retention float8, failed_retention float8, meta text, extra text, token text, lease float8, place bigint)
language sql stable
as $function$
  select n.id, coalesce(n.tenant, tenants[1]), coalesce(n.definition, definitions[1]), coalesce(n.principal, ''), n.key,
    n.fingerprint, n.input, coalesce(n.retention, retentions[1]), coalesce(n.failed_retention, failed_retentions[1]),
    coalesce(n.meta, ''), coalesce(n.extra, ''), coalesce(n.token, ''), coalesce(n.lease, 0), n.place
  from unnest({{batch}})
    with ordinality as n(id, tenant, definition, principal, key, fingerprint, input, retention, failed_retention, meta,
      extra, token, lease, place)
$function$;

-- Returns the rows of the submissions of a batch in the order of their keys, so that two concurrent batches cannot deadlock.
create function {{schema}}.new_rows_v1(at timestamptz, {{batch_parameters}})
returns table (id uuid, tenant text, definition text, principal text, key text, bound boolean, fingerprint text,
  state text, attempt integer, token text, due_at timestamptz, not_before timestamptz, created_at timestamptz,
  retention_ms float8, failed_retention_ms float8, start_by timestamptz, input text, meta text, late boolean,
  {{rare_types}})
language sql stable
as $function$
  select n.id, n.tenant, n.definition, nullif(n.principal, ''), nullif(n.key, ''), n.key <> '', n.fingerprint,
    case when n.token is null then 'pending' else 'preparing' end, (n.token is not null)::integer, n.token,
    at + case when n.token is null then coalesce((n.extra->>'delayMs')::float8, 0) else n.lease end * interval '1 ms',
    case when n.token is not null then at + coalesce((n.extra->>'delayMs')::float8, 0) * interval '1 ms' end,
    date_trunc('milliseconds', at), n.retention, nullif(n.failed_retention, -1),
    case when n.token is null then at + (coalesce((n.extra->>'delayMs')::float8, 0) + (n.extra->>'startWithinMs')::float8)
      * interval '1 ms' end,
    n.input, nullif(n.meta, ''), n.extra->>'lane' is not null and (n.extra->>'delayMs')::float8 > 0 is true, {{rare_values}}
  from (
    select m.id, coalesce(m.tenant, tenants[1]) as tenant, coalesce(m.definition, definitions[1]) as definition, m.principal,
      m.key, m.fingerprint, m.input, coalesce(m.retention, retentions[1]) as retention,
      coalesce(m.failed_retention, failed_retentions[1]) as failed_retention, m.meta, nullif(m.extra, '')::json as extra,
      nullif(m.token, '') as token, m.lease
    from unnest({{batch}})
      as m(id, tenant, definition, principal, key, fingerprint, input, retention, failed_retention, meta, extra, token,
        lease)) n
  order by n.tenant, n.definition, n.key, n.id
$function$;

-- Records submissions of which probably none has a conflict. Without ON CONFLICT, the insert takes a quarter less time. If one
-- has a conflict after all, the insert is rolled back.
create function {{schema}}.record_new_v1({{batch_parameters}})
returns table (place integer, outcome text, operation json) language plpgsql
set search_path = pg_catalog, pg_temp set plan_cache_mode = force_generic_plan set lock_timeout = '100ms'
as $function$
declare
  at timestamptz := {{schema}}.now_v1();
begin
  begin
    insert into {{schema}}.operations ({{new_columns}})
    select n.* from {{schema}}.new_rows_v1(at, {{batch}}) as n;
    return;
  exception when unique_violation then null;
  end;
  return query select r.* from {{schema}}.record_v1({{batch}}) as r;
end
$function$;

create function {{schema}}.record_v1({{batch_parameters}})
returns table (place integer, outcome text, operation json) language plpgsql
{{by_index}} set lock_timeout = '100ms'
as $function$
#variable_conflict use_column
declare
  at timestamptz := {{schema}}.now_v1();
  made uuid[];
  item record;
  answer record;
begin
  with inserted as (
    insert into {{schema}}.operations ({{new_columns}})
    select n.* from {{schema}}.new_rows_v1(at, {{batch}}) as n
    on conflict do nothing returning id)
  select array_agg(id) into made from inserted;
  if cardinality(made) = cardinality(ids) then
    return;
  end if;
  for item in
    select n.* from {{schema}}.submissions_v1({{batch}}) as n
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
create function {{schema}}.record_each_v1({{batch_parameters}})
returns table (place integer, outcome text, operation json) language plpgsql
{{by_index}} set lock_timeout = '5ms'
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
    select n.* from {{schema}}.submissions_v1({{batch}}) as n
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
