import { BATCH_OPTIONS, MAX_BATCH_BYTES } from "../../batching/batches.js";
import { duration, either, instance, unchecked } from "../../contract/option-values.js";
import { type OptionTable, readOptions } from "../../contract/options.js";
import { createSystemRuntime } from "../../platform/system-runtime.js";
import type { Clock, Runtime } from "../../ports/runtime.js";
import type { SqliteDatabase } from "./connection/sqlite-database.js";
import type { WaitingSettings } from "./connection/waiting-calls.js";
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

/** {@link SqliteBackendOptions} with their defaults. */
export interface SqliteSettings {
  readonly database: SqliteDatabase;
  readonly synchronous: Synchronous;
  readonly pollMs: number;
  readonly lockTimeoutMs: number;
  readonly limits: WaitingSettings;
  readonly runtime: Runtime;
  /** Clock of the caller, which replaces the clock of SQLite. */
  readonly ownClock: Clock | undefined;
}

/** How the options are read. */
const OPTIONS: OptionTable<
  Required<Omit<SqliteBackendOptions, "runtime">> & { readonly runtime: Partial<Runtime> | undefined }
> = {
  database: instance(
    'an open database, such as `new Database("orders.db")` of `better-sqlite3` or `libsql`',
    "exec",
    "prepare",
  ),
  synchronous: either("full", "normal"),
  pollIntervalMs: duration(1_000),
  lockTimeoutMs: duration(5_000),
  ...BATCH_OPTIONS,
  runtime: unchecked(),
};

/**
 * Checks all options and fills in the defaults.
 *
 * Throws `INVALID_OPTION`, naming the option.
 */
export function readSqliteSettings(options: SqliteBackendOptions): SqliteSettings {
  const read = readOptions(options, OPTIONS, "createSqliteBackend");
  const { database, synchronous, pollIntervalMs, lockTimeoutMs, runtime, ...limits } = read;
  return {
    database,
    synchronous,
    pollMs: pollIntervalMs,
    lockTimeoutMs,
    limits: { ...limits, maxBytes: MAX_BATCH_BYTES },
    runtime: { ...createSystemRuntime(), ...runtime },
    ownClock: runtime?.clock,
  };
}
