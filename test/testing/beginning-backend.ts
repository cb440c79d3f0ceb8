import {
  type Backend,
  type BegunAttempt,
  type Clock,
  createMemoryBackend,
  type Delivery,
  type Operation,
  type OperationStore,
} from "async-request-reply";

/** Begins an attempt with its receipt, unless nobody may work on the operation now. */
export type BeginReceipt = (
  store: OperationStore,
  operation: Operation,
  lease: { readonly token: string; readonly leaseMs: number },
) => Promise<BegunAttempt["begun"] | undefined>;

/** As a queue does that is the store: by the step that workers make where the queue is another system. */
export const beginReceipt: BeginReceipt = async (store, { id }, lease) => {
  const begun = await store.beginAttempt(id, lease);
  return begun.outcome === "begun" ? begun : undefined;
};

/**
 * The memory back end with a queue that is the store, as on Postgres: receiving looks for what is due and begins it, and
 * announcements are kept nowhere.
 */
export function beginningBackend(clock: Clock, begin: BeginReceipt = beginReceipt): Backend<never> {
  const backend = createMemoryBackend({ clock });
  const { operations } = backend;
  let tokens = 0;
  const queue: Backend["queue"] = {
    publish: async () => {},
    receive: async ({ definitions, limit, leaseMs }) => {
      const all = (await operations.list?.({ limit: Number.POSITIVE_INFINITY })) ?? [];
      const deliveries: Delivery[] = [];
      for (const operation of all.filter(({ definition }) => definitions.includes(definition))) {
        if (deliveries.length === limit) break;
        tokens += 1;
        const lease = { operationId: operation.id, token: `r${tokens}` };
        const begun = await begin(operations, operation, { token: lease.token, leaseMs });
        if (begun !== undefined) deliveries.push(deliveryOf(operation, { lease, begun }));
      }
      return deliveries;
    },
  };
  return { ...backend, queue };
}

function deliveryOf({ id: operationId, definition }: Operation, attempt: BegunAttempt): Delivery {
  const announcement = { version: 1, id: attempt.lease.token, operationId, definition } as const;
  return { announcement, attempt, ack: async () => {}, nack: async () => {} };
}
