import assert from "node:assert/strict";
import { bearer, createOrderService, createWorker } from "../../../dist/index.js";
import { createPostgresBackend } from "../../../dist/postgres.js";
import { DEFINITION, TENANT } from "../inside/orders.mjs";
import { countOf, createPool, emptied } from "./pool.mjs";
import { productTables, RETENTION_MS } from "./product-tables.mjs";

const TABLE = "async_request_reply.operations";
const WORKER = { concurrency: 128 };

/**
 * The back end with its defaults. Accepts with `submissions.record`, or with `http` as a request to the service. The table can
 * be filled with finished operations first. The worker announces through the service and runs 128 attempts at a time. 64, 256
 * and 512 made no difference beyond noise.
 */
export async function open({ url, http, rows = 0, ids = "v7", keys = "v4" }) {
  const pool = createPool(url);
  const backend = createPostgresBackend({ pool });
  await backend.migrate();
  let onEvent = () => {};
  const service = createOrderService({
    backend,
    authorize: bearer({ "bench-token": "bench" }),
    observe: (event) => onEvent(event),
  });
  let working = false;

  const tables = productTables({ pool, backend, table: TABLE, definition: DEFINITION, tenant: TENANT });
  if (rows > 0) await tables.fill({ rows, ids, keys });
  return {
    ...tables,
    choices: { ids, keys },
    accept: http ? (order) => post(service, order) : record,
    // Keeps the operations that it was filled with.
    reset: () => (rows > 0 ? tables.checkpoint() : emptied(pool, TABLE)),
    accepted: tables.due,
    completed: () => countOf(pool, `${TABLE} where state = 'completed'`),
    startWork: async ({ onStart, onCompleted }) => {
      working = true;
      onEvent = ({ event }) => {
        if (event === "operation.completed") onCompleted();
      };
      const worker = createWorker(
        service,
        { orders: async (_order, { operationId }) => onStart?.(operationId) },
        WORKER,
      );
      await worker.start();
      return async () => {
        working = false;
        await worker.stop();
      };
    },
    close: async () => {
      await backend.close();
      await pool.end();
    },
  };

  async function record({ fingerprint, ...order }) {
    const operation = { ...order, retentionMs: RETENTION_MS };
    const { outcome } = await backend.submissions.record({ operation, fingerprint });
    assert.equal(outcome, "created");
    if (working) void service.announcer.announce(operation);
  }
}

async function post(service, { key, input }) {
  const headers = {
    authorization: "Bearer bench-token",
    "content-type": "application/json",
    "idempotency-key": Buffer.from(key, "latin1").latin1Slice(),
  };
  const { status } = await service.handle({ method: "POST", path: "/orders", headers, body: input });
  assert.equal(status, 202);
}
