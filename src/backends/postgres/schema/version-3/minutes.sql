-- What processes count by minute. The previous release works with it, because it does not know of it.

-- What one process counted of one definition in a minute, or the sum of all processes (`process` is empty) in a minute or an
-- hour. `waiting`, `running` and `total` are the counts of a histogram by bucket.
create table {{schema}}.minutes (
  definition text not null,
  start_ms bigint not null,
  span_ms integer not null,
  process text not null,
  written_at timestamptz not null,
  served boolean not null,
  {{count_columns}},
  {{time_columns}},
  primary key (definition, start_ms, span_ms, process)
-- A process writes its row every 10 s, which changes no index.
) with (fillfactor = 50);

create index minutes_unfolded on {{schema}}.minutes (start_ms) where process <> '';

create index minutes_folded on {{schema}}.minutes (span_ms, start_ms) where process = '';

-- Returns the histogram that has counted everything that these have.
create function {{schema}}.sum_histograms_v3(histograms jsonb[]) returns jsonb language sql immutable parallel safe
set search_path = pg_catalog, pg_temp
as $function$
  select coalesce(jsonb_object_agg(s.bucket, s.count), '{}') from (
    select e.key as bucket, sum(e.value::bigint) as count from unnest(histograms) h, jsonb_each_text(h) e group by e.key) s
$function$;

-- Replaces the rows of a JSON array, and returns how many.
create function {{schema}}.write_minutes_v3(p_rows text) returns integer language plpgsql
{{by_index}} set lock_timeout = '5s'
as $function$
declare
  written integer;
begin
  perform set_config('synchronous_commit', 'off', true);
  insert into {{schema}}.minutes (definition, start_ms, span_ms, process, written_at, served, {{names}})
  select r.definition, r.minute, 60000, r.process, {{schema}}.now_v1(), r.served, {{row_values}}
  from jsonb_to_recordset(p_rows::jsonb) as r (definition text, minute bigint, process text, served boolean, {{types}})
  on conflict (definition, start_ms, span_ms, process) do update
  set written_at = excluded.written_at, served = excluded.served, {{replaced}};
  get diagnostics written = row_count;
  return written;
end
$function$;

-- Adds rows of processes that were not written for 2 minutes to the sums of their minutes, sums of minutes older than 7 days to those
-- of their hours, and deletes both, and sums of hours older than 90 days. Returns how many rows it deleted.
create function {{schema}}.fold_minutes_v3(most integer) returns integer language plpgsql
{{by_index}} set lock_timeout = '5s'
as $function$
declare
  at timestamptz := {{schema}}.now_v1();
  now_ms bigint := floor(extract(epoch from at) * 1000);
  deleted integer := 0;
  counted integer;
begin
  perform set_config('synchronous_commit', 'off', true);
  -- Two calls would wait for each other's sums.
  if not pg_try_advisory_xact_lock(hashtextextended(jsonb_build_array('{{schema}}', 'minutes')::text, 0)) then
    return 0;
  end if;
  with stale as (
    select m.definition, m.start_ms, m.span_ms, m.process from {{schema}}.minutes m
    where m.process <> '' and m.written_at <= at - interval '2 minutes' limit most for update skip locked
  ), taken as (
    {{take_stale}}
  ), added as (
    insert into {{schema}}.minutes as known (definition, start_ms, span_ms, process, written_at, served, {{names}})
    select t.definition, t.start_ms, 60000, '', at, bool_or(t.served), {{summed}}
    from taken t group by t.definition, t.start_ms
    {{add_up}}
  )
  select count(*) into counted from taken;
  deleted := counted;
  with stale as (
    select m.definition, m.start_ms, m.span_ms, m.process from {{schema}}.minutes m
    where m.process = '' and m.span_ms = 60000 and m.start_ms < now_ms - 604800000
    order by m.start_ms limit most - deleted for update skip locked
  ), taken as (
    {{take_stale}}
  ), added as (
    insert into {{schema}}.minutes as known (definition, start_ms, span_ms, process, written_at, served, {{names}})
    select t.definition, t.start_ms / 3600000 * 3600000, 3600000, '', at, bool_or(t.served), {{summed}}
    from taken t group by t.definition, t.start_ms / 3600000
    {{add_up}}
  )
  select count(*) into counted from taken;
  deleted := deleted + counted;
  with stale as (
    select m.definition, m.start_ms, m.span_ms, m.process from {{schema}}.minutes m
    where m.process = '' and m.span_ms = 3600000 and m.start_ms < now_ms - 7776000000
    order by m.start_ms limit most - deleted for update skip locked
  ), taken as (
    {{take_stale}}
  )
  select count(*) into counted from taken;
  return deleted + counted;
end
$function$;

-- Returns the sums of each definition and step, of all processes.
create function {{schema}}.read_minutes_v3(p_definitions text[], p_from float8, p_to float8, p_step_ms float8)
returns table (definition text, start_ms bigint, served boolean, {{result_types}}) language plpgsql
{{by_index}} set lock_timeout = '5s'
as $function$
#variable_conflict use_column
declare
  range_start bigint := p_from;
  range_end bigint := p_to;
  step_ms bigint := p_step_ms;
begin
  return query select t.definition, range_start + (t.start_ms - range_start) / step_ms * step_ms, bool_or(t.served), {{read_sums}}
  from {{schema}}.minutes t
  where t.definition = any(p_definitions) and t.start_ms >= range_start and t.start_ms < range_end
  group by t.definition, (t.start_ms - range_start) / step_ms;
end
$function$;
