-- The objects of a class, as they reported themselves.
create table arr_objects (
  name text not null primary key,
  number integer not null,
  tenant text not null,
  shards integer not null,
  reports integer not null,
  reported_at integer not null,
  newest_at integer,
  newest_failed_at integer
) without rowid;

create index arr_objects_number on arr_objects (number);
create index arr_objects_tenant on arr_objects (tenant);
create index arr_objects_newest on arr_objects (newest_at desc, name) where newest_at is not null;
create index arr_objects_newest_failed on arr_objects (newest_failed_at desc, name) where newest_failed_at is not null;

-- Their counts, without those that are all zero.
create table arr_counts (
  definition text not null,
  name text not null,
  due integer not null,
  running integer not null,
  scheduled integer not null,
  failed integer not null,
  due_since integer,
  primary key (definition, name)
) without rowid;

create index arr_counts_name on arr_counts (name);

create table arr_pauses (definition text not null primary key, paused_since integer not null, paused_by text) without rowid;
