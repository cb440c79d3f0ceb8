import { checkWebhooks, type DeliveryContext, type Webhooks } from "../ports/webhooks.js";
import type { CheckedProcessor } from "./processors.js";
import type { WorkerSettings } from "./settings.js";

/**
 * Returns the processor of webhook deliveries by its name. Returns nothing if the worker has no webhooks.
 *
 * Throws `INVALID_OPTION`.
 */
export function deliveryProcessors(
  webhooks: Webhooks | undefined,
  { concurrency, maxResultBytes }: WorkerSettings,
  context: Omit<DeliveryContext, "concurrency">,
): readonly (readonly [string, CheckedProcessor])[] {
  checkWebhooks(webhooks);
  if (webhooks === undefined) return [];
  const { definition, processor } = webhooks;
  const { run, failed, settings } = processor({ ...context, concurrency });
  const checked = { definition, run, failed, create: undefined, settings: { ...settings, maxResultBytes } };
  return [[definition.name, checked]];
}
