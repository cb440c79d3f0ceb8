-- Version 2 of the schema: output and checkpoints. The previous release works with it, because what the begin and the end of an
-- attempt mean for its output is in a trigger.

-- Whether the operation has a row in `output_heads`, so that the trigger costs others nothing.
alter table {{schema}}.operations add column has_output boolean not null default false;

-- The output of an operation, without its chunks. `token` and `attempt` are those of the current attempt, so appending locks no
-- operation. `epoch` counts the attempts that have begun since the first chunk. `segments` has the epoch and the first chunk of
-- each part that stands. What stood at the last checkpoint stays when another attempt begins, and the rest is discarded.
create table {{schema}}.output_heads (
  operation_id uuid primary key,
  token text,
  attempt integer not null,
  epoch integer not null default 1,
  count integer not null default 0,
  bytes bigint not null default 0,
  segments jsonb not null default '[]',
  checkpoint text,
  checkpoint_attempt integer,
  checkpoint_count integer not null default 0,
  checkpoint_bytes bigint not null default 0,
  closed boolean not null default false
-- Every append changes the row, but no index.
) with (fillfactor = 50);

-- Chunks that were appended together: JSON, one to a line.
create table {{schema}}.output_chunks (
  operation_id uuid not null,
  epoch integer not null,
  first integer not null,
  count integer not null,
  chunks text not null,
  primary key (operation_id, epoch, first)
);

-- Chunks to delete: those of an epoch from `first` on, or of all epochs if `epoch` is null.
create table {{schema}}.output_discards (
  seq bigint generated always as identity primary key,
  operation_id uuid not null,
  epoch integer,
  first integer not null
);

create function {{schema}}.output_begins_v2() returns trigger language plpgsql
{{by_index}}
as $function$
begin
  if new.token is null or new.token is not distinct from old.token then
    update {{schema}}.output_heads h set token = new.token, closed = new.settled_at is not null
    where h.operation_id = new.id;
    return null;
  end if;
  insert into {{schema}}.output_discards (operation_id, epoch, first)
  select h.operation_id, h.epoch, h.checkpoint_count from {{schema}}.output_heads h
  where h.operation_id = new.id and h.count > h.checkpoint_count;
  update {{schema}}.output_heads h set token = new.token, attempt = new.attempt, epoch = h.epoch + 1,
    count = h.checkpoint_count, bytes = h.checkpoint_bytes,
    segments = case when (h.segments->-1->>1)::integer >= h.checkpoint_count then h.segments - -1 else h.segments end
  where h.operation_id = new.id;
  return null;
end
$function$;

create trigger operations_output_begins after update of token, settled_at on {{schema}}.operations for each row
when (new.has_output and (new.token is distinct from old.token or new.settled_at is not null))
execute function {{schema}}.output_begins_v2();

create function {{schema}}.output_leaves_v2() returns trigger language plpgsql
{{by_index}}
as $function$
begin
  insert into {{schema}}.output_discards (operation_id, first) values (old.id, 0);
  delete from {{schema}}.output_heads h where h.operation_id = old.id;
  return null;
end
$function$;

create trigger operations_output_leaves after delete on {{schema}}.operations for each row when (old.has_output)
execute function {{schema}}.output_leaves_v2();

-- Returns what stands for an attempt, or no row if it is lost.
create function {{schema}}.output_begun_v2(p_id uuid, p_token text)
returns table (epoch integer, count integer, bytes bigint, segments text, checkpoint text, checkpoint_attempt integer,
  checkpoint_count integer, checkpoint_bytes bigint) language plpgsql
{{by_index}} set lock_timeout = '5s'
as $function$
#variable_conflict use_column
begin
  return query select coalesce(h.epoch, 1), coalesce(h.count, 0), coalesce(h.bytes, 0), coalesce(h.segments, '[]')::text,
    h.checkpoint, h.checkpoint_attempt, coalesce(h.checkpoint_count, 0), coalesce(h.checkpoint_bytes, 0)
  from {{schema}}.operations o left join {{schema}}.output_heads h on h.operation_id = o.id
  where o.id = p_id and o.token = p_token and o.settled_at is null;
