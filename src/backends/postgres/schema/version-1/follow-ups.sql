-- Follow-ups: the end of an operation creates its `on_end`.

create function {{schema}}.follow_up_v1(p_tenant text, p_on_end json, at timestamptz) returns void language plpgsql
set search_path = pg_catalog, pg_temp
as $function$
#variable_conflict use_column
begin
  insert into {{schema}}.operations (id, tenant, definition, state, hidden, due_at, created_at, retention_ms,
    failed_retention_ms, input)
  values ((p_on_end->>'id')::uuid, p_tenant, p_on_end->>'definition', 'pending', true, at,
    date_trunc('milliseconds', at), (p_on_end->>'retentionMs')::bigint,
    (p_on_end->>'failedRetentionMs')::bigint, p_on_end->>'input')
  -- There is no notification, because it would wait at the commit, where `lock_timeout` does not apply. Workers find
  -- the follow-up at their next poll.
  on conflict do nothing;
end
$function$;
