import { BATCH_OPTIONS, type BatchSettings, MAX_BATCH_BYTES } from "../../batching/batches.js";
import { duration, either, flag, integer, unchecked } from "../../contract/option-values.js";
import { type OptionTable, readOptions } from "../../contract/options.js";
import { createSystemRuntime } from "../../platform/system-runtime.js";
import type { Runtime } from "../../ports/runtime.js";
import type { SqlClient, SqlDatabase, SqlPool } from "./connection/sql-database.js";
import type { SqlTransactions } from "./connection/sql-transactions.js";

/**
 * Options of {@link createPostgresBackend}. Only `pool` is required. Durations and limits are integers greater than 0.
 */
export interface PostgresBackendOptions<Tx, Connection = Tx> {
  /**
   * `Pool` of `pg`, the result of `fromPGlite(database)`, or your own {@link SqlDatabase}. `close()` does not end it:
   * end it yourself afterwards. With `listen`, its `max` must be at least 2.
   */
  readonly pool: SqlPool<Connection & SqlClient> | SqlDatabase<Connection>;
  /**
   * Transactions of an ORM or another library on the same database, such as `fromDrizzle(db)`. Its transaction is then the
   * `tx` of `service.submit`, `create` and `job.transaction`. Everything else uses `pool`. Default: those of `pool`.
   */
  readonly transactions?: SqlTransactions<Tx>;
  /**
   * Name of the schema for the tables and functions: 1 to 48 characters from a-z, 0-9 and _, not starting with a
   * digit. Default: `async_request_reply`.
   */
  readonly schema?: string;
  /**
   * `auto` creates or upgrades the schema before the first use. `manual` leaves this to you: call `migrate()`, or
   * apply the SQL printed by `npx async-request-reply sql`. Use `manual` if the role of the service has no
   * permission to change the schema. Default: `auto`.
   */
  readonly migrate?: "auto" | "manual";
  /**
   * Whether to listen for notifications from other processes. This keeps one connection of the pool in use. Pass
   * `false` behind a pooler in transaction mode; work that other processes accept is then found by polling. Default:
   * true.
   */
  readonly listen?: boolean;
  /** Interval at which an idle worker looks for due work without a notification. Milliseconds. Default: 1 s. */
  readonly pollIntervalMs?: number;
  /**
   * Time limit of a call to the database, including the wait for a connection. When it expires, the call throws
   * `STORE_UNAVAILABLE`, which clients see as a 503, and a connection that did not answer is closed. The limit can be
   * exceeded by an eighth. Milliseconds. Default: 10 s.
   */
  readonly statementTimeoutMs?: number;
  /**
   * How long a transaction of `job.transaction`, `create` or a migration can go without a statement before the server
   * ends it. This releases the locks of a process whose machine is gone. If the role or the database already sets
   * `idle_in_transaction_session_timeout`, that value is used. Milliseconds. Default: 60 s.
   */
  readonly idleTransactionTimeoutMs?: number;
  /** Maximum number of concurrent calls that share a statement. Default: 128. */
  readonly maxBatch?: number;
  /** Maximum number of statements of one kind that run at once. Default: 2. */
  readonly maxInFlight?: number;
  /** Maximum number of waiting calls of one kind. Further calls throw `OVERLOADED`. Default: 10,000. */
  readonly maxWaiting?: number;
  /**
   * Maximum size of the data in waiting calls of one kind. Further calls throw `OVERLOADED`. Bytes. Default: 64 MiB.
   */
  readonly maxWaitingBytes?: number;
  /**
   * Timers, ids and randomness, for tests. Default for each member: the platform's. Times in the database come from
   * the server's clock.
   */
  readonly runtime?: Partial<Runtime>;
}

/** {@link PostgresBackendOptions} with their defaults, without the pool. */
export interface PostgresSettings {
  readonly schema: string;
  readonly migrate: "auto" | "manual";
  readonly listen: boolean;
  readonly pollMs: number;
  readonly timeoutMs: number;
  readonly idleTimeoutMs: number;
  readonly limits: BatchSettings;
  readonly runtime: Runtime;
}

type ReadOptions = Required<Omit<PostgresBackendOptions<unknown>, "pool" | "transactions" | "runtime">> & {
  readonly pool: unknown;
  readonly transactions: unknown;
  readonly runtime: Partial<Runtime> | undefined;
};

/** How the options are read. The pool and the name of the schema are checked where they are used. */
const OPTIONS: OptionTable<ReadOptions> = {
  pool: unchecked(),
  transactions: unchecked(),
  schema: (value = "async_request_reply") => value as string,
  migrate: either("auto", "manual"),
  listen: flag(true),
  pollIntervalMs: duration(1_000),
  statementTimeoutMs: duration(10_000),
  idleTransactionTimeoutMs: duration(60_000),
  ...BATCH_OPTIONS,
  maxInFlight: integer(2),
  runtime: unchecked(),
};

/**
 * Checks all options except `pool` and the name of the schema, and fills in the defaults.
 *
 * Throws `INVALID_OPTION`, naming the option.
 */
export function readPostgresSettings(options: object): PostgresSettings {
  const read = readOptions(options, OPTIONS, "createPostgresBackend");
  const { schema, migrate, listen, maxBatch, maxInFlight, maxWaiting, maxWaitingBytes } = read;
  return {
    schema,
    migrate,
    listen,
    timeoutMs: read.statementTimeoutMs,
    pollMs: read.pollIntervalMs,
    idleTimeoutMs: read.idleTransactionTimeoutMs,
    limits: { maxBatch, maxWaiting, maxWaitingBytes, maxBytes: MAX_BATCH_BYTES, inFlight: maxInFlight },
    runtime: { ...createSystemRuntime(), ...read.runtime },
  };
}
