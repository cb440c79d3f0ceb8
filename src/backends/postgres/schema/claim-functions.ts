import { defineFunction } from "./define-function.js";

/** The idempotency store by itself: rows that only hold a key, beside those of operations that hold theirs. */
export function claimFunctions(schema: string): readonly string[] {
  const table = `${schema}.operations`;
  const key = "o.bound and o.scope = p_scope and o.definition = p_definition and o.key = p_key";
  return [
    defineFunction({
      schema,
      name: "claim_v1",
      parameters: `p_scope text, p_definition text, p_key text, p_fingerprint text, p_operation_id uuid,
  out operation_id uuid, out fingerprint text`,
      returns: "record",
      body: `
  for round in 1..5 loop
    insert into ${table} (id, scope, definition, key, bound, fingerprint, claimed_for, state, input, due_at, created_at)
    values (gen_random_uuid(), p_scope, p_definition, p_key, true, p_fingerprint, p_operation_id, 'claimed', '', at, at)
    on conflict do nothing;
    select coalesce(o.claimed_for, o.id), o.fingerprint into operation_id, fingerprint from ${table} o where ${key};
    if found then
      return;
    end if;
  end loop;
  raise exception 'the key is bound and released over and over' using errcode = 'serialization_failure';`,
    }),
    defineFunction({
      schema,
      name: "lock_key_v1",
      parameters: "p_scope text, p_definition text, p_key text",
      returns: "boolean",
      body: `
  return pg_try_advisory_xact_lock(
    hashtextextended(jsonb_build_array('${schema}', p_scope, p_definition, p_key)::text, 0));`,
    }),
    defineFunction({
      schema,
      name: "release_v1",
      parameters: "p_scope text, p_definition text, p_key text, p_operation_id uuid",
      returns: "void",
      body: `
  delete from ${table} o where ${key} and o.claimed_for = p_operation_id;
  update ${table} o set bound = false where ${key} and o.id = p_operation_id;`,
    }),
    defineFunction({
      schema,
      name: "take_stale_v1",
      parameters: "older_than float8, most integer",
      returns: "table (scope text, definition text, key text, fingerprint text, operation_id uuid)",
      forgettable: true,
      declare: "  item record;\n",
      body: `
  for item in
    select o.* from ${table} o where o.state = 'claimed' and o.due_at <= at - older_than * interval '1 ms'
    order by o.due_at limit most for update skip locked
  loop
    update ${table} o set due_at = at where o.id = item.id;
    scope := item.scope;
    definition := item.definition;
    key := item.key;
    fingerprint := item.fingerprint;
    operation_id := item.claimed_for;
    return next;
  end loop;`,
    }),
  ];
}
