import { defineFunction } from "./define-function.js";

/** What is called within transactions of the user: recording in one that is open, and settling at the end of one. */
export function transactionFunctions(schema: string): readonly string[] {
  const table = `${schema}.operations`;
  return [
    defineFunction({
      schema,
      name: "record_in_v1",
      parameters: `ids uuid[], scopes text[], definitions text[], keys text[], fingerprints text[], inputs text[],
  hiddens boolean[], tokens text[], leases float8[], channel text`,
      returns: "table (outcome text, operation json)",
      body: `
  begin
    -- Whatever fails in here is undone to this point, and the transaction of the caller can go on.
    select r.outcome, r.operation into outcome, operation from ${schema}.record_each_v1(
      ids, scopes, definitions, keys, fingerprints, inputs, hiddens, tokens, leases) r;
  exception when cannot_connect_now then outcome := 'locked';
  end;
  if outcome in ('created', 'helped') then
    -- Nobody announces it, so the next sweep does, where the queue is another than this.
    update ${table} o set announce_at = at where o.id = coalesce((operation->>'id')::uuid, ids[1]);
    if channel is not null then
      -- Postgres hands it out when the transaction commits, and only then.
      perform pg_notify(channel, json_build_object('definitions', json_build_array(definitions[1]))::text);
    end if;
  end if;
  return next;`,
    }),
    defineFunction({
      schema,
      name: "settle_once_v1",
      parameters: `ids uuid[], tokens text[], targets text[], texts text[], delays float8[], counts boolean[],
  cancelled text`,
      returns: "table (place integer, state text)",
      body: `
  -- Settling may be repeated, what else is in this transaction may not: what has ended before is not found here.
  perform from ${table} o where o.id = ids[1] and o.token = tokens[1] and o.settled_at is null for update;
  if found then
    return query select s.place, s.state from ${schema}.settle_v1(
      ids, tokens, targets, texts, delays, counts, cancelled, '{}', '{}', '{}', '{}', '{}', '{}', '{}') s;
  end if;`,
    }),
  ];
}
