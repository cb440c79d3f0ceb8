import { endAsCancelled } from "./attempt-functions.js";
import { defineFunction, later } from "./define-function.js";

const ENDED = "settled_at = at, retained_from = at, due_at = null, announce_at = null";

/** Settling, with the follow-ups of what ends, and cancelling. */
export function settleFunctions(schema: string): readonly string[] {
  const table = `${schema}.operations`;
  // By the id alone: what else an index could offer (`announce_at`) would be taken for cheap while the table is empty.
  const held = "o.id = item.id and o.token = item.token and o.settled_at is null";
  return [
    defineFunction({
      schema,
      name: "settle_v1",
      lockTimeoutMs: 100,
      parameters: `ids uuid[], tokens text[], targets text[], texts text[], delays float8[], counts boolean[],
  cancelled text, then_places integer[], then_ids uuid[], then_scopes text[], then_definitions text[], then_inputs text[],
  then_keys text[], then_hiddens boolean[]`,
      returns: "table (place integer, state text)",
      declare: "  item record;\n  done bigint[];\n",
      body: `
  -- What just ends, which is nearly everything, takes one statement.
  with ended as (
    update ${table} o set state = item.target, ${ENDED},
      result = case item.target when 'completed' then item.content end,
      error = case item.target when 'failed' then item.content end
    from (
      select n.* from unnest(ids, tokens, targets, texts) with ordinality as n(id, token, target, content, place)
      where n.target in ('completed', 'failed') and n.place <> all (then_places) order by n.id) item
    where ${held} and (o.state = 'pending' or item.target = 'failed') returning item.place)
  select array_agg(e.place) into done from ended e;
  return query select n.place::integer, targets[n.place] from unnest(done) as n(place);
  if cardinality(done) = cardinality(ids) then
    return;
  end if;
  for item in select n.* from unnest(ids, tokens, targets, texts, delays, counts) with ordinality
    as n(id, token, target, content, delay, counted, place)
    where n.place <> all (coalesce(done, '{}')) order by n.id, n.place
  loop
    place := item.place;
    state := null;
    if item.target = 'completed' then
      update ${table} o set state = 'completed', result = item.content, ${ENDED}
      where ${held} and o.state = 'pending' returning o.state into state;
    elsif item.target = 'failed' then
      update ${table} o set state = 'failed', error = item.content, ${ENDED}
      where ${held} returning o.state into state;
    elsif item.target = 'prepared' then
      update ${table} o set state = 'pending', resource = item.content, attempt = 0, token = null, previous_lost = false,
        due_at = at, announce_at = ${later("30000")}, round = 0
      where ${held} and o.state = 'preparing' returning o.state into state;
    else
      update ${table} o set attempt = o.attempt - (not item.counted)::integer, token = null,
        previous_lost = o.previous_lost and not item.counted,
        due_at = ${later("item.delay")}, announce_at = ${later("item.delay")}, round = 0
      where ${held} and not o.cancel_requested returning o.state into state;
      if not found then
        ${endAsCancelled(schema, `${held} and o.cancel_requested`)} returning o.state into state;
      end if;
    end if;
    if state is null then
      select o.state into state from ${table} o
      where o.id = item.id and o.token = item.token and o.settled_at is not null;
      continue when not found;
    end if;
    if state in ('completed', 'failed') and item.place = any (then_places) then
      insert into ${table} (id, scope, definition, input, key, hidden, state, due_at, announce_at, created_at)
      select n.id, n.scope, n.definition, n.input, n.key, n.hidden, 'pending', at, ${later("30000")}, at
      from unnest(then_places, then_ids, then_scopes, then_definitions, then_inputs, then_keys, then_hiddens)
        as n(place, id, scope, definition, input, key, hidden)
      where n.place = item.place order by n.id on conflict (id) do nothing;
    end if;
    return next;
  end loop;`,
    }),
    defineFunction({
      schema,
      name: "cancel_v1",
      parameters: "p_id uuid, p_scope text, cancelled text",
      returns: "text",
      declare: `  known ${table};\n`,
      body: `
  select o.* into known from ${table} o
  where o.id = p_id and o.scope = p_scope and not o.hidden and o.state not in ('claimed', 'preparing') for update;
  if not found then
    return 'unknown';
  elsif known.announce_at is null then
    return 'terminal';
  elsif known.token is not null and known.due_at > at then
    update ${table} o set cancel_requested = true where o.id = p_id;
    return 'requested';
  end if;
  ${endAsCancelled(schema, "o.id = p_id")};
  return 'cancelled';`,
    }),
    defineFunction({
      schema,
      name: "set_resource_v1",
      parameters: "p_id uuid, p_resource text",
      returns: "void",
      body: `
  update ${table} o set resource = p_resource where o.id = p_id;`,
    }),
  ];
}
