import { defineFunction, later } from "./define-function.js";
import { operationJson } from "./operation-columns.js";

const ARRAYS = `ids uuid[], scopes text[], definitions text[], keys text[], fingerprints text[], inputs text[],
  hiddens boolean[], tokens text[], leases float8[]`;

const ITEMS = `unnest(ids, scopes, definitions, keys, fingerprints, inputs, hiddens, tokens, leases)
    with ordinality as n(id, scope, definition, key, fingerprint, input, hidden, token, lease, place)`;

const ITEM = `p_id uuid, p_scope text, p_definition text, p_key text, p_fingerprint text, p_input text,
  p_hidden boolean, p_token text, p_lease float8`;

const ONE =
  "item.id, item.scope, item.definition, item.key, item.fingerprint, item.input, item.hidden, item.token, item.lease";

const COLUMNS = `id, scope, definition, key, bound, fingerprint, state, input, hidden, attempt, token, due_at, announce_at,
    created_at`;

function values(n: string, id: string, bound: string): string {
  return `${id}, ${n}scope, ${n}definition, ${n}key, ${bound}, ${n}fingerprint,
    case when ${n}token is null then 'pending' else 'preparing' end, ${n}input, ${n}hidden, (${n}token is not null)::integer,
    ${n}token, ${later(`coalesce(${n}lease, 0)`)}, ${later(`coalesce(${n}lease, 30000)`)}, at`;
}

/** Where in the call an item stood, and what was in its way. One column holds the operation: clients read the names of all
 * columns with every answer, and nearly every answer is empty. */
const ANSWERS = "table (place integer, outcome text, operation json)";

/** RECORD. Of items that became operations by this call nothing is returned: that is what nearly every call is about. */
export function recordFunctions(schema: string): readonly string[] {
  const table = `${schema}.operations`;
  return [
    defineFunction({
      schema,
      name: "record_one_v1",
      lockTimeoutMs: "caller",
      parameters: `${ITEM}, out outcome text, out operation ${table}`,
      returns: "record",
      declare: `  holder ${table};\n`,
      body: `
  -- What is in the way may be purged between two looks; then the next round finds the way free.
  for round in 1..5 loop
    select o.* into operation from ${table} o where o.id = p_id;
    if found then
      outcome := 'exists';
      return;
    end if;
    select o.* into holder from ${table} o
      where o.bound and o.scope = p_scope and o.definition = p_definition and o.key = p_key;
    if not found then
      insert into ${table} (${COLUMNS})
      values (${values("p_", "p_id", "p_key is not null")}) on conflict do nothing;
      if found then
        outcome := 'created';
        return;
      end if;
    elsif holder.state <> 'claimed' then
      operation := holder;
      outcome := 'exists';
      return;
    else
      -- Somebody uses the stores one by one and has not created it yet: this helps that submission to its end.
      if holder.fingerprint = p_fingerprint then
        insert into ${table} (${COLUMNS})
        values (${values("p_", "holder.claimed_for", "false")}) on conflict do nothing;
        outcome := case when found then 'helped' end;
      end if;
      select o.* into operation from ${table} o where o.id = holder.claimed_for;
      outcome := coalesce(outcome, case when found then 'exists' else 'reused' end);
      operation.fingerprint := holder.fingerprint;
      return;
    end if;
  end loop;
  raise exception 'the key is bound and released over and over' using errcode = 'serialization_failure';`,
    }),
    defineFunction({
      schema,
      name: "record_alone_v1",
      parameters: ITEM,
      returns: ANSWERS,
      lockTimeoutMs: 100,
      readsNothing: true,
      declare: "  answer record;\n",
      body: `
  insert into ${table} (${COLUMNS})
  values (${values("p_", "p_id", "p_key is not null")}) on conflict do nothing;
  if found then
    return;
  end if;
  answer := ${schema}.record_one_v1(p_id, p_scope, p_definition, p_key, p_fingerprint, p_input, p_hidden, p_token, p_lease);
  place := 1;
  outcome := answer.outcome;
  operation := ${operationJson("answer.operation")};
  return next;`,
    }),
    defineFunction({
      schema,
      name: "record_v1",
      parameters: ARRAYS,
      returns: ANSWERS,
      lockTimeoutMs: 100,
      declare: "  made uuid[];\n  item record;\n  answer record;\n",
      body: `
  -- In the order of the key, so that two batches wait for each other in one direction only.
  with inserted as (
    insert into ${table} (${COLUMNS})
    select ${values("n.", "n.id", "n.key is not null")} from ${ITEMS}
    order by n.scope, n.definition, n.key, n.id
    on conflict do nothing returning id)
  select array_agg(id) into made from inserted;
  if cardinality(made) = cardinality(ids) then
    return;
  end if;
  for item in select n.* from ${ITEMS} where n.id <> all (coalesce(made, '{}')) loop
    place := item.place;
    answer := ${schema}.record_one_v1(${ONE});
    outcome := answer.outcome;
    operation := ${operationJson("answer.operation")};
    return next;
  end loop;`,
    }),
    defineFunction({
      schema,
      name: "record_each_v1",
      parameters: ARRAYS,
      returns: ANSWERS,
      lockTimeoutMs: 5,
      declare: "  item record;\n  answer record;\n",
      body: `
  -- Waiting for the table, unlike for a row, is nobody's own affair.
  begin
    lock table ${table} in row exclusive mode;
  exception when lock_not_available then
    raise exception 'the table is locked' using errcode = 'cannot_connect_now';
  end;
  for item in select n.* from ${ITEMS} order by n.scope, n.definition, n.key, n.id loop
    place := item.place;
    begin
      answer := ${schema}.record_one_v1(${ONE});
      outcome := answer.outcome;
      operation := ${operationJson("answer.operation")};
    exception
      when lock_not_available then outcome := 'locked'; operation := null;
      when data_exception or program_limit_exceeded or integrity_constraint_violation then
        outcome := 'refused:' || sqlstate; operation := null;
    end;
    return next;
  end loop;`,
    }),
  ];
}
