-- Version 2 of the schema: output and checkpoints. The previous release works with it, because what the begin and the end of an
-- attempt mean for its output is in a trigger.

-- Whether the operation has a row in `output_heads`, so that the trigger costs others nothing.
alter table {{schema}}.operations add column has_output boolean not null default false;

-- The output of an operation, without its chunks. `token` and `attempt` are those of the current attempt, so appending locks no
-- operation. `epoch` counts the attempts that have begun since the first chunk. `segments` has the epoch and the first chunk of
-- each part that stands. What stood at the last checkpoint stays when another attempt begins, and the rest is discarded. `tail` has the
-- last chunks, from `tail_first` on, like a row of `output_chunks`: most appends are so small that a row of their own would cost more
-- than they do. A checkpoint leaves no tail.
create table {{schema}}.output_heads (
  operation_id uuid primary key,
  token text,
  attempt integer not null,
  epoch integer not null default 1,
  count integer not null default 0,
  bytes bigint not null default 0,
  segments jsonb not null default '[]',
  tail text not null default '',
  tail_first integer not null default 0,
  tail_size integer not null default 0,
  checkpoint text,
  checkpoint_number integer not null default 0,
  checkpoint_attempt integer,
  checkpoint_at timestamptz,
  checkpoint_count integer not null default 0,
  checkpoint_bytes bigint not null default 0,
  closed boolean not null default false
-- Every append changes the row, but no index.
) with (fillfactor = 50);

