-- Version 1 of the schema. Names in double braces are replaced: by the name of the schema, or by a template of `index.ts`.
-- Once a release with this version is published, changes go into the next version, so that the release keeps working.
--
-- Functions keep their plans for the life of a connection, and a plan may be made while the table is empty. Only
-- ordered index scans stay fast when the table grows, so every function that reads the table disables all other scans
-- and joins. After that, new plans for the arrays of each call would gain nothing, and would take as long as the insert
-- itself.
-- Such a function compiles no plan (`jit`) either: that takes 30 to 80 ms, and reads at most a few thousand rows faster. A list
-- that has no index is the only one that needs a scan of the table, so it enables it.
--
-- Functions that only take a lease or hand out rows set `synchronous_commit` to off until the end of the transaction,
-- so their commit does not wait for the disk. If the server crashes and loses that commit, the lease is lost.
-- Everything that depends on the lease is committed later.

-- One row holds an operation, its key and its due work. All times come from the database's clock. If there is a token,
-- `due_at` is the end of its lease. Only unfinished operations have one, so a million finished operations do not
-- slow down the search for work.
--
-- `bound` is true if the row holds its key. An operation that was created without RECORD has a key but does not hold it.
--
-- An operation that is `behind` waits for its turn in its lane. Until then, no claim finds it. It becomes so when a claim
-- meets it too early, so recording it costs nothing more. The one with the latest `lane_at` has the turn, or had the last one:
-- it is in front. All that wait behind it come later in the lane, but for those that are `late`, because they became visible or
-- pending only after others could begin. So no search passes those that have had their turn.
-- An operation that has ended has `lane_left`, its transaction, until a claim has let the next one of its lane have its turn.
-- The end itself neither reads nor locks the lane, so it works at any isolation level and waits for nobody.
--
-- An attempt that began under a limit is `limited`, so that others have no entry in the index that counts it.
--
-- If the resource of an operation is created before the reply, `not_before` is the end of the operation's delay until
-- the resource exists, and null from then on. So an operation that failed with a `not_before` never had work to do.
-- `start_by` is the time when an operation expires, unless it has a token or lost one. It is null once a processor has started,
-- and while the operation is preparing.
-- `on_end` is JSON with the id, definition, input, retentionMs and failedRetentionMs of the follow-up.
create table {{schema}}.operations (
  id uuid primary key,
  tenant text collate "C" not null,
  definition text collate "C" not null,
  principal text,
  key text collate "C",
  bound boolean not null default false,
  fingerprint text,
  state text not null,
  hidden boolean not null default false,
  urgency smallint not null default 3,
  lane text collate "C",
  behind boolean not null default false,
  lane_at timestamptz,
  lane_left xid8,
  late boolean not null default false,
  attempt integer not null default 0,
  token text,
  previous_lost boolean not null default false,
  cancel_requested boolean not null default false,
  limited boolean not null default false,
  due_at timestamptz,
  not_before timestamptz,
  created_at timestamptz not null,
  settled_at timestamptz,
  retention_ms bigint not null,
  failed_retention_ms bigint,
  start_within_ms bigint,
  start_by timestamptz,
  expires_at timestamptz,
  retry_of uuid,
  retried_by uuid,
  input text not null,
  meta text,
  on_end text,
  resource text,
  progress text,
  result text,
  error text,
  last_error text
-- Leaves room in each page for the next version of a row, so that progress updates no index.
) with (fillfactor = 90, autovacuum_vacuum_scale_factor = 0.02, autovacuum_analyze_scale_factor = 0.02);

create unique index operations_key on {{schema}}.operations (tenant, definition, key) where bound;
-- Three of the next indexes have a condition on the urgency that is always true, and only queries that state it can use the
-- index. So each query can use only the one index that answers it. Otherwise the planner may choose another one that seems as
-- cheap in statistics from a time without waiting work, and read and sort all waiting rows of a definition for each tenant.

-- Every unfinished operation is in one of the next two indexes, or waits for its lane, so waiting and running ones can be
-- counted separately.
create index operations_waiting on {{schema}}.operations (definition, due_at)
  where due_at is not null and token is null and not behind and urgency >= 0;
