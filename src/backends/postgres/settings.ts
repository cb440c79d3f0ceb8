import type { BatchLimits } from "../../batching/batches.js";
import {
  checkOptions,
  durationMs,
  invalidOption,
  type OptionNames,
  positiveInteger,
} from "../../contract/options.js";
import type { Runtime } from "../../ports/runtime.js";
import { createSystemRuntime } from "../../ports/system-runtime.js";
import type { SqlClient, SqlDatabase, SqlPool } from "./connection/sql-database.js";

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
   * that did not answer is ended. It can take an eighth longer. Default 10,000.
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
  /** Timers, ids and randomness, for tests. What is left out is the platform's. The database has a clock of its own. */
  readonly runtime?: Partial<Runtime>;
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
  runtime: true,
};

/** Full batches of large inputs would hold up small ones. */
const MAX_BATCH_BYTES = 1_048_576;

/** {@link PostgresBackendOptions} with their defaults, without the pool. */
export interface PostgresSettings {
  readonly schema: string;
  readonly migrate: "auto" | "manual";
  readonly listen: boolean;
  readonly pollMs: number;
  readonly timeoutMs: number;
  readonly idleTimeoutMs: number;
  readonly limits: BatchLimits;
  readonly runtime: Runtime;
}

/**
 * Checks the options of a back end on Postgres, apart from the pool and the name of the schema, and fills in the defaults.
 *
 * @throws AsyncReplyError `INVALID_OPTION`, naming the option
 */
export function readPostgresSettings(
  options: Omit<PostgresBackendOptions<unknown>, "pool">,
): PostgresSettings {
  checkOptions(options, OPTIONS, "createPostgresBackend");
  const { schema = "async_request_reply", migrate = "auto", listen = true } = options;
  if (migrate !== "auto" && migrate !== "manual")
    throw invalidOption("migrate", "`auto` or `manual`", migrate);
  if (typeof listen !== "boolean") throw invalidOption("listen", "true or false", listen);
  return {
    schema,
    migrate,
    listen,
    timeoutMs: durationMs("statementTimeoutMs", options.statementTimeoutMs, 10_000),
    pollMs: durationMs("pollIntervalMs", options.pollIntervalMs, 1_000),
    idleTimeoutMs: durationMs("idleTransactionTimeoutMs", options.idleTransactionTimeoutMs, 60_000),
    limits: {
      maxBatch: positiveInteger("maxBatch", options.maxBatch, 128),
      inFlight: positiveInteger("maxInFlight", options.maxInFlight, 2),
      maxWaiting: positiveInteger("maxWaiting", options.maxWaiting, 10_000),
      maxWaitingBytes: positiveInteger("maxWaitingBytes", options.maxWaitingBytes, 67_108_864),
      maxBytes: MAX_BATCH_BYTES,
    },
    runtime: { ...createSystemRuntime(), ...options.runtime },
  };
}
