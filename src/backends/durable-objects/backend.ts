import { instance, unchecked } from "../../contract/option-values.js";
import { type OptionTable, readOptions } from "../../contract/options.js";
import { createOperationStore } from "../../engine/operation-store.js";
import { createOutputStore } from "../../engine/output-store.js";
import { createSystemRuntime } from "../../platform/system-runtime.js";
import type { Backend, Submissions } from "../../ports/backend.js";
import type { OutputStore } from "../../ports/output-store.js";
import type { Runtime } from "../../ports/runtime.js";
import type { Sync } from "../../ports/synchronous.js";
import { createListeners, createLocalQueue } from "../shared/local-notices.js";
import { createChanged } from "../sqlite/connection/connection.js";
import { createChangeWatchers } from "../sqlite/notices/change-watchers.js";
import { createOutputCleaning } from "../sqlite/output.js";
import { createOutputTable } from "../sqlite/records/outputs.js";
import { addVersions, isCurrent } from "../sqlite/schema/versions.js";
import { createSqliteSubmissions } from "../sqlite/submissions.js";
import { createTransactions } from "../sqlite/transactions.js";
import { createObjectConnection } from "./connection.js";
import { type Contents, createContents } from "./contents.js";
import { recordInTurn } from "./record-in-turn.js";
import { OBJECT_VERSIONS } from "./schema/versions.js";
import { createObjectStatements } from "./statements.js";
import type { ObjectSql, ObjectStorage } from "./storage.js";
import { createObjectTable } from "./table.js";

/** Options of {@link createDurableObjectBackend}. */
export interface DurableObjectBackendOptions {
  /** `ctx.storage` of the object. Its class must be one with SQLite: list it in `new_sqlite_classes` of a migration. */
  readonly storage: ObjectStorage;
  /** Clock, randomness and hashes, for tests. Default for each member: the platform's. */
  readonly runtime?: Partial<Runtime>;
}

/** Back end that stores everything in the database of one Durable Object. Its transactions are synchronous. */
export interface DurableObjectBackend extends Backend<Sync<ObjectSql>> {
  /** Records and purges operations together with their keys. Shares its transactions with your writes. */
  readonly submissions: Submissions<Sync<ObjectSql>>;
  /** Keeps output and checkpoints in the same database. */
  readonly output: OutputStore;
}

const EXPECTED =
  "that of a Durable Object with SQLite: `ctx.storage`, if a migration lists the class in `new_sqlite_classes`";

/** How the options are read. */
const OPTIONS: OptionTable<{
  readonly storage: ObjectStorage;
  readonly runtime: Partial<Runtime> | undefined;
}> = {
  storage: (value, name) => {
    const storage = instance<ObjectStorage>(EXPECTED, "transactionSync")(value, name);
    instance<ObjectSql>(EXPECTED, "exec")(storage.sql, `${name}.sql`);
    return storage;
  },
  runtime: unchecked(),
};

/**
 * Creates a back end that keeps operations, keys and due work in a Durable Object. The tables are created on first use.
 *
 * Throws `INVALID_OPTION`, naming the option.
 */
export function createDurableObjectBackend(options: DurableObjectBackendOptions): DurableObjectBackend {
  return openStorage(readOptions(options, OPTIONS, "createDurableObjectBackend")).backend;
}

/** Options of {@link openStorage}. */
interface OpenOptions {
  readonly storage: ObjectStorage;
  readonly runtime?: Partial<Runtime> | undefined;
  /**
   * Called after each transaction, before anything else can happen, with the next time at which something happens to what it
   * wrote. Epoch milliseconds, or infinity. Default: none.
   */
  readonly onCommit?: ((dueAt: number) => void) | undefined;
  /** The same after a record in a transaction of the user, which can still be rolled back. Default: none. */
  readonly onRecord?: ((dueAt: number) => void) | undefined;
  /** Called after operations were deleted. Default: none. */
  readonly onPurge?: (() => void) | undefined;
  /** Called before each use of the database, which it refuses if it throws. Default: none. */
  readonly onUse?: (() => void) | undefined;
}

/** The database of an object. */
export interface OpenedStorage {
  readonly backend: DurableObjectBackend;
  readonly contents: Contents;
  /** Creates the tables again at the next use. Call it when everything in the storage was deleted. */
  forget(): void;
}

/** Opens the database of an object. */
export function openStorage({
  storage,
  onCommit,
  onRecord,
  onPurge,
  onUse,
  ...given
}: OpenOptions): OpenedStorage {
  const runtime: Runtime = { ...createSystemRuntime(), ...given.runtime };
  const { clock, hash } = runtime;
  const now = (): number => clock.now();
  const statements = createObjectStatements(storage);
  const watchers = createChangeWatchers();
  const listeners = createListeners({ clock });
  const changed = createChanged();
  let soonest = Number.POSITIVE_INFINITY;
  const takeSoonest = (): number => {
    const taken = soonest;
    soonest = Number.POSITIVE_INFINITY;
    return taken;
  };
  const connection = createObjectConnection({
    storage,
    open: () => {
      if (!isCurrent(statements, OBJECT_VERSIONS))
        statements.nested(() => addVersions(statements, OBJECT_VERSIONS, now()));
    },
    changed,
    onUse,
    onCommit: () => {
      onCommit?.(takeSoonest());
      watchers.tell(changed);
    },
  });
  const table = createObjectTable(statements, now, changed, (at) => {
    if (at > now()) soonest = Math.min(soonest, at);
  });
  const outputs = createOutputTable(statements, now, changed);
  const synchronous = createTransactions({
    database: storage.sql,
    connection,
    statements,
    table,
    outputs,
    recordIn: recordInTurn({
      statements,
      table,
      onRecorded: (definition) => {
        onRecord?.(takeSoonest());
        void runtime.pause().then(() => listeners.ring(new Set([definition])));
      },
    }),
    hash,
  });
  const submissions: DurableObjectBackend["submissions"] = createSqliteSubmissions({
    connection,
    statements,
    table,
    synchronous,
    hash,
  });
  const backend: DurableObjectBackend = {
    operations: {
      ...createOperationStore(connection, table, runtime.newToken, outputs),
      watch: watchers.operations.watch,
      watchCancellations: watchers.cancellations.watch,
    },
    queue: createLocalQueue(listeners),
    output: {
      ...createOutputStore(connection, outputs),
      watch: watchers.output.watch,
      clean: createOutputCleaning(connection, statements),
    },
    submissions: {
      ...submissions,
      purge: async (request) => {
        const purged = await submissions.purge(request);
        if (purged > 0) onPurge?.();
        return purged;
      },
    },
    check: () => connection.read(() => void statements.first("select 1 from arr_operations limit 1")),
    // The storage belongs to the object.
    close: async () => {},
  };
  return { backend, contents: createContents(statements, table), forget: connection.forget };
}