create index operations_leased on {{schema}}.operations (definition, due_at) where due_at is not null and token is not null;
-- For counts of the places of one tenant.
create index operations_places on {{schema}}.operations (definition, tenant, due_at)
  where due_at is not null and token is not null and limited;
-- For the turns of tenants, if more work is due than the slots of a worker.
create index operations_turns on {{schema}}.operations (definition, urgency, tenant, due_at)
  where due_at is not null and token is null and not behind and urgency <= 7;
-- For lanes: the order of each lane, those that are late, and the operation in front.
create index operations_lanes on {{schema}}.operations (definition, tenant, lane, created_at, id)
  where due_at is not null and lane is not null and state = 'pending' and urgency <> 8;
create index operations_late on {{schema}}.operations (definition, tenant, lane, created_at, id)
  where due_at is not null and lane is not null and state = 'pending' and late;
create index operations_lane_front on {{schema}}.operations (definition, tenant, lane, lane_at) where lane_at is not null;
create index operations_behind on {{schema}}.operations (definition, due_at) where due_at is not null and behind;
create index operations_lane_left on {{schema}}.operations (definition, lane_left) where lane_left is not null;
-- For those that did not start in time.
create index operations_start_by on {{schema}}.operations (start_by)
  where due_at is not null and start_by is not null and token is null and not previous_lost;
create index operations_expires on {{schema}}.operations (expires_at) where expires_at is not null;
-- For lists of failed operations. Each of the next three indexes has one more condition than the previous
-- one, and each query states only the conditions of its index. Otherwise the planner would prefer an index that is
-- closer to the order of the table, and filter.
create index operations_failed_of_tenant on {{schema}}.operations (tenant, created_at, id) where state = 'failed';
create index operations_failed_of_definition on {{schema}}.operations (definition, created_at, id)
  where state = 'failed' and settled_at is not null;
create index operations_failed on {{schema}}.operations (created_at, id)
  where state = 'failed' and settled_at is not null and due_at is null;
-- For counts of failed operations that do not run again.
create index operations_failed_open on {{schema}}.operations (definition, created_at)
  where state = 'failed' and retried_by is null;

-- Definitions of which no attempt begins.
create table {{schema}}.paused (
  definition text collate "C" primary key,
  since timestamptz not null,
  paused_by text
);

-- The shortest lease of any attempt that began under a limit, by definition. Few processes ever change it.
create table {{schema}}.shortest_leases (
  definition text collate "C" primary key,
  lease_ms float8 not null
);

-- Returns the time of the store's clock. Tests can replace this function.
create function {{schema}}.now_v1() returns timestamptz language sql stable parallel safe as 'select statement_timestamp()';

-- Makes the server end the transaction when its client is gone. The server notices after an idle time, unless such a
-- time is already set, and checks the connection during long statements if it supports that.
create function {{schema}}.end_if_abandoned_v1(idle_ms float8) returns void language plpgsql
as $function$
begin
  if current_setting('idle_in_transaction_session_timeout') = '0' then
    perform set_config('idle_in_transaction_session_timeout', idle_ms::bigint::text, true);
  end if;
  if current_setting('client_connection_check_interval', true) = '0' then
    begin
      perform set_config('client_connection_check_interval', '1000', true);
    exception when invalid_parameter_value then null;
    end;
  end if;
end
$function$;

-- Makes the commit wait for synchronous standbys, as after a write. A call that finds what an earlier one committed needs
-- this: if the wait of that commit was ended (SQLSTATE 57P01), or the server restarted, no standby may have it. Without
-- synchronous standbys, the transaction stays read-only, and its commit costs nothing.
create function {{schema}}.wait_for_standbys_v1() returns void language plpgsql
as $function$
begin
  if current_setting('synchronous_standby_names') <> '' then
    -- Writes to the log only. A row lock would write too, but it would wait for `job.transaction`.
    perform pg_logical_emit_message(true, 'async-request-reply', ''::text);
  end if;
end
$function$;
