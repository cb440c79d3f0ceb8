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
import type { Listening, Ring, RingListener, Sync } from "async-request-reply/ports";
import { createPostgresBackend } from "async-request-reply/postgres";
import { createRabbitmqQueue, type RabbitmqQueueOptions } from "async-request-reply/rabbitmq";
import { createSqliteBackend } from "async-request-reply/sqlite";
import type {
  Capabilities,
  OperationStoreHarness,
  QueueHarness,
  SubmissionsHarness,
} from "async-request-reply/testing";
import type { Pool, PoolClient } from "pg";
import type { Database } from "./definitions.js";
import { createRedisBackend, type RedisClient } from "./sketches/redis-backend.js";

declare const pool: Pool;
declare const connection: RabbitmqQueueOptions["connection"];
declare const redis: RedisClient;
declare const database: Database;
declare const idempotency: IdempotencyStore;

// Different implementations fit the ports without a cast.
const memory: Backend<never> = createMemoryBackend();
const postgres: Backend<PoolClient> = createPostgresBackend({ pool });
const rabbit: Queue = createRabbitmqQueue({ connection });
const remote: Backend<never> = createRedisBackend(redis, rabbit);
const embedded: Backend<Sync<Database>> = createSqliteBackend({ database });
const own: Queue = {
  publish: async (rings: readonly Ring[]) => void rings.map(({ definition }) => definition),
  listen: ({ onRing }: RingListener): Listening => ({ want: () => onRing(), close: async () => {} }),
  close: async () => {},
};

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
export const confused: Backend<Sync<Database>> = withQueue(postgres, rabbit);

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
  serve(withQueue(memory, own)),
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
