-- Steps within the user's transactions.

-- Returns a mark of this database: its name, and when the schema was created in it.
create function {{schema}}.database_v1() returns text language plpgsql stable
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
create function {{schema}}.record_in_v1({{batch_parameters}}, channel text, mark text)
returns table (place integer, outcome text, operation json) language plpgsql
{{by_index}} set lock_timeout = '5s'
as $function$
#variable_conflict use_column
declare
  at timestamptz := {{schema}}.now_v1();
  made boolean := false;
begin
  if mark <> {{schema}}.database_v1() then
    return query select n, 'elsewhere:' || {{schema}}.database_v1(), null::json from generate_series(1, cardinality(ids)) n;
    return;
  end if;
  begin
    for place, outcome, operation in
      select r.place, r.outcome, r.operation from {{schema}}.record_each_v1({{batch}}) r
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
{{by_index}} set lock_timeout = '5s'
as $function$
begin
  update {{schema}}.operations o set resource = p_resource where o.id = p_id;
  return found;
end
$function$;

-- Locks the operation of an attempt until the transaction that does the work ends. Returns the id of that transaction,
-- or null if the lease is lost.
create function {{schema}}.hold_v1(p_id uuid, p_token text, p_idle float8) returns text language plpgsql
{{by_index}} set lock_timeout = '5s'
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
