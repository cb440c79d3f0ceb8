import {
  allowAnonymous,
  createService,
  createWorker,
  defineOrders,
  type Job,
  type Order,
  type OrderDefinition,
  type RunSummary,
  type Service,
  type ServiceEvent,
  type Worker,
  type WorkerOptions,
} from "async-request-reply";
import type { Operation, Sync } from "async-request-reply/ports";
import {
  createSqliteBackend,
  type SqliteBackend,
  type SqliteBackendOptions,
} from "async-request-reply/sqlite";
import { createManualClock, type ManualClock } from "async-request-reply/testing";
import type { OpenDatabase, SqliteClient } from "./clients.js";
import { type DatabaseFile, newDatabaseFile } from "./database-files.js";

type Handle = Sync<OpenDatabase>;

/** A processor of orders, whose job has the synchronous transactions of the tests' databases. */
export type OrderProcessor = (order: Order, job: Job<unknown, Handle>) => unknown;

/** An order service on a file that also has a table of the user: `effects`, without a unique constraint. */
export interface TransactionStage {
  readonly file: DatabaseFile;
  readonly clock: ManualClock;
  /** Database of the back end. */
  readonly database: OpenDatabase;
  readonly backend: SqliteBackend<OpenDatabase>;
  readonly service: Service<readonly [OrderDefinition], Handle>;
  readonly events: ServiceEvent[];
  /** Submits an order and returns the id of its operation. */
  submitted(key?: string): Promise<string>;
  read(id: string): Promise<Operation | undefined>;
  /** Creates a worker that makes one attempt. */
  worker(run: OrderProcessor, options?: WorkerOptions): Worker;
  /** Runs the due work. */
  work(run: OrderProcessor, options?: WorkerOptions): Promise<RunSummary>;
  /** Returns the committed effects, as another connection sees them. */
  effects(): readonly unknown[];
}

export const ORDER: Order = { itemId: "book", quantity: 1 };
export const TENANT = "anonymous";
export const orders: OrderDefinition = defineOrders({ cancellable: true });

/** Writes an effect. */
export function write(database: OpenDatabase, effect: string): void {
  (database.prepare("insert into effects values (?)").run as (effect: string) => unknown)(effect);
}

/** Creates the stage on a new file. */
export function createTransactionStage(
  client: SqliteClient,
  options: Omit<SqliteBackendOptions, "database"> = {},
): TransactionStage {
  const file = newDatabaseFile(client);
  const database = file.connect();
  const reader = file.connect();
  database.exec("pragma journal_mode = wal; create table effects (effect text)");
  const clock = createManualClock();
  const runtime = { clock, random: () => 0.5 };
  const backend = createSqliteBackend({ database, synchronous: "normal", runtime, ...options });
  const events: ServiceEvent[] = [];
  const service = createService({
    definitions: [orders],
    backend,
    authorize: allowAnonymous(),
    observe: (event) => events.push(event),
    runtime,
  });
  const worker = (run: OrderProcessor, given: WorkerOptions = {}): Worker =>
    createWorker(service, { orders: run }, { maxAttempts: 1, ...given });
  return {
    file,
    clock,
    database,
    backend,
    service,
    events,
    submitted: async (key) => {
      const keyed = key === undefined ? {} : { key };
      return (await service.submit(orders, ORDER, { tenant: TENANT, ...keyed })).operationId;
    },
    read: (id) => backend.operations.get(id, TENANT),
    worker,
    work: (run, given) => worker(run, given).runUntilIdle(),
    effects: () =>
      reader
        .prepare("select effect from effects order by rowid")
        .all()
        .map((row) => (row as { readonly effect: unknown }).effect),
  };
}
