import { randomUUID } from "node:crypto";

const LEASE_MS = 30_000;

/** Runs the steps of a worker one by one on a back end whose receipts begin the attempts. */
export function workerSteps({ operations, queue }, definition) {
  const consumer = queue.consume({
    definitions: [{ name: definition, concurrency: 1_000, leaseMs: LEASE_MS }],
  });
  return {
    claim: async (limit) => {
      const signal = AbortSignal.abort(); // does not wait
      const slots = new Map([[definition, limit]]);
      const deliveries = await consumer.receive({ slots, limit, token: randomUUID(), signal });
      return deliveries.map(({ attempt }) => attempt.lease);
    },
    complete: (leases) => Promise.all(leases.map((lease) => operations.settle(lease, { to: "completed" }))),
  };
}
