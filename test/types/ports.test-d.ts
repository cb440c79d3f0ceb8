import {
  type Backend,
  composeStores,
  createMemoryBackend,
  createMemoryStores,
  createService,
  type IdempotencyStore,
  type Queue,
  withQueue,
} from "async-request-reply";
import { createPostgresBackend } from "async-request-reply/postgres";
import type {
  Capabilities,
  OperationStoreHarness,
  QueueHarness,
  SubmissionsHarness,
} from "async-request-reply/testing";
import type { Pool, PoolClient } from "pg";
import { type ConfirmChannel, createRabbitQueue } from "./sketches/rabbitmq-queue.js";
import { createRedisBackend, type RedisClient } from "./sketches/redis-backend.js";
import { createSqliteBackend, type SqliteDatabase } from "./sketches/sqlite-backend.js";

declare const pool: Pool;
declare const channel: ConfirmChannel;
declare const redis: RedisClient;
declare const database: SqliteDatabase;
declare const idempotency: IdempotencyStore;
declare const steps: Parameters<typeof createSqliteBackend>[2];

// Different implementations fit the ports without a cast.
const memory: Backend<never> = createMemoryBackend();
const postgres: Backend<PoolClient> = createPostgresBackend({ pool });
const rabbit: Queue = createRabbitQueue(channel);
const remote: Backend<never> = createRedisBackend(redis, rabbit);
const embedded: Backend<SqliteDatabase> = createSqliteBackend(database, memory.queue, steps);

// Another queue keeps the transactions. Separate stores share none.
const mixed: Backend<PoolClient> = withQueue(postgres, rabbit);
const composed: Backend<never> = composeStores({ ...createMemoryStores(), idempotency, queue: rabbit });
export const halved: Backend<never> = composeStores({
  // @ts-expect-error -- a store that deletes keys together with operations does not hand them out
  operations: remote.operations,
  idempotency,
  queue: rabbit,
});
// @ts-expect-error -- the transactions are those of Postgres
export const confused: Backend<SqliteDatabase> = withQueue(postgres, rabbit);

const serve = <Tx>(backend: Backend<Tx>): unknown =>
  createService({ backend, definitions: [], authorize: () => ({ id: "user-1" }) });

/** A service takes each of them, with any transaction handle. */
export const services: readonly unknown[] = [
  serve(memory),
  serve(postgres),
  serve(remote),
  serve(embedded),
  serve(mixed),
  serve(composed),
];

/** The suites take them too, including atomic steps with any kind of transaction. */

const capabilities: Capabilities = { leaseGranularityMs: 200, lacks: ["lanes"] };
const passTime = async (): Promise<void> => {};

export const operationStoreHarness: OperationStoreHarness = {
  capabilities,
  passTime,
  create: async () => ({ port: postgres.operations }),
};

export const queueHarness: QueueHarness = {
  capabilities,
  passTime,
  ringsWithinMs: 1_000,
  create: async () => ({ port: mixed.queue, close: () => mixed.close() }),
};

export const submissionsHarness: SubmissionsHarness = {
  capabilities,
  passTime,
  create: async () => ({ port: postgres }),
};
