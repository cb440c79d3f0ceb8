import type { Operation } from "../../contract/operation.js";
import type { OperationStore } from "../../ports/operation-store.js";
import type { DeliveryAttempt } from "../../ports/webhooks.js";

/** The operation that a delivery announces. */
export interface Announced {
  readonly operation: Operation;
  /** Id of the first delivery, if this one is a redrive of it. Receivers recognize a webhook by it. */
  readonly webhookId: string;
}

/**
 * Finds the operation whose end created a delivery. The input of the delivery names the first of a row of redriven
 * operations, because a store copies it from one to the next. Returns undefined if the operation is no longer kept.
 */
export async function findAnnounced(
  operations: OperationStore,
  { operationId: deliveryId, tenant }: Pick<DeliveryAttempt, "operationId" | "tenant">,
  firstId: string,
): Promise<Announced | undefined> {
  for (let webhookId: string | undefined = deliveryId; webhookId !== undefined; ) {
    const operation = await findCreator(operations, tenant, firstId, webhookId);
    if (operation !== undefined) return { operation, webhookId };
    // An operator ran a failed delivery again.
    const [delivery]: readonly Operation[] = await operations.getMany([webhookId]);
    webhookId = delivery?.retryOf;
  }
  return undefined;
}

async function findCreator(
  operations: OperationStore,
  tenant: string,
  firstId: string,
  webhookId: string,
): Promise<Operation | undefined> {
  for (let id: string | undefined = firstId; id !== undefined; ) {
    const operation: Operation | undefined = await operations.get(id, tenant);
    if (operation?.onEnd?.id === webhookId) return operation;
    id = operation?.retriedBy;
  }
  return undefined;
}
