-- Version 2 of the schema: output and checkpoints. The previous release works with it, because what the begin and the end of an
-- attempt mean for its output is in triggers: see `output-triggers.sql`.

-- Whether the operation has a row in `arr_output_heads`, so that the triggers do little for others.
alter table arr_operations add column has_output integer not null default 0;

-- The output of an operation, without its chunks. `epoch` counts the attempts that have begun since the first chunk.
-- `segments` is JSON: the epoch and the first chunk of each part that stands. What stood at the last checkpoint stays when
-- another attempt begins, and the rest is discarded.
create table arr_output_heads (
  operation_id text not null primary key,
  epoch integer not null,
  count integer not null,
  bytes integer not null,
  segments text not null,
  checkpoint text,
  checkpoint_number integer not null default 0,
  checkpoint_attempt integer,
  checkpoint_at integer,
  checkpoint_count integer not null default 0,
  checkpoint_bytes integer not null default 0
);

-- Chunks that were appended together: JSON, one to a line.
create table arr_output_chunks (
  operation_id text not null,
  epoch integer not null,
  first integer not null,
  count integer not null,
  chunks text not null
);

create unique index arr_output_chunks_place on arr_output_chunks (operation_id, epoch, first);

-- Chunks to delete: those of an epoch from `first` on, or of all epochs from `epoch` on if `every_epoch` is 1.
create table arr_output_discards (
  seq integer primary key,
  operation_id text not null,
  epoch integer not null,
  first integer not null,
  every_epoch integer not null
);

-- The last operations whose output has grown, for readers in other processes: see `arr_changes`.
create table arr_output_changes (
  seq integer primary key,
  ids text not null
);
