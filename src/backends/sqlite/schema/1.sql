-- Version 1 of the schema.
-- Once a release with this version is published, changes go into the next version, so that the release keeps working.
--
-- All times are epoch milliseconds by the clock of the process that wrote them. Booleans are 0 and 1.

-- One row holds an operation, its key and its due work. `seq` is the rowid, so rows and most index entries are appended.
--
-- A row with a `key_hash` holds its key. The hash is 48 bits of a SHA-256, so the index over it stays small: it is the
-- only index whose entries have no order. Different keys can have the same hash, so readers compare the key too.
--
-- An unfinished operation with a token is under a lease. One that has ended keeps its token.
-- An operation that is `behind` waits for its turn in its lane. Until then, no claim finds it.
-- An operation that has begun under a limit is `limited`, so that others have no entry in the index that counts the places.
-- An operation that never had work to run has `was_pending` 0. `not_before` is the end of its delay.
-- `start_by` is the time when it expires, unless it has a token or lost one. It is null once a processor has started or the
-- operation has ended, and while it is preparing.
-- `input` is empty if it is large. It is then in the table of inputs, because SQLite writes a whole row at each change.
-- `on_end` is JSON with the id, definition, input, retentionMs and failedRetentionMs of the follow-up.
create table arr_operations (
  seq integer primary key,
  id text not null,
  tenant text not null,
  definition text not null,
  principal text,
  key text,
  key_hash integer,
  fingerprint text,
  state text not null,
  hidden integer not null,
  urgency integer not null default 3,
  lane text,
  behind integer not null default 0,
  limited integer not null default 0,
  attempt integer not null,
  token text,
  lease_ends_at integer not null,
  due_at integer not null,
  previous_lost integer not null,
  cancel_requested integer not null,
  not_before integer not null,
  start_by integer,
  was_pending integer not null,
  created_at integer not null,
  settled_at integer,
  retention_ms integer not null,
  failed_retention_ms integer,
  start_within_ms integer,
  expires_at integer,
  retry_of text,
  retried_by text,
  meta text,
  on_end text,
  resource text,
  progress text,
  result text,
  error text,
  last_error text,
  input text not null
);

create unique index arr_operations_id on arr_operations (id);
create index arr_operations_key on arr_operations (key_hash) where key_hash is not null;
-- Every unfinished operation is in one of the next two indexes, or waits for its lane, so waiting and running ones can be counted separately.
create index arr_operations_waiting on arr_operations (definition, due_at, state)
  where settled_at is null and token is null and behind = 0;
create index arr_operations_leased on arr_operations (definition, lease_ends_at, state)
  where settled_at is null and token is not null;
-- For counts of the places of one tenant.
create index arr_operations_places on arr_operations (definition, tenant, lease_ends_at)
  where settled_at is null and token is not null and limited = 1;
-- For the turns of tenants, if more work is due than the slots of a worker.
create index arr_operations_turns on arr_operations (definition, urgency, tenant, due_at)
  where settled_at is null and token is null and behind = 0;
-- For lanes: those that wait for their turn, the order of each lane, and the operation that runs.
create index arr_operations_behind on arr_operations (definition, due_at) where settled_at is null and behind = 1;
create index arr_operations_lanes on arr_operations (definition, tenant, lane, created_at, id)
  where settled_at is null and lane is not null;
create index arr_operations_lane_held on arr_operations (definition, tenant, lane)
  where settled_at is null and lane is not null and token is not null;
-- For those that did not start in time.
create index arr_operations_start_by on arr_operations (start_by)
  where start_by is not null and token is null and previous_lost = 0;
create index arr_operations_expires on arr_operations (expires_at) where expires_at is not null;
-- For lists. Those of unfinished and of failed operations are small, however many operations have completed.
create index arr_operations_created on arr_operations (created_at, id);
create index arr_operations_of_tenant on arr_operations (tenant, created_at, id);
create index arr_operations_unfinished on arr_operations (created_at, id) where settled_at is null;
create index arr_operations_failed on arr_operations (created_at, id) where state = 'failed';
create index arr_operations_failed_of_tenant on arr_operations (tenant, created_at, id) where state = 'failed';
create index arr_operations_failed_of_definition on arr_operations (definition, created_at, id)
  where state = 'failed';
-- For counts.
create index arr_operations_failed_open on arr_operations (definition, created_at)
  where state = 'failed' and retried_by is null;

-- Definitions of which no attempt begins.
create table arr_paused (
  definition text not null primary key,
  since integer not null,
  paused_by text
) without rowid;

-- Large inputs, by the `seq` of their operations.
create table arr_inputs (
  seq integer primary key,
  input text not null
);

-- The operations that the last transactions changed, for watchers in other processes: ids with spaces between them.
-- `cancellations` contains those whose cancellation was requested. Old rows are deleted, but never the newest, so `seq` grows.
create table arr_changes (
  seq integer primary key,
  cancellations text,
  ids text not null
);
