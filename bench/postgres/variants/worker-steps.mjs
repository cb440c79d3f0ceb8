import { randomUUID } from "node:crypto";

const LEASE_MS = 30_000;

/** Runs the steps of a worker one by one on a back end. */
export function workerSteps({ operations, queue }, definition) {
  const claim =
    queue.consume === undefined ? claimingFrom(operations, definition) : receivingFrom(queue, definition);
  return {
    claim,
    complete: (leases) => Promise.all(leases.map((lease) => operations.settle(lease, { to: "completed" }))),
  };
}

function claimingFrom(operations, name) {
  return async (limit) => {
    const token = randomUUID();
    const definitions = [{ name, slots: limit, leaseMs: LEASE_MS, suspects: 1 }];
    const { begun } = await operations.claim({ token, definitions, limit });
    return begun.map(({ operation }) => ({ operationId: operation.id, token }));
  };
}

/** In earlier builds, which `--against` measures, receipts of the queue begin the attempts. */
function receivingFrom(queue, name) {
  const consumer = queue.consume({ definitions: [{ name, concurrency: 1_000, leaseMs: LEASE_MS }] });
  return async (limit) => {
    const signal = AbortSignal.abort(); // does not wait
    const slots = new Map([[name, limit]]);
    const deliveries = await consumer.receive({ slots, limit, token: randomUUID(), signal });
    return deliveries.map(({ attempt }) => attempt.lease);
  };
}
