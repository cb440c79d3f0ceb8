import { type AwaitUsing, awaitUsing } from "../../contract/await-using.js";
import { createActionsStore } from "../../engine/actions.js";
import { createMinutesStore } from "../../engine/minutes.js";
import { createOperationStore } from "../../engine/operation-store.js";
import type { ActionsStore } from "../../ports/actions-store.js";
import type { Backend, Submissions } from "../../ports/backend.js";
import type { MinutesStore } from "../../ports/minutes-store.js";
import type { OutputStore } from "../../ports/output-store.js";
import type { Sync } from "../../ports/synchronous.js";
import { createListeners, createLocalQueue } from "../shared/local-notices.js";
import { createCheck } from "./check/create-check.js";
import { createFileGuard } from "./check/file-guard.js";
import { createChanged, createConnection } from "./connection/connection.js";
import type { SqliteDatabase } from "./connection/sqlite-database.js";
import { createStatements } from "./connection/statements.js";
import { createStoreClock } from "./connection/store-clock.js";
import { createChangeLog } from "./notices/change-log.js";
import { createChangeWatchers } from "./notices/change-watchers.js";
import { createChanges } from "./notices/changes.js";
import { createSqliteOutput } from "./output.js";
import { createActionsTable } from "./records/actions.js";
import { createMinutesTable } from "./records/minutes.js";
import { createOutputTable } from "./records/outputs.js";
import { createRecordIn } from "./records/record-in.js";
import { createTable } from "./records/table.js";
import { createDiskWait, openDatabase } from "./schema/open.js";
import { readSqliteSettings, type SqliteBackendOptions } from "./settings.js";
import { createSqliteSubmissions } from "./submissions.js";
import { createTransactions } from "./transactions.js";

/** Back end that stores everything in an SQLite database. Its transactions are synchronous. */
export interface SqliteBackend<Database extends SqliteDatabase = SqliteDatabase>
  extends Backend<Sync<Database>>,
    AwaitUsing {
  /** Records and purges operations together with their keys. Shares its transactions with your writes. */
  readonly submissions: Submissions<Sync<Database>>;
  /** Keeps output and checkpoints in the same database. */
  readonly output: OutputStore;
  /** Keeps what processes count by minute in the same database. */
  readonly minutes: MinutesStore;
  /** Keeps what operators did in the same database. */
  readonly actions: ActionsStore;
}

/**
 * Creates a back end that keeps operations, keys and due work in an SQLite database. Several processes on one machine
 * can share the file. Concurrent calls of a process share a commit.
 *
 * Does not use the database yet: to verify the file, call `check()`. The tables are created on first use.
 *
 * Throws `INVALID_OPTION`, naming the option.
 */
export function createSqliteBackend<Database extends SqliteDatabase>(
  options: SqliteBackendOptions<Database>,
): SqliteBackend<Database> {
  const { database, synchronous, pollMs, lockTimeoutMs, limits, runtime, ownClock } =
    readSqliteSettings(options);
  const { clock, hash } = runtime;
  const statements = createStatements(database);
  const { now, restart } = createStoreClock(statements, ownClock);
  const guard = createFileGuard(clock);
  const open = (): void => openDatabase({ statements, synchronous, now, guard });
  const diskWait = createDiskWait(statements, synchronous);
  const watchers = createChangeWatchers();
  const changed = createChanged();
  const connection = createConnection({
    statements,
    limits,
    lockTimeoutMs,
    runtime,
    open,
    onUse: restart,
    onBegin: (waits) => {
      guard.verify();
      diskWait.begin(waits);
    },
    onEnd: diskWait.end,
    changed,
    onCommitting: createChangeLog(statements, changed),
    onCommit: () => watchers.tell(changed),
  });
  const table = createTable(statements, now, changed);
  const outputs = createOutputTable(statements, now, changed);
  const changes = createChanges({
    statements,
    connection,
    watchers,
    clock,
    pollMs,
    onWrite: () => listeners.ring(),
  });
  const listeners = createListeners({ pollMs, clock, onWant: changes.start });
  const recordIn = createRecordIn({
    database,
    statements,
    now,
    onUse: () => {
      restart();
      guard.verify();
    },
    // The user's transaction is synchronous, so it has ended in the next turn.
    onRecorded: (definition) => void runtime.pause().then(() => listeners.ring(new Set([definition]))),
  });
  const transactions = createTransactions({
    database,
    connection,
    statements,
    table,
    outputs,
    recordIn,
    hash,
  });
  return {
    operations: {
      ...createOperationStore(connection, table, runtime.newToken, outputs),
      watch: changes.watch,
      watchCancellations: changes.watchCancellations,
    },
    queue: createLocalQueue(listeners),
    output: createSqliteOutput({ connection, statements, outputs, changes }),
    minutes: createMinutesStore(connection, createMinutesTable(statements, now)),
    actions: createActionsStore(connection, createActionsTable(statements, now)),
    submissions: createSqliteSubmissions({
      connection,
      statements,
      table,
      synchronous: transactions,
      hash,
    }),
    check: createCheck({ connection, statements, open, guard }),
    close: async () => changes.stop(),
    ...awaitUsing(),
  };
}