end
$function$;

-- Makes the row of an output, for the first append of an operation. Locks the operation, so it comes before all locks of outputs.
create function {{schema}}.open_outputs_v2(ids uuid[], tokens text[]) returns void language plpgsql
{{by_index}}
as $function$
declare
  item record;
begin
  for item in
    select n.id, n.token from unnest(ids, tokens) as n(id, token)
    where not exists (select from {{schema}}.output_heads h where h.operation_id = n.id) order by n.id
  loop
    insert into {{schema}}.output_heads (operation_id, token, attempt)
    select o.id, o.token, o.attempt from {{schema}}.operations o
    where o.id = item.id and o.token = item.token and o.settled_at is null for no key update
    on conflict do nothing;
    if found then
      update {{schema}}.operations o set has_output = true where o.id = item.id;
    end if;
  end loop;
end
$function$;

-- Appends chunks, and sets checkpoints. Returns a row for each item that is lost. An operation is not in it twice. `texts`
-- contains the chunks, and is empty if `counts` is 0. An empty checkpoint stands for none.
create function {{schema}}.append_output_v2(ids uuid[], tokens text[], firsts integer[], counts integer[], sizes integer[],
  texts text[], checkpoints text[])
returns table (place integer, outcome text) language plpgsql
{{by_index}} set lock_timeout = '5s'
as $function$
#variable_conflict use_column
declare
  stored bigint[];
begin
  perform {{schema}}.open_outputs_v2(ids, tokens);
  perform from {{schema}}.output_heads h where h.operation_id = any (ids) order by h.operation_id for update;
  with item as (
    select n.* from unnest(ids, tokens, firsts, counts, sizes, texts, checkpoints) with ordinality
      as n(id, token, first, count, size, chunks, checkpoint, place)
  ), grown as (
    update {{schema}}.output_heads h set count = h.count + i.count, bytes = h.bytes + i.size,
      segments = case when i.count = 0 or (h.segments->-1->>0)::integer = h.epoch then h.segments
        else h.segments || jsonb_build_array(jsonb_build_array(h.epoch, h.count)) end,
      checkpoint = coalesce(nullif(i.checkpoint, ''), h.checkpoint),
      checkpoint_attempt = case when i.checkpoint = '' then h.checkpoint_attempt else h.attempt end,
      checkpoint_count = case when i.checkpoint = '' then h.checkpoint_count else h.count + i.count end,
      checkpoint_bytes = case when i.checkpoint = '' then h.checkpoint_bytes else h.bytes + i.size end
    from item i
    where h.operation_id = any (ids) and h.operation_id = i.id and h.token = i.token and not h.closed and h.count = i.first
    returning i.place, h.operation_id, h.epoch, i.first, i.count, i.chunks
  ), chunks as (
    insert into {{schema}}.output_chunks (operation_id, epoch, first, count, chunks)
    select g.operation_id, g.epoch, g.first, g.count, g.chunks from grown g where g.count > 0
  )
  select array_agg(g.place) into stored from grown g;
  if cardinality(stored) = cardinality(ids) then
    return;
  end if;
  perform {{schema}}.wait_for_standbys_v1();
  return query select n.place::integer, 'lost' from unnest(ids, tokens, firsts, counts) with ordinality
      as n(id, token, first, count, place)
    where n.place <> all (coalesce(stored, '{}')) and not exists (select from {{schema}}.output_heads h
      where h.operation_id = n.id and h.token = n.token and not h.closed and h.count >= n.first + n.count and n.count > 0);
end
$function$;

-- Appends in the transaction that does the work of an attempt, like `append_output_v2`. `transaction_id` comes from `hold_v1`.
create function {{schema}}.append_in_v2(ids uuid[], tokens text[], firsts integer[], counts integer[], sizes integer[],
  texts text[], checkpoints text[], transaction_id text)