-- Chunks that were appended together: JSON, one to a line. `size` is their length in bytes, which is known without reading them.
create table {{schema}}.output_chunks (
  operation_id uuid not null,
  epoch integer not null,
  first integer not null,
  count integer not null,
  size integer not null,
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
    count = h.checkpoint_count, bytes = h.checkpoint_bytes, tail = '', tail_first = h.checkpoint_count, tail_size = 0,
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
returns table (epoch integer, count integer, bytes bigint, segments text, checkpoint text, checkpoint_number integer,
  checkpoint_attempt integer, checkpoint_at timestamptz, checkpoint_count integer, checkpoint_bytes bigint) language plpgsql
{{by_index}} set lock_timeout = '5s'
as $function$
#variable_conflict use_column
begin
  return query select coalesce(h.epoch, 1), coalesce(h.count, 0), coalesce(h.bytes, 0), coalesce(h.segments, '[]')::text,
    h.checkpoint, coalesce(h.checkpoint_number, 0), h.checkpoint_attempt, h.checkpoint_at, coalesce(h.checkpoint_count, 0),
    coalesce(h.checkpoint_bytes, 0)
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
-- contains the chunks, and is empty if `counts` is 0. The number 0 stands for no checkpoint.
create function {{schema}}.append_output_v2(ids uuid[], tokens text[], firsts integer[], counts integer[], sizes integer[],
  texts text[], checkpoints text[], numbers integer[])
returns table (place integer, outcome text) language plpgsql
{{by_index}} set lock_timeout = '5s'
as $function$
#variable_conflict use_column
declare
  stored bigint[];
  emptied uuid[];
begin
  -- Others have chunks, and with them a row.
  if 0 = any (firsts) then
    perform {{schema}}.open_outputs_v2(ids, tokens);
  end if;
  with item as (
    select n.* from unnest(ids, tokens, firsts, counts, sizes, texts, checkpoints, numbers) with ordinality
      as n(id, token, first, count, size, chunks, checkpoint, number, place)
    -- Concurrent calls lock their outputs in the same order.
    order by n.id
  ), grown as (
    update {{schema}}.output_heads h set count = h.count + i.count, bytes = h.bytes + i.size,
      segments = case when i.count = 0 or (h.segments->-1->>0)::integer = h.epoch then h.segments
        else h.segments || jsonb_build_array(jsonb_build_array(h.epoch, h.count)) end,
      tail = case when {{fits}} then concat_ws(E'\n', nullif(h.tail, ''), nullif(i.chunks, '')) else h.tail end,
      tail_first = case when {{fits}} or h.tail_size > 0 then h.tail_first else h.count + i.count end,
      -- Negative if the tail leaves with these chunks.
      tail_size = case when {{fits}} then h.tail_size + i.size else -h.tail_size end,
      checkpoint = case when i.number > h.checkpoint_number then i.checkpoint else h.checkpoint end,
      checkpoint_number = greatest(i.number, h.checkpoint_number),
      checkpoint_attempt = case when i.number > h.checkpoint_number then h.attempt else h.checkpoint_attempt end,
      checkpoint_at = case when i.number > h.checkpoint_number then {{schema}}.now_v1() else h.checkpoint_at end,
      checkpoint_count = case when i.number > h.checkpoint_number then h.count + i.count else h.checkpoint_count end,
      checkpoint_bytes = case when i.number > h.checkpoint_number then h.bytes + i.size else h.checkpoint_bytes end
    from item i
    -- An array of one id leaves no plan that starts with the heads, which look few while there are none.
    where h.operation_id = any (array[i.id]) and h.token = i.token and not h.closed and h.count = i.first
    returning i.place, h.operation_id, h.epoch, i.first, i.count, i.size, i.chunks, h.tail, h.tail_first, h.tail_size
  ), chunks as (
    insert into {{schema}}.output_chunks (operation_id, epoch, first, count, size, chunks)
    select g.operation_id, g.epoch, l.first, g.first + g.count - l.first, g.size - g.tail_size,
      concat_ws(E'\n', nullif(g.tail, ''), nullif(g.chunks, ''))
    from grown g cross join lateral (select case when g.tail_size < 0 then g.tail_first else g.first end as first) l
    where g.tail_size < 0 or g.tail_size = 0 and g.count > 0
  )
  select array_agg(g.place), array_agg(g.operation_id) filter (where g.tail_size < 0) into stored, emptied from grown g;
  if emptied is not null then
    update {{schema}}.output_heads h set tail = '', tail_first = h.count, tail_size = 0 where h.operation_id = any (emptied);
  end if;
  if cardinality(stored) = cardinality(ids) then
    return;
  end if;
  perform {{schema}}.wait_for_standbys_v1();
  return query select n.place::integer, 'lost' from unnest(ids, tokens, firsts, counts, numbers) with ordinality
      as n(id, token, first, count, number, place)
    where n.place <> all (coalesce(stored, '{}')) and not exists (select from {{schema}}.output_heads h
      where h.operation_id = n.id and h.token = n.token and not h.closed and h.count >= n.first + n.count
        and h.checkpoint_number >= n.number);
end
$function$;

-- Appends in the transaction that does the work of an attempt, like `append_output_v2`. `transaction_id` comes from `hold_v1`.
create function {{schema}}.append_in_v2(ids uuid[], tokens text[], firsts integer[], counts integer[], sizes integer[],
  texts text[], checkpoints text[], numbers integer[], transaction_id text)
returns table (place integer, outcome text) language plpgsql
set search_path = pg_catalog, pg_temp
as $function$
begin
  if transaction_id is distinct from pg_current_xact_id_if_assigned()::text then
    raise exception 'the transaction has ended' using errcode = 'no_active_sql_transaction';
  end if;
  return query
  select a.* from {{schema}}.append_output_v2(ids, tokens, firsts, counts, sizes, texts, checkpoints, numbers) a;
end
$function$;

-- Runs a failed operation again, like `redrive_v1`. With `keeps`, the new one starts with the last checkpoint of the failed one, as
-- if its first attempt had set it. `redrive_v1` has locked the failed one, so its checkpoint does not go meanwhile.
create function {{schema}}.redrive_v2(p_id uuid, p_successor uuid, p_on_end_id uuid, keeps boolean,
  out outcome text, out operation_id uuid, out created boolean, out state text)
returns record language plpgsql
{{by_index}} set lock_timeout = '5s'
as $function$
#variable_conflict use_column
begin
  select r.outcome, r.operation_id, r.created, r.state into outcome, operation_id, created, state
  from {{schema}}.redrive_v1(p_id, p_successor, p_on_end_id) r;
  if created and keeps then
    insert into {{schema}}.output_heads (operation_id, attempt, checkpoint, checkpoint_number, checkpoint_attempt, checkpoint_at)
    select p_successor, 0, h.checkpoint, h.checkpoint_number, 1, h.checkpoint_at from {{schema}}.output_heads h
    where h.operation_id = p_id and h.checkpoint is not null;
    if found then
      update {{schema}}.operations o set has_output = true where o.id = p_successor;
    end if;
  end if;
end
$function$;

-- Reads outputs. Returns a row for each part of an output that has chunks after `counts`, until they have the length `most` in bytes
-- or come from 256 rows. Returns a row without chunks if there are none. `epoch` is that of the part.
create function {{schema}}.read_output_v2(ids uuid[], counts integer[], most integer[])
returns table (place integer, state text, count integer, segments text, checkpoint_at timestamptz, epoch integer, first integer,
  chunks text)
language plpgsql stable
{{by_index}} set lock_timeout = '5s'
as $function$
#variable_conflict use_column
declare
  at_once bigint;
begin
  if pg_is_in_recovery() then
    perform {{schema}}.refuse_standby_v1();
  end if;
  -- A reader usually has all but what was appended last: the tail, or else the last row.
  return query
  select n.place::integer, coalesce(o.state, 'pending'), coalesce(h.count, 0), coalesce(h.segments, '[]')::text, h.checkpoint_at,
    (h.segments->-1->>0)::integer, coalesce(l.first, h.tail_first),
    case when h.count > n.count then coalesce(l.chunks, h.tail) end
  from unnest(ids, counts) with ordinality as n(id, count, place)
  left join lateral (select h.* from {{schema}}.output_heads h where h.operation_id = n.id) h on true
  left join lateral (select o.state from {{schema}}.operations o where o.id = n.id and coalesce(h.closed, true)) o on true
  left join lateral ({{last}}) l on true
  where (o.state is not null or not h.closed)
    and (coalesce(h.count, 0) <= n.count or l.first is not null or h.tail_size > 0 and n.count >= h.tail_first);
  get diagnostics at_once = row_count;
  if at_once = cardinality(ids) then
    return;
  end if;
  return query
  with item as materialized (
    select n.place::integer as place, n.count as after, n.most, n.id, coalesce(o.state, 'pending') as state, h.*
    from unnest(ids, counts, most) with ordinality as n(id, count, most, place)
    cross join lateral (select h.count, h.segments, h.checkpoint_at, h.closed, h.tail, h.tail_first, h.tail_size
      from {{schema}}.output_heads h where h.operation_id = n.id and h.count > n.count) h
    left join lateral (select o.state from {{schema}}.operations o where o.id = n.id and h.closed) o on true
    where (o.state is not null or not h.closed) and not (h.tail_size > 0 and n.count >= h.tail_first) and not exists ({{last}})
  )
  select i.place, i.state, i.count, i.segments::text, i.checkpoint_at, r.epoch, r.first, r.chunks
  from item i
  cross join lateral (
    select t.part, t.epoch, min(t.first) as first, string_agg(t.chunks, E'\n' order by t.first) as chunks
    from (
      select s.place as part, s.epoch, c.first, c.chunks,
        sum(c.size) over (order by s.place, c.first) - c.size as size_before,
        row_number() over (order by s.place, c.first) as number
      from (
        select p.place, (p.segment->>0)::integer as epoch,
          coalesce(lead((p.segment->>1)::integer) over (order by p.place), i.count) as until
        from jsonb_array_elements(i.segments) with ordinality as p(segment, place)) s
      cross join lateral (
        (select c.first, c.size, c.chunks from {{schema}}.output_chunks c
        where c.operation_id = i.id and c.epoch = s.epoch and c.first < s.until
          -- A search backwards reads a whole page of the index.
          and c.first >= coalesce((select b.first from {{schema}}.output_chunks b
              where b.operation_id = i.id and b.epoch = s.epoch and b.first = i.after),
            (select b.first from {{schema}}.output_chunks b
              where b.operation_id = i.id and b.epoch = s.epoch and b.first <= i.after order by b.first desc limit 1), 0)
        order by c.first limit 256)
        union all
        select i.tail_first, i.tail_size, i.tail where i.tail_size > 0 and s.until = i.count) c
      where s.until > i.after) t
    -- The limit of a part alone would skip what is left of it.
    where t.size_before < i.most and t.number <= 256 group by t.part, t.epoch order by t.part) r
  order by place, first;
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
