import { defineFunction, later } from "./define-function.js";

/** Creating by id, reading, and listing. */
export function readFunctions(schema: string): readonly string[] {
  const table = `${schema}.operations`;
  return [
    defineFunction({
      schema,
      name: "create_v1",
      parameters: `p_id uuid, p_scope text, p_definition text, p_key text, p_input text, p_hidden boolean, p_state text,
  p_token text, p_lease float8, p_error text`,
      returns: "boolean",
      body: `
  insert into ${table} (id, scope, definition, key, input, hidden, state, attempt, token, error, created_at,
    due_at, announce_at, settled_at, retained_from)
  values (p_id, p_scope, p_definition, p_key, p_input, p_hidden, p_state, (p_token is not null)::integer, p_token, p_error, at,
    case when p_state <> 'failed' then ${later("coalesce(p_lease, 0)")} end,
    case when p_state <> 'failed' then ${later("coalesce(p_lease, 30000)")} end,
    case when p_state = 'failed' then at end, case when p_state = 'failed' then at end)
  on conflict (id) do nothing;
  -- The creator of what is preparing may have lost the answer.
  return found or exists (
    select from ${table} o where o.id = p_id and o.state = 'preparing' and p_state = 'preparing' and o.token = p_token);`,
    }),
    defineFunction({
      schema,
      name: "get_v1",
      parameters: "p_id uuid, p_scope text",
      returns: `setof ${table}`,
      body: `
  return query select o.* from ${table} o
  where o.id = p_id and o.scope = p_scope and not o.hidden and o.state <> 'claimed';`,
    }),
    defineFunction({
      schema,
      name: "list_v1",
      parameters: "p_scope text, p_definition text, p_state text, p_after uuid, most integer",
      returns: `setof ${table}`,
      body: `
  -- Only what is asked for, so that an index of the user's own for it can serve.
  return query execute 'select o.* from ${table} o where o.id > $4 and o.state <> ''claimed'''
    || case when p_scope is null then '' else ' and o.scope = $1' end
    || case when p_definition is null then '' else ' and o.definition = $2' end
    || case when p_state is null then '' else ' and o.state = $3' end
    || ' order by o.id limit $5' using p_scope, p_definition, p_state, p_after, most;`,
    }),
  ];
}
