import type { BatchLimits } from "../../batching/batches.js";
import {
  checkOptions,
  durationMs,
  invalidOption,
  kindOf,
  misuse,
  type OptionNames,
  positiveInteger,
} from "../../contract/options.js";
import type { Backend, Submissions } from "../../ports/backend.js";
import { createGateway } from "./calls/gateway.js";
import { fromPool } from "./connection/from-pool.js";
import type { RunStatement, SqlClient, SqlDatabase, SqlPool } from "./connection/sql-database.js";
import { createPostgresIdempotencyStore } from "./idempotency-store.js";
import { createChanges } from "./notices/changes.js";
import { createChannels } from "./notices/channels.js";
import { createNotifications } from "./notices/notifications.js";
import { createPostgresOperationStore } from "./operation-store.js";
import { createPostgresQueue } from "./queue.js";
import { migrate, migrateIn, once } from "./schema/migrate.js";
import { quoteSchema } from "./schema/schema-name.js";
import { createPostgresSubmissions } from "./submissions.js";
import { createTransactions } from "./transactions.js";

/** Where {@link createPostgresBackend} keeps its operations, and its limits. */
export interface PostgresBackendOptions<Tx> {
  /** A `Pool` of `pg`, or what `fromPGlite` makes of PGlite. It stays the caller's: `close` does not end it. */
  readonly pool: SqlPool<Tx & SqlClient> | SqlDatabase<Tx>;
  /** The schema with the tables: 1 to 48 characters out of a-z, 0-9 and _. Default `async_request_reply`. */
  readonly schema?: string;
  /**
   * `auto` migrates before the first use, `manual` leaves it to `migrate()` or to the printed SQL, for services that may
   * not change schemas. Default `auto`.
   */
  readonly migrate?: "auto" | "manual";
  /**
   * Whether workers listen for notifications, on one connection that they keep out of the pool, which must have more than
   * that one. Off where a pooler between gives every transaction another connection; then they poll only. Default `true`.
   */
  readonly listen?: boolean;
  /** How often a waiting worker looks by itself, in milliseconds. Default 1,000. */
  readonly pollIntervalMs?: number;
  /**
   * How long a call waits for its answer, and for a connection, in milliseconds: then it fails with 503, and the connection
   * that did not answer is ended. Default 10,000.
   */
  readonly statementTimeoutMs?: number;
  /**
   * How long a transaction of `job.transaction`, `create` or a migration may go without a statement. Then the server ends it, so that a
   * worker whose machine is gone does not keep what it has locked. If the role or the database already sets
   * `idle_in_transaction_session_timeout`, that value is used. Milliseconds. Default: 60 s.
   */
  readonly idleTransactionTimeoutMs?: number;
  /** How many calls share a statement at most. Default 128. */
  readonly maxBatch?: number;
  /** How many statements of one kind are under way at most. Default 2. */
  readonly maxInFlight?: number;
  /** How many calls of one kind wait at most; one more is refused with 503. Default 10,000. */
  readonly maxWaiting?: number;
  /** How much of what is to be stored waits with calls of one kind, in bytes; more is refused likewise. Default 64 MiB. */
  readonly maxWaitingBytes?: number;
}

/** A back end on Postgres. */
export interface PostgresBackend<Tx> extends Backend<Tx> {
  /** Records, purges and shares transactions in one commit. */
  readonly submissions: Submissions<Tx>;
  /** Brings the schema up to this release. May be called by any number of processes at once, and again. */
  migrate(): Promise<void>;
}

const OPTIONS: OptionNames<PostgresBackendOptions<unknown>> = {
  pool: true,
  schema: true,
  migrate: true,
  listen: true,
  pollIntervalMs: true,
  statementTimeoutMs: true,
  idleTransactionTimeoutMs: true,
  maxBatch: true,
  maxInFlight: true,
  maxWaiting: true,
  maxWaitingBytes: true,
};

