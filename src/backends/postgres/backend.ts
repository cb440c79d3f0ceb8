import { type AwaitUsing, awaitUsing } from "../../contract/await-using.js";
import type { ActionsStore } from "../../ports/actions-store.js";
import type { Backend } from "../../ports/backend.js";
import type { MinutesStore } from "../../ports/minutes-store.js";
import type { OutputStore } from "../../ports/output-store.js";
import { createPostgresActions } from "./actions.js";
import { createAttemptCalls } from "./attempts.js";
import { createGateway } from "./calls/gateway.js";
import { createCheck, createExplain } from "./check/create-check.js";
import type { RunStatement, SqlDatabase } from "./connection/sql-database.js";
import { toDatabase, toShared } from "./connection/to-database.js";
import { createLiveEntries } from "./live-entries.js";
import { createPostgresMinutes } from "./minutes.js";
import { type Changes, createChanges, createChannels } from "./notices/channels.js";
import { createNotifications } from "./notices/notifications.js";
import { createPostgresOperationStore } from "./operation-store.js";
import { createPostgresOutput } from "./output.js";
import { migrate, migrateIn, once, refuseUnpublished } from "./schema/migrate.js";
import { quoteSchema } from "./schema/migrations.js";
import { type PostgresBackendOptions, readPostgresSettings } from "./settings.js";
import { createPostgresSubmissions } from "./submissions.js";
import { createTransactions } from "./transactions.js";

/** Back end that stores everything in Postgres. */
export interface PostgresBackend<Tx> extends Backend<Tx>, AwaitUsing {
  /** Keeps output and checkpoints in the same database. */
  readonly output: OutputStore;
  /** Keeps what processes count by minute in the same database. */
  readonly minutes: MinutesStore;
  /** Keeps what operators did in the same database. */
  readonly actions: ActionsStore;
  /**
   * Creates or upgrades the schema to the version of this release. Safe to call again, and from several processes at
   * once: they wait for each other.
   *
   * Calls wait behind a migration that waits for a lock, so it waits for 50 ms, and then up to 1.6 s, with pauses in which they
   * pass.
   *
   * Throws `STORE_UNAVAILABLE` if the database cannot be reached or rejects the migration, or if other transactions use the
   * tables for 2 minutes. Then nothing has changed.
   */
  migrate(): Promise<void>;
}

/** Time limits after which the listening connection is checked. Until it is open again, claims find the work. */
const CHECK_TIMEOUTS = 3;
/** Interval at which an idle process looks for late commits of which it was not notified. Milliseconds. */
const IDLE_MS = 300_000;
/** Pauses between notifications of changes, and of output, which readers see at once. Milliseconds. */
const CHANGES_PAUSE_MS = 50;
const OUTPUT_PAUSE_MS = 10;
/** Building an index on a large table takes long. Calls that wait for the migration give up earlier. */
const MIGRATION_TIMEOUT_MS = 300_000;

/**
 * Creates a back end that keeps operations, keys and due work in one table of a Postgres database. Accepting an
 * operation takes one round trip and one commit, which concurrent submissions share. Needs PostgreSQL 13 or later.
 *
 * Does not connect yet: to verify the connection, the schema and the grants, call `check()`.
 *
 * Throws `INVALID_OPTION`, naming the option.
 */
export function createPostgresBackend<Connection, Tx = Connection>(
  options: PostgresBackendOptions<Tx, Connection>,
): PostgresBackend<Tx> {
  const settings = readPostgresSettings(options);
  const { schema, listen, pollMs, timeoutMs, idleTimeoutMs, limits, runtime } = settings;
  const quoted = quoteSchema(schema);
  const { clock } = runtime;
  const limit = { timeoutMs, clock };
  const database: SqlDatabase<unknown> = toDatabase(options.pool, limit);
  const shared = toShared(options.transactions, options.pool, database, limit);
  const migrationDatabase = toDatabase(options.pool, { timeoutMs: MIGRATION_TIMEOUT_MS, clock });
  const explain = createExplain(options.pool, schema);
  const migrateSchema = (): Promise<void> => migrate(migrationDatabase, schema, idleTimeoutMs, explain);
  const isManual = settings.migrate === "manual";
  const ready = once(isManual ? () => refuseUnpublished(database.query, schema) : migrateSchema);
  const readyIn = async (query: RunStatement): Promise<boolean> => {
    if (!isManual) return migrateIn(query, schema);
    await refuseUnpublished(query, schema);
    return true;
  };
  const gateway = createGateway({
    database,
    shared,
    schema: quoted,
    ready,
    readyIn,
    timeoutMs,
    runtime,
    explain,
  });
  const channelDatabase = listen ? database : { query: database.query };
  const channels = createChannels({ database: channelDatabase, checkMs: CHECK_TIMEOUTS * timeoutMs, clock });
  const channel = `arr_${schema}`;
  const liveEntries = createLiveEntries({
    gateway,
    pollMs,
    idleMs: listen ? Math.max(pollMs, IDLE_MS) : pollMs,
    clock,
  });
  const notifications = createNotifications({
    channels,
    channel,
    pollMs: listen ? undefined : pollMs,
    onLate: liveEntries.lower,
    runtime,
  });
  const changesOn = (name: string, pauseMs: number): Changes =>
    createChanges({ channels, channel: `${name}_${channel}`, pauseMs, clock });
  const changes = changesOn("changed", CHANGES_PAUSE_MS);
  const cancellations = changesOn("cancel", CHANGES_PAUSE_MS);
  const appended = changesOn("output", OUTPUT_PAUSE_MS);
  const attempts = createAttemptCalls({ gateway, limits, notifications, liveEntries, changes });
  const operations = createPostgresOperationStore(gateway, attempts, { changes, cancellations });
  const transactions = createTransactions({
    gateway,
    changes,
    appended,
    channel: listen ? channel : undefined,
    idleTimeoutMs,
  });
  return {
    operations,
    queue: notifications.queue,
    submissions: createPostgresSubmissions(gateway, limits, transactions, runtime),
    output: createPostgresOutput(gateway, limits, appended),
    minutes: createPostgresMinutes(gateway),
    actions: createPostgresActions(gateway),
    migrate: migrateSchema,
    check: createCheck({
      database,
      pool: options.pool,
      schema,
      listen,
      ready,
      verify: gateway.verify,
      timeoutMs,
      clock,
    }),
    close: async () => {
      await notifications.queue.close();
      await Promise.all([changes.close(), cancellations.close(), appended.close()]);
      await channels.close();
    },
    ...awaitUsing(),
  };
}
