import {
  type Backend,
  type Clock,
  createMemoryBackend,
  type OperationStore,
  withQueue,
} from "async-request-reply";
import type { BegunAttempt, Delivery, Operation, ReceiveRequest } from "async-request-reply/ports";
import { allOperations } from "../support/all-operations.js";

/** Begins an attempt with its delivery, unless no worker may run the operation now. */
export type BeginReceipt = (
  store: OperationStore,
  operation: Operation,
  lease: { readonly token: string; readonly leaseMs: number },
) => Promise<BegunAttempt["begun"] | undefined>;

/** Begins an attempt like a queue that reads from the store: with the call that workers make for other queues. */
export const beginReceipt: BeginReceipt = async (store, { id }, lease) => {
  const begun = await store.beginAttempt(id, lease);
  return begun.outcome === "begun" ? begun : undefined;
};

/**
 * Creates the memory back end with a queue that reads from the store, as on Postgres. Receiving finds due operations
 * and begins them, and announcements are not stored.
 */
export function beginningBackend(
  clock: Clock,
  begin: BeginReceipt = beginReceipt,
  { remembers = true }: { readonly remembers?: boolean } = {},
): Backend<never> {
  const backend = createMemoryBackend({ clock });
  const { operations } = backend;
  const answers = new Map<string, readonly Delivery[]>();

  async function look({ slots, limit, token }: ReceiveRequest, leases: Leases): Promise<readonly Delivery[]> {
    const free = new Map(slots);
    const deliveries: Delivery[] = [];
    for (const operation of await allOperations(operations)) {
      if (deliveries.length === limit) break;
      const { id: operationId, definition } = operation;
      const slotsLeft = free.get(definition) ?? 0;
      if (slotsLeft === 0) continue;
      const begun = await begin(operations, operation, { token, leaseMs: leases.get(definition) ?? 0 });
      if (begun === undefined) continue;
      free.set(definition, slotsLeft - 1);
      deliveries.push(deliveryOf(operation, { lease: { operationId, token }, begun }));
    }
    return deliveries;
  }

  /** Omits attempts that have since lost their lease. */
  async function repeat(answer: readonly Delivery[], leases: Leases): Promise<readonly Delivery[]> {
    const deliveries: Delivery[] = [];
    for (const delivery of answer) {
      const { operationId, definition } = delivery.announcement;
      const lease = delivery.attempt?.lease ?? { operationId, token: "" };
      const renewed = await operations.renew(lease, { leaseMs: leases.get(definition) ?? 0 });
      if (renewed.outcome === "renewed") deliveries.push(await current(delivery));
    }
    return deliveries;
  }

  async function current(delivery: Delivery): Promise<Delivery> {
    if (delivery.attempt === undefined) return delivery;
    const { begun, lease } = delivery.attempt;
    const operation = (await operations.get(lease.operationId, begun.operation.tenant)) ?? begun.operation;
    return { ...delivery, attempt: { lease, begun: { ...begun, operation } } };
  }

  const queue: Backend["queue"] = {
    publish: async () => {},
    consume: ({ definitions }) => {
      const leases = new Map(definitions.map(({ name, leaseMs }) => [name, leaseMs]));
      return {
        receive: async (request) => {
          const answer = answers.get(request.token);
          if (remembers && answer !== undefined) return repeat(answer, leases);
          const deliveries = await look(request, leases);
          answers.set(request.token, deliveries);
          return deliveries;
        },
        close: async () => {},
      };
    },
    close: async () => {},
  };
  return withQueue(backend, queue);
}

type Leases = ReadonlyMap<string, number>;

function deliveryOf({ id: operationId, definition }: Operation, attempt: BegunAttempt): Delivery {
  const announcement = { version: 1, id: attempt.lease.token, operationId, definition } as const;
  return { announcement, attempt, ack: async () => {}, nack: async () => {} };
}
