-- What operators did. `facts` is a JSON object.
create table arr_actions (
  id text not null primary key,
  at_ms integer not null,
  action text not null,
  definition text,
  operation_id text,
  acted_by text,
  acted_via text,
  facts text not null
) without rowid;

create index arr_actions_by_time on arr_actions (at_ms);

create index arr_actions_of_definition on arr_actions (definition, at_ms) where definition is not null;

create index arr_actions_of_operation on arr_actions (operation_id, at_ms) where operation_id is not null;
