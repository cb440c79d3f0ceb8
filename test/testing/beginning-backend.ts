import {
  type Backend,
  type Clock,
  createMemoryBackend,
  type OperationStore,
  type Queue,
  withQueue,
} from "async-request-reply";
import type {
  AttemptRequest,
  BegunAttempt,
  ConsumedDefinition,
  Delivery,
  Operation,
  ReceiveRequest,
} from "async-request-reply/ports";
import { allOperations } from "../support/all-operations.js";

const ANNOUNCED_AGAIN_MS = 1_000;

/** Begins an attempt with its delivery, unless no worker may run the operation now. */
export type BeginReceipt = (
  store: OperationStore,
  operation: Operation,
  lease: AttemptRequest,
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
  /** When cancelled operations were last delivered. */
  const announcedAt = new Map<string, number>();

  async function look(
    { slots, limit, token }: ReceiveRequest,
    consumed: Consumed,
  ): Promise<readonly Delivery[]> {
    const free = new Map(slots);
    const deliveries: Delivery[] = [];
    for (const operation of await allOperations(operations)) {
      if (deliveries.length === limit) break;
      const { id: operationId, definition } = operation;
      const slotsLeft = free.get(definition) ?? 0;
      if (slotsLeft === 0) continue;
      const { leaseMs = 0, limits } = consumed.get(definition) ?? {};
      const isCancelled = operation.cancelRequested === true && operation.settledAt === undefined;
      if (isCancelled && clock.now() < (announcedAt.get(operationId) ?? 0) + ANNOUNCED_AGAIN_MS) continue;
      // Beginning a cancelled operation would end it, and nothing would report that. The worker does.
      const begun = isCancelled ? undefined : await begin(operations, operation, { token, leaseMs, limits });
      if (isCancelled) announcedAt.set(operationId, clock.now());
      else if (begun === undefined) continue;
      free.set(definition, slotsLeft - 1);
      const attempt = begun && { lease: { operationId, token }, begun };
      deliveries.push(deliveryOf(operation, token, attempt));
    }
    return deliveries;
  }

  /** Omits attempts that have since lost their lease. */
  async function repeat(answer: readonly Delivery[], consumed: Consumed): Promise<readonly Delivery[]> {
    const deliveries: Delivery[] = [];
    for (const delivery of answer) {
      const { operationId, definition } = delivery.announcement;
      const lease = delivery.attempt?.lease ?? { operationId, token: "" };
      const renewed = await operations.renew(lease, { leaseMs: consumed.get(definition)?.leaseMs ?? 0 });
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

  const consume: Queue["consume"] = ({ definitions }) => {
    const consumed = new Map(definitions.map((each) => [each.name, each]));
    return {
      receive: async (request) => {
        const answer = answers.get(request.token);
        if (remembers && answer !== undefined) return repeat(answer, consumed);
        const deliveries = await look(request, consumed);
        answers.set(request.token, deliveries);
        return deliveries;
      },
      close: async () => {},
    };
  };
  const queue = { publish: async () => {}, consume, consumeByTicket: consume, close: async () => {} };
  return withQueue(backend, queue);
}

type Consumed = ReadonlyMap<string, ConsumedDefinition>;

function deliveryOf(
  { id: operationId, definition }: Operation,
  id: string,
  attempt: BegunAttempt | undefined,
): Delivery {
  const announcement = { version: 1, id, operationId, definition } as const;
  const delivery = { announcement, ack: async () => {}, nack: async () => {} };
  return attempt === undefined ? delivery : { ...delivery, attempt };
}