/** The id of no operation. */
const NIL = "00000000-0000-0000-0000-000000000000";
/** Full batches of large inputs would hold up small ones. */
const MAX_BATCH_BYTES = 1_048_576;
/** An index of a large table takes its time. Calls that wait for it give up earlier. */
const MIGRATION_TIMEOUT_MS = 300_000;

/**
 * Keeps operations, keys and due work in one table of a Postgres database, version 13 or later. An operation is accepted
 * in one round trip and one commit, which concurrent submissions share.
 *
 * @throws AsyncReplyError `INVALID_OPTION`
 */
export function createPostgresBackend<Tx>(options: PostgresBackendOptions<Tx>): PostgresBackend<Tx> {
  checkOptions(options, OPTIONS, "createPostgresBackend");
  const { schema = "async_request_reply", migrate: mode = "auto", listen = true } = options;
  const quoted = quoteSchema(schema);
  const timeoutMs = durationMs("statementTimeoutMs", options.statementTimeoutMs, 10_000);
  const database = toDatabase(options.pool, timeoutMs);
  if (mode !== "auto" && mode !== "manual") throw invalidOption("migrate", "`auto` or `manual`", mode);
  if (typeof listen !== "boolean") throw invalidOption("listen", "true or false", listen);
  const pollMs = durationMs("pollIntervalMs", options.pollIntervalMs, 1_000);
  const idleTimeoutMs = durationMs("idleTransactionTimeoutMs", options.idleTransactionTimeoutMs, 60_000);
  const limits: BatchLimits = {
    maxBatch: positiveInteger("maxBatch", options.maxBatch, 128),
    inFlight: positiveInteger("maxInFlight", options.maxInFlight, 2),
    maxWaiting: positiveInteger("maxWaiting", options.maxWaiting, 10_000),
    maxWaitingBytes: positiveInteger("maxWaitingBytes", options.maxWaitingBytes, 67_108_864),
    maxBytes: MAX_BATCH_BYTES,
  };
  const patient = toDatabase(options.pool, MIGRATION_TIMEOUT_MS);
  const migrateSchema = (): Promise<void> => migrate(patient, schema, idleTimeoutMs);
  const ready = mode === "auto" ? once(migrateSchema) : async () => {};

  const readyIn = async (query: RunStatement): Promise<boolean> =>
    mode === "manual" || migrateIn(query, schema);
  const gateway = createGateway({ database, schema: quoted, ready, readyIn, timeoutMs });
  const heard = listen ? database : { query: database.query };
  const channels = createChannels({ database: heard, checkMs: timeoutMs });
  const channel = `arr_${schema}`;
  const notifications = createNotifications({ channels, channel, pollMs });
  const changes = createChanges(channels, `ended_${channel}`);
  const operations = createPostgresOperationStore(gateway, limits, changes);
  const idempotency = createPostgresIdempotencyStore(gateway);
  const queue = createPostgresQueue(gateway, notifications);
  const transactions = createTransactions({
    gateway,
    changes,
    channel: listen ? channel : undefined,
    idleTimeoutMs,
  });
  return {
    operations,
    idempotency,
    queue,
    submissions: createPostgresSubmissions(gateway, limits, { operations, idempotency }, transactions),
    migrate: migrateSchema,
    check: async () => {
      await operations.get(NIL, "check");
    },
    close: async () => {
      await channels.close();
      await queue.close();
    },
  };
}

function toDatabase<Tx>(pool: SqlPool<Tx & SqlClient> | SqlDatabase<Tx>, timeoutMs: number): SqlDatabase<Tx> {
  if (typeof pool === "object" && pool !== null) {
    if ("transaction" in pool) return pool;
    if (typeof pool.connect === "function") return fromPool(pool, timeoutMs);
  }
  // Not quoted: a connection string holds a password.
  throw misuse(
    "Option `pool` must be a `Pool` of `pg`, such as `new Pool({ connectionString })`, or what `fromPGlite(database)` " +
      `returns, not ${kindOf(pool)}.`,
  );
}
