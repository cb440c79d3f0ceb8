import { defineFunction, later } from "./define-function.js";

/** What the sweep takes. Rows that another sweeper is taking are passed over. */
export function sweepFunctions(schema: string): readonly string[] {
  const table = `${schema}.operations`;
  const forget = `
  for item in select o.id from ${table} o where o.forget_at <= at order by o.forget_at limit 10000 for update skip locked loop
    delete from ${table} o where o.id = item.id;
  end loop;`;
  return [
    defineFunction({
      schema,
      name: "take_due_v1",
      parameters: "definitions text[], most integer",
      returns: "table (id uuid, definition text)",
      forgettable: true,
      declare: "  name text;\n  item record;\n",
      body: `
  foreach name in array definitions loop
    for item in
      select o.id from ${table} o where o.definition = name and o.announce_at <= at
      order by o.announce_at limit most for update skip locked
    loop
      update ${table} o set round = o.round + 1,
        announce_at = ${later("least(30000 * 4 ^ least(o.round, 10), 3600000)")} where o.id = item.id;
      most := most - 1;
      id := item.id;
      definition := name;
      return next;
    end loop;
    exit when most <= 0;
  end loop;`,
    }),
    defineFunction({
      schema,
      name: "take_expired_v1",
      parameters: "retention float8, most integer",
      returns: "table (id uuid, scope text, definition text, key text)",
      forgettable: true,
      declare: "  item record;\n",
      body: `${forget}
  for item in
    select o.id, o.scope, o.definition, o.key from ${table} o where o.retained_from <= at - retention * interval '1 ms'
    order by o.retained_from limit most for update skip locked
  loop
    -- As if it had ended so much later: it comes again in a minute.
    update ${table} o set retained_from = at + (60000 - retention) * interval '1 ms' where o.id = item.id;
    id := item.id;
    scope := item.scope;
    definition := item.definition;
    key := item.key;
    return next;
  end loop;`,
    }),
    defineFunction({
      schema,
      name: "remove_v1",
      parameters: "ids uuid[], after_ms float8",
      returns: "void",
      declare: "  target uuid;\n",
      body: `
  for target in select distinct n.id from unnest(ids) as n(id) order by 1 loop
    update ${table} o set forget_at = ${later("after_ms")}, retained_from = null
    where o.id = target and o.settled_at is not null;
  end loop;`,
    }),
    defineFunction({
      schema,
      name: "purge_v1",
      parameters: "retention float8, most integer",
      returns: "integer",
      forgettable: true,
      declare: "  item record;\n  purged integer := 0;\n",
      body: `${forget}
  for item in
    select o.id, o.scope, o.definition, o.key, o.bound from ${table} o
    where o.retained_from <= at - retention * interval '1 ms' order by o.retained_from limit most for update skip locked
  loop
    delete from ${table} o where o.id = item.id;
    purged := purged + 1;
    if item.key is not null and not item.bound then
      delete from ${table} o where o.bound and o.scope = item.scope and o.definition = item.definition
        and o.key = item.key and o.claimed_for = item.id;
    end if;
  end loop;
  return purged;`,
    }),
  ];
}
