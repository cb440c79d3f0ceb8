import { defineFunction, later, operationTable } from "./define-function.js";

/** Ends what nobody will work on. */
export function endAsCancelled(schema: string, condition: string): string {
  return `update ${schema}.operations o set state = 'failed', error = cancelled, settled_at = at, retained_from = at,
      due_at = null, announce_at = null where ${condition}`;
}

/** What beginning does to a row, whoever asks. */
function begun(token: string, leaseMs: string): string {
  return `previous_lost = o.previous_lost or coalesce(o.token <> ${token}, false),
      attempt = o.attempt + (o.token is distinct from ${token})::integer, token = ${token},
      due_at = ${later(leaseMs)}, announce_at = ${later(leaseMs)}, round = 0`;
}

/** Beginning, by id and with the receipt, and renewing. Rows of one call are locked in the order of their ids. */
export function attemptFunctions(schema: string): readonly string[] {
  const table = `${schema}.operations`;
  return [
    defineFunction({
      schema,
      name: "begin_v1",
      parameters: "ids uuid[], tokens text[], leases float8[], cancelled text",
      returns: `table (place integer, outcome text, due_in_ms float8, operation ${table})`,
      declare: "  item record;\n",
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
      outcome := 'terminal';
    else
      update ${table} o set ${begun("item.token", "item.lease")} where o.id = item.id returning o.* into operation;
      outcome := 'begun';
    end if;
    return next;
  end loop;`,
    }),
    defineFunction({
      schema,
      name: "receive_v1",
      parameters: "definitions text[], most integer, lease float8",
      returns: operationTable(schema),
      declare: `  name text;
  candidate ${table};
  marked boolean := false;
  suspected boolean := false;
  quota integer;
  taken integer;
  more boolean;
  chosen text;
`,
      body: `
  place := 0;
  -- Each definition has its share, and what one leaves goes to the others: a long line holds nobody up.
  loop
    more := false;
    quota := greatest(1, (most - place) / greatest(1, cardinality(definitions)));
    foreach name in array definitions loop
      taken := 0;
      for candidate in
        select o.* from ${table} o
        where o.definition = name and o.announce_at is not null and o.due_at <= at
          and not (suspected and (o.token is not null or o.previous_lost))
        order by o.due_at limit least(quota, most - place) for update skip locked
      loop
        taken := taken + 1;
        -- One at a time whose last attempt was lost: it may end its process, and with it every attempt that began beside it.
        if candidate.token is not null or candidate.previous_lost then
          continue when suspected;
          suspected := true;
        end if;
        place := place + 1;
        -- Beginning would end it, which is for begin_v1 to do and to tell: it is only announced.
        if candidate.cancel_requested then
          marked := true;
          outcome := 'announced';
          operation := candidate;
          return next;
          continue;
        end if;
        chosen := gen_random_uuid()::text;
        update ${table} o set ${begun("chosen", "lease")} where o.id = candidate.id
          returning o.* into operation;
        outcome := 'begun';
        return next;
      end loop;
      more := more or taken = quota;
    end loop;
    exit when place >= most or marked or not more;
  end loop;`,
    }),
    defineFunction({
      schema,
      name: "renew_v1",
      parameters: "ids uuid[], tokens text[], leases float8[], progresses text[]",
      returns: "table (place integer, cancel_requested boolean)",
      declare: "  item record;\n",
      body: `
  for item in select n.* from unnest(ids, tokens, leases, progresses) with ordinality
    as n(id, token, lease, progress, place) order by n.id, n.place
  loop
    place := item.place;
    update ${table} o set due_at = ${later("item.lease")}, announce_at = ${later("item.lease")}, round = 0,
      progress = coalesce(item.progress, o.progress)
    where o.id = item.id and o.token = item.token and o.settled_at is null
    returning o.cancel_requested into cancel_requested;
    if found then
      return next;
    end if;
  end loop;`,
    }),
  ];
}
