import assert from "node:assert/strict";
import { load } from "../../against/build.mjs";

const { bearer, createOrderService, createWorker } = await load("index");

/**
 * The order service on a back end, with `limits` if they are given. The worker rings through the service and runs 128 attempts at a time. On Postgres, 64, 256
 * and 512 made no difference beyond noise.
 */
export function openOrderService(backend, { retentionMs, limits }) {
  let onEvent = () => {};
  let working = false;
  const service = createOrderService({
    backend,
    authorize: bearer({ "bench-token": "bench" }),
    observe: (event) => onEvent(event),
    ...(limits === undefined ? {} : { limits }),
  });
  const [definition] = service.definitions;
  const { bell, announcer } = service[Symbol.for("async-request-reply.shared")];
  // Earlier builds, which `--against` measures, have an announcer.
  const ring = ({ id, definition }) =>
    bell?.ring({ definition, operationId: id }) ?? announcer.announce({ id, definition });
  return {
    service,
    /** Accepts an order without HTTP. */
    record: async ({ fingerprint, ...order }) => {
      const operation = { ...order, retentionMs, failedRetentionMs: 7 * retentionMs };
      const { outcome } = await backend.submissions.record({ operation, fingerprint });
      assert.equal(outcome, "created");
      if (working) void ring(operation);
    },
    /** Submits an order from code. */
    submit: ({ tenant, key, input }) => service.submit(definition, JSON.parse(input), { tenant, key }),
    /** Submits orders of one tenant from code, in one commit. */
    submitMany: async (orders) => {
      const items = orders.map(({ key, input }) => ({ key, input: JSON.parse(input) }));
      const outcomes = await service.submitMany(definition, items, { tenant: orders[0].tenant });
      assert(outcomes.every(({ outcome }) => outcome === "created"));
    },
    /** Accepts an order as a request to the service. */
    post: async (order) => {
      const { status } = await service.handle(toRequest(order));
      assert.equal(status, 202);
    },
    startWork: async ({ onStart, onCompleted, concurrency = 128 }) => {
      working = true;
      onEvent = ({ event }) => {
        if (event === "operation.completed") onCompleted();
      };
      const worker = createWorker(
        service,
        { orders: async (_order, { operationId }) => onStart?.(operationId) },
        { concurrency },
      );
      await worker.start();
      return async () => {
        working = false;
        await worker.stop();
      };
    },
  };
}

export function toRequest({ key, input }) {
  const headers = {
    authorization: "Bearer bench-token",
    "content-type": "application/json",
    "idempotency-key": Buffer.from(key, "latin1").latin1Slice(),
  };
  return { method: "POST", path: "/orders", headers, body: input };
}
