import {
  allowAnonymous,
  createService,
  createWorker,
  defineOrders,
  type Job,
  type Order,
  type OrderDefinition,
  type ServiceEvent,
  type WorkerOptions,
} from "async-request-reply";
import type { Sync } from "async-request-reply/ports";
import { createSqliteBackend, type SqliteBackendOptions } from "async-request-reply/sqlite";
import { createManualClock } from "async-request-reply/testing";
import type { OpenDatabase, SqliteClient } from "./clients.js";
import { newDatabaseFile } from "./database-files.js";

/** A processor of orders, whose job has the synchronous transactions of the tests' databases. */
export type OrderProcessor = (order: Order, job: Job<unknown, Sync<OpenDatabase>>) => unknown;

/** An order service on a file that also has a table of the user: `effects`, without a unique constraint. */
export type TransactionStage = ReturnType<typeof createTransactionStage>;

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
) {
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
  /** Creates a worker that makes one attempt. */
  const worker = (run: OrderProcessor, given: WorkerOptions = {}) =>
    createWorker(service, { orders: run }, { maxAttempts: 1, ...given });
  return {
    file,
    clock,
    /** Database of the back end. */
    database,
    backend,
    service,
    events,
    /** Submits an order and returns the id of its operation. */
    submitted: async (key?: string) => {
      const keyed = key === undefined ? {} : { key };
      return (await service.submit(orders, ORDER, { tenant: TENANT, ...keyed })).operationId;
    },
    read: (id: string) => backend.operations.get(id, TENANT),
    worker,
    /** Runs the due work. */
    work: (...given: Parameters<typeof worker>) => worker(...given).runUntilIdle(),
    /** Returns the committed effects, as another connection sees them. */
    effects: () =>
      reader
        .prepare("select effect from effects order by rowid")
        .all()
        .map((row) => (row as { readonly effect: unknown }).effect),
  };
}
