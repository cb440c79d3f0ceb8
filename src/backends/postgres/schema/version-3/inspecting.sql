-- Version 3 of the schema: what operators read of an operation, what processes count by minute, and what operators did.

-- Returns an operation, whether it is due or its lease has ended, and with `places` how many live leases of its tenant count for a
-- limit.
create function {{schema}}.inspect_v3(p_id uuid, places boolean)
returns table (operation {{schema}}.operations, is_due boolean, running_of_tenant integer) language plpgsql
{{by_index}} set lock_timeout = '5s'
as $function$
#variable_conflict use_column
declare
  at timestamptz := {{schema}}.now_v1();
begin
  if pg_is_in_recovery() then
    perform {{schema}}.refuse_standby_v1();
  end if;
  return query select o, o.due_at <= at,
    case when places then (
      select count(*)::integer from {{schema}}.operations r
      where r.definition = o.definition and r.tenant = o.tenant and r.due_at is not null and r.token is not null and r.limited
        and r.due_at > at and r.state = 'pending') end
  from {{schema}}.operations o where o.id = p_id;
end
$function$;
