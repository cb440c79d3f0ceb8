import { type Backend, type Clock, createMemoryBackend, createService } from "async-request-reply";
import { createPostgresBackend } from "async-request-reply/postgres";
import type { OperationStoreHarness, QueueHarness, SubmissionsHarness } from "async-request-reply/testing";
import type { Pool, PoolClient } from "pg";
import { type ConfirmChannel, createRabbitQueue } from "./sketches/rabbitmq-queue.js";

declare const pool: Pool;
declare const channel: ConfirmChannel;
declare const clock: Clock;

// Three unlike implementations fit the ports without a cast.
const memory: Backend<never> = createMemoryBackend();
const postgres: Backend<PoolClient> = createPostgresBackend({ pool });
const mixed: Backend<PoolClient> = { ...postgres, queue: createRabbitQueue(channel, clock) };
const composed: Backend = { ...memory, operations: postgres.operations };

/** A service takes any of them, whatever the handle of its transactions. */
export const services: readonly unknown[] = [memory, postgres, mixed, composed].map((backend) =>
  createService({ backend, operations: [], authorize: () => ({ id: "somebody" }) }),
);

/** The suites take them as well, atomic steps included, with transactions of any kind. */
const { submissions } = createPostgresBackend({ pool });

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
  create: async () => ({ port: submissions }),
};
