import { defineFunction, FORGETTABLE, later, operationTable } from "./define-function.js";

/** Ends what nobody will work on. */
export function endAsCancelled(schema: string, condition: string): string {
  return `update ${schema}.operations o set state = 'failed', error = cancelled, settled_at = at, retained_from = at,
      due_at = null, announce_at = null where ${condition}`;
}

/** The time of a lease that begins or goes on. */
function leased(leaseMs: string): string {
  return `due_at = ${later(leaseMs)}, announce_at = ${later(leaseMs)}, round = 0`;
}

/** Beginning, by id and with the receipt, and renewing. Rows that may have to be waited for are locked in the order of their ids. */
export function attemptFunctions(schema: string): readonly string[] {
  const table = `${schema}.operations`;
  const received = `previous_lost = o.previous_lost or o.token is not null, attempt = o.attempt + 1,
          token = gen_random_uuid()::text, ${leased("lease")}`;
  const held = "o.id = item.id and o.token = item.token and o.settled_at is null";
  return [
    defineFunction({
      schema,
      name: "begin_v1",
      lockTimeoutMs: 100,
      parameters: "ids uuid[], tokens text[], leases float8[], cancelled text",
      returns: `table (place integer, outcome text, due_in_ms float8, operation ${table})`,
      declare: "  item record;\n  ended boolean := false;\n",
      body: `
  for item in select n.* from unnest(ids, tokens, leases) with ordinality as n(id, token, lease, place) order by n.id loop
    place := item.place;
    due_in_ms := null;
    select o.* into operation from ${table} o where o.id = item.id and o.state <> 'claimed' for update;
    if not found then
      outcome := 'unknown';
    elsif operation.announce_at is null then
      outcome := 'terminal';
    elsif operation.token is distinct from item.token and operation.due_at > at then
      outcome := case when operation.token is null then 'not-due' else 'busy' end;
      due_in_ms := ceil(extract(epoch from operation.due_at - at) * 1000);
    elsif operation.token is distinct from item.token and operation.cancel_requested then
      ${endAsCancelled(schema, "o.id = item.id")};
      ended := true;
      outcome := 'terminal';
    else
      update ${table} o set previous_lost = o.previous_lost or coalesce(o.token <> item.token, false),
        attempt = o.attempt + (o.token is distinct from item.token)::integer, token = item.token,
        ${leased("item.lease")}
      where o.id = item.id returning o.* into operation;
      outcome := 'begun';
    end if;
    return next;
  end loop;
  if not ended then
    ${FORGETTABLE}
  end if;`,
    }),
    defineFunction({
      schema,
      name: "receive_v1",
      parameters: "definitions text[], most integer, lease float8",
      returns: operationTable(schema),
      forgettable: true,
      declare: `  name text;
  plain uuid[];
  suspects uuid[];
  suspect uuid;
  suspected boolean := false;
  quota integer;
  taken integer;
  free integer := most;
  more boolean;
  marked boolean := false;
`,
      body: `
  -- Each definition has its share, and what one leaves goes to the others: a long line holds nobody up.
  loop
    more := false;
    quota := greatest(1, free / greatest(1, cardinality(definitions)));
    foreach name in array definitions loop
      select array_agg(c.id order by c.due_at) filter (where not c.lost),
          array_agg(c.id order by c.due_at) filter (where c.lost), count(*)
        into plain, suspects, taken from (
          select o.id, o.due_at, o.token is not null or o.previous_lost as lost from ${table} o
          where o.definition = name and o.announce_at is not null and o.due_at <= at
            and not (suspected and (o.token is not null or o.previous_lost))
          order by o.due_at limit least(quota, free) for update skip locked) c;
      more := more or taken = quota;
      outcome := 'begun';
      for operation in
        update ${table} o set ${received}
        from unnest(plain) as n(id) where o.id = n.id returning o.*
      loop
        free := free - 1;
        return next;
      end loop;
      -- One at a time whose last attempt was lost: it may end its process, and with it every attempt that began beside it.
      foreach suspect in array coalesce(suspects, '{}') loop
        select o.* into operation from ${table} o where o.id = suspect;
        if operation.cancel_requested then
          -- Beginning would end it, which is for begin_v1 to do and to tell: it is only announced.
          marked := true;
          outcome := 'announced';
        else
          continue when suspected;
          suspected := true;
          update ${table} o set ${received} where o.id = suspect returning o.* into operation;
          outcome := 'begun';
        end if;
        free := free - 1;
        return next;
      end loop;
      exit when free <= 0;
    end loop;
    exit when free <= 0 or marked or not more;
  end loop;`,
    }),
    defineFunction({
      schema,
      name: "renew_v1",
      lockTimeoutMs: 100,
      parameters: "ids uuid[], tokens text[], leases float8[], progresses text[]",
      returns: "table (place integer, outcome text, cancel_requested boolean)",
      forgettable: true,
      declare: "  item record;\n",
      body: `
  -- One that somebody has locked is passed over: the others must not lose their leases because of it.
  for item in select n.* from unnest(ids, tokens, leases, progresses) with ordinality
    as n(id, token, lease, progress, place) order by n.id, n.place
  loop
    place := item.place;
    cancel_requested := null;
    perform from ${table} o where ${held} for update skip locked;
    if found then
      update ${table} o set ${leased("item.lease")}, progress = coalesce(item.progress, o.progress)
      where o.id = item.id returning o.cancel_requested into cancel_requested;
      outcome := 'renewed';
      return next;
    elsif exists (select from ${table} o where ${held}) then
      outcome := 'locked';
      return next;
    end if;
  end loop;`,
    }),
  ];
}
