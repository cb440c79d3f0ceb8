import { readBatchLimits } from "../../batching/batches.js";
import {
  checkOptions,
  durationMs,
  invalidOption,
  isObject,
  type OptionNames,
} from "../../contract/options.js";
import type { Clock, Runtime } from "../../ports/runtime.js";
import { createSystemRuntime } from "../../ports/system-runtime.js";
import type { LaneLimits } from "./connection/lanes.js";
import type { SqliteDatabase } from "./connection/sqlite-database.js";
import type { Synchronous } from "./schema/open.js";

/**
 * Options of {@link createSqliteBackend}. Only `database` is required. Durations and limits are integers greater than 0.
 */
export interface SqliteBackendOptions<Database extends SqliteDatabase = SqliteDatabase> {
  /**
   * Open database of `better-sqlite3`, `libsql`, `node:sqlite`, `bun:sqlite` or another synchronous client. The package
   * never closes it. Never keep a transaction open on it while you await something: no call can write until it ends.
   */
  readonly database: Database;
  /**
   * `full` waits for the disk at each commit, so that a power failure loses nothing. `normal` is faster, and a power
   * failure loses everything since the last checkpoint. Neither loses anything if only the process dies.
   * Default: `full`.
   */
  readonly synchronous?: Synchronous;
  /**
   * Interval at which an idle worker looks for due work without a wake-up. Milliseconds. Default: 1 s.
   */
  readonly pollIntervalMs?: number;
  /**
   * How long a call waits while another process holds the lock of the database. Then it throws `STORE_UNAVAILABLE`.
   * The event loop is never blocked. Milliseconds. Default: 5 s.
   */
  readonly lockTimeoutMs?: number;
  /** Maximum number of concurrent calls that share a transaction. Default: 128. */
  readonly maxBatch?: number;
  /**
   * Maximum number of waiting submissions, and of other waiting calls. Further calls throw `OVERLOADED`.
   * Default: 10,000.
   */
  readonly maxWaiting?: number;
  /**
   * Maximum size of the data in waiting submissions, and in other waiting calls. Further calls throw `OVERLOADED`.
   * Bytes. Default: 64 MiB.
   */
  readonly maxWaitingBytes?: number;
  /**
   * Clock, randomness and hashes, for tests. Processes that share a file must use the same hash. A clock also replaces the
   * clock of SQLite, which decides about leases and expiry. Default for each member: the platform's.
   */
  readonly runtime?: Partial<Runtime>;
}

const OPTIONS: OptionNames<SqliteBackendOptions> = {
  database: true,
  synchronous: true,
  pollIntervalMs: true,
  lockTimeoutMs: true,
  maxBatch: true,
  maxWaiting: true,
  maxWaitingBytes: true,
  runtime: true,
};

/** {@link SqliteBackendOptions} with their defaults. */
export interface SqliteSettings {
  readonly database: SqliteDatabase;
  readonly synchronous: Synchronous;
  readonly pollMs: number;
  readonly lockTimeoutMs: number;
  readonly limits: LaneLimits;
  readonly runtime: Runtime;
  /** Clock of the caller, which replaces the clock of SQLite. */
  readonly ownClock: Clock | undefined;
}

/**
 * Checks all options and fills in the defaults.
 *
 * Throws `INVALID_OPTION`, naming the option.
 */
export function readSqliteSettings(options: SqliteBackendOptions): SqliteSettings {
  checkOptions(options, OPTIONS, "createSqliteBackend");
  const { database, synchronous = "full" } = options;
  checkDatabase(database);
  if (synchronous !== "full" && synchronous !== "normal")
    throw invalidOption("synchronous", "`full` or `normal`", synchronous);
  return {
    database,
    synchronous,
    pollMs: durationMs("pollIntervalMs", options.pollIntervalMs, 1_000),
    lockTimeoutMs: durationMs("lockTimeoutMs", options.lockTimeoutMs, 5_000),
    limits: readBatchLimits(options),
    runtime: { ...createSystemRuntime(), ...options.runtime },
    ownClock: options.runtime?.clock,
  };
}

function checkDatabase(database: unknown): void {
  const { exec, prepare } = isObject(database) ? (database as Partial<SqliteDatabase>) : {};
  if (typeof exec === "function" && typeof prepare === "function") return;
  const expected = 'an open database, such as `new Database("orders.db")` of `better-sqlite3` or `libsql`';
  throw invalidOption("database", expected, database);
}
