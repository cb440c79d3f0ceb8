import {
  type Backend,
  type Clock,
  createMemoryBackend,
  createService,
  type Submissions,
} from "async-request-reply";
import type { OperationStoreHarness, QueueHarness, SubmissionsHarness } from "async-request-reply/testing";
import { createPostgresIdempotencyStore } from "./sketches/postgres-idempotency-store.js";
import { createPostgresOperationStore } from "./sketches/postgres-operation-store.js";
import { createPostgresQueue, type Notifications } from "./sketches/postgres-queue.js";
import { createPostgresSubmissions } from "./sketches/postgres-submissions.js";
import { type ConfirmChannel, createRabbitQueue } from "./sketches/rabbitmq-queue.js";
import type { InTransaction, SqlClient } from "./sketches/sql.js";

declare const client: SqlClient;
declare const inTransaction: InTransaction;
declare const notifications: Notifications;
declare const channel: ConfirmChannel;
declare const clock: Clock;

// Three unlike implementations fit the ports without a cast.
const memory: Backend<never> = createMemoryBackend();

const operations = createPostgresOperationStore(client);
const idempotency = createPostgresIdempotencyStore(client);
const postgres: Backend<SqlClient> = {
  operations,
  idempotency,
  queue: createPostgresQueue(client, notifications),
  submissions: createPostgresSubmissions(client, inTransaction, { operations, idempotency }),
  close: async () => {},
};

const mixed: Backend<SqlClient> = { ...postgres, queue: createRabbitQueue(channel, clock) };
const composed: Backend = { ...memory, operations: postgres.operations };

/** A service takes any of them, whatever the handle of its transactions. */
export const services: readonly unknown[] = [memory, postgres, mixed, composed].map((backend) =>
  createService({ backend, operations: [], authorize: () => ({ id: "somebody" }) }),
);

/** The handle of a transaction reaches the user as what it is. */
export const transacted: Promise<unknown> | undefined = postgres.submissions?.transactions?.settle(
  { operationId: "id", token: "token" },
  async (tx) => {
    await tx.query("insert into orders default values", []);
    return { to: "completed" };
  },
);

/** The suites take them as well, atomic steps included, with transactions of any kind. */
export const submissions: Submissions<unknown> | undefined = postgres.submissions;

const capabilities = { leaseGranularityMs: 200, beginsAttempts: true };
const passTime = async (): Promise<void> => {};

export const operationStoreHarness: OperationStoreHarness = {
  capabilities,
  passTime,
  create: async () => ({ port: postgres.operations }),
};

export const queueHarness: QueueHarness = {
  capabilities,
  passTime,
  deliversWithinMs: 1_000,
  create: async () => ({ port: mixed.queue, close: () => mixed.close() }),
};

export const submissionsHarness: SubmissionsHarness = {
  capabilities,
  passTime,
  create: async () => ({
    port: createPostgresSubmissions(client, inTransaction, { operations, idempotency }),
  }),
};