returns table (place integer, outcome text) language plpgsql
set search_path = pg_catalog, pg_temp
as $function$
begin
  if transaction_id is distinct from pg_current_xact_id_if_assigned()::text then
    raise exception 'the transaction has ended' using errcode = 'no_active_sql_transaction';
  end if;
  return query select a.* from {{schema}}.append_output_v2(ids, tokens, firsts, counts, sizes, texts, checkpoints) a;
end
$function$;

-- Reads outputs. Returns a row without chunks for each operation, and then its chunks after `counts`, until they have the length
-- `most`. All statements of a stable function see the same state.
create function {{schema}}.read_output_v2(ids uuid[], counts integer[], most integer[])
returns table (place integer, state text, epoch integer, count integer, bytes bigint, segments text, first integer, chunks text)
language plpgsql stable
{{by_index}} set lock_timeout = '5s'
as $function$
#variable_conflict use_column
declare
  item record;
  segment record;
  stands integer;
  remaining integer;
  run record;
begin
  if pg_is_in_recovery() then
    perform {{schema}}.refuse_standby_v1();
  end if;
  for item in
    select n.*, o.state as operation_state, h.epoch as head_epoch, h.count as head_count, h.bytes as head_bytes,
      coalesce(h.segments, '[]') as head_segments
    from unnest(ids, counts, most) with ordinality as n(id, count, most, place)
    cross join lateral (select o.state from {{schema}}.operations o where o.id = n.id) o
    left join lateral (select h.* from {{schema}}.output_heads h where h.operation_id = n.id) h on true
  loop
    place := item.place;
    state := item.operation_state;
    epoch := coalesce(item.head_epoch, 1);
    count := coalesce(item.head_count, 0);
    bytes := coalesce(item.head_bytes, 0);
    segments := item.head_segments::text;
    first := null;
    chunks := null;
    stands := count;
    return next;
    remaining := item.most;
    segments := null;
    for segment in
      select (s.part->>0)::integer as epoch, (s.part->>1)::integer as first,
        coalesce(lead((s.part->>1)::integer) over (order by s.place), stands) as until
      from jsonb_array_elements(item.head_segments) with ordinality as s(part, place) order by s.place
    loop
      exit when remaining <= 0;
      continue when segment.until <= item.count;
      for run in
        select c.first, c.chunks from {{schema}}.output_chunks c
        where c.operation_id = item.id and c.epoch = segment.epoch and c.first < segment.until
          and c.first >= coalesce((select b.first from {{schema}}.output_chunks b
            where b.operation_id = item.id and b.epoch = segment.epoch and b.first <= item.count
            order by b.first desc limit 1), 0)
        order by c.first
      loop
        exit when remaining <= 0;
        epoch := segment.epoch;
        first := run.first;
        chunks := run.chunks;
        return next;
        remaining := remaining - length(run.chunks);
      end loop;
    end loop;
  end loop;
end
$function$;

-- Deletes chunks that do not stand any more, and returns how many rows. Chunks that another call deletes are left to it.
create function {{schema}}.clean_output_v2(most integer) returns integer language plpgsql
{{by_index}} set lock_timeout = '5s'
as $function$
declare
  item record;
  deleted integer := 0;
  removed integer;
begin
  perform set_config('synchronous_commit', 'off', true);
  for item in select d.* from {{schema}}.output_discards d order by d.seq limit most for update skip locked loop
    delete from {{schema}}.output_chunks c
    where c.operation_id = item.operation_id and c.epoch = coalesce(item.epoch, c.epoch) and c.first >= item.first
      and (c.epoch, c.first) in (select b.epoch, b.first from {{schema}}.output_chunks b
        where b.operation_id = item.operation_id and b.epoch = coalesce(item.epoch, b.epoch) and b.first >= item.first
        order by b.epoch, b.first limit most - deleted);
    get diagnostics removed = row_count;
    deleted := deleted + removed;
    exit when deleted >= most;
    delete from {{schema}}.output_discards d where d.seq = item.seq;
  end loop;
  return deleted;
end
$function$;
