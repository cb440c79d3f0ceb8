-- An object usually has one tenant, and each entry of an index is a row that is paid for. So there are no indexes by tenant, and
-- lists of unfinished operations look at all. One object has no other processes that need a log of changes.
drop index arr_operations_of_tenant;
drop index arr_operations_unfinished;
drop index arr_operations_failed_of_tenant;
drop table arr_changes;
drop table arr_output_changes;

-- Work has turns by urgency only, unless the object has several tenants. Only urgencies other than the default have entries.
drop index arr_operations_turns;
create index arr_operations_urgency on arr_operations (definition, urgency, due_at)
  where settled_at is null and token is null and behind = 0 and urgency <> 3;

-- The tenants that have ever had an operation.
create table arr_tenants (tenant text not null primary key) without rowid;

create trigger arr_tenants_added after insert on arr_operations
when not exists (select 1 from arr_tenants where tenant = new.tenant)
begin
  insert into arr_tenants (tenant) values (new.tenant);
end;
