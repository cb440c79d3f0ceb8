import { permanentFailure } from "../../contract/errors.js";
import { parseStored } from "../../contract/json/json-text.js";
import type { DeliveryContext, FailedDelivery } from "../../ports/webhooks.js";
import type { DeliveryInput } from "./delivery-definition.js";
import { findAnnounced } from "./find-announced.js";

/**
 * Reports a delivery whose failure is stored. It may have failed without a run: if workers die, attempts are lost.
 * Never rejects.
 */
export async function reportFailure(
  { operations, observe }: DeliveryContext,
  { id: deliveryId, tenant, attempt, input }: FailedDelivery,
  error: unknown = permanentFailure("The last attempt was lost, and no attempt is left."),
): Promise<void> {
  const { operationId: firstId } = parseStored(input) as DeliveryInput;
  const delivery = { operationId: deliveryId, tenant };
  const announced = await findAnnounced(operations, delivery, firstId).catch(() => undefined);
  const { id: operationId = firstId, definition } = announced?.operation ?? {};
  const about = { deliveryId, operationId, tenant, attempt, error };
  observe({ event: "webhook.failed", ...about, ...(definition === undefined ? {} : { definition }) });
}
