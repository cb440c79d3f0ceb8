-- Version 3 of the schema: what processes count by minute. The previous release works with it, because it does not know of it.

-- What one process counted of one definition in a minute, or the sum of all processes (`process` is empty) in a minute or an
-- hour. `waiting`, `running` and `total` are JSON: the counts of a histogram by bucket.
create table arr_minutes (
  definition text not null,
  start integer not null,
  span_ms integer not null,
  process text not null,
  written_at integer not null,
  served integer not null,
  accepted integer not null,
  started integer not null,
  completed integer not null,
  failed integer not null,
  cancelled integer not null,
  retried integer not null,
  lost integer not null,
  refused integer not null,
  waiting text not null,
  running text not null,
  total text not null,
  primary key (definition, start, span_ms, process)
) without rowid;

create index arr_minutes_unfolded on arr_minutes (start) where process <> '';

create index arr_minutes_folded on arr_minutes (span_ms, start) where process = '';
