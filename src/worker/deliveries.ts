import { checkWebhooks, type DeliveryContext, type Webhooks } from "../ports/webhooks.js";
import type { CheckedProcessor } from "./processors.js";
import { readProcessorSettings, type WorkerSettings } from "./settings.js";

/**
 * Returns the processor of webhook deliveries by its name. Returns nothing if the worker has no webhooks.
 *
 * Throws `INVALID_OPTION`.
 */
export function deliveryProcessors(
  webhooks: Webhooks | undefined,
  settings: WorkerSettings,
  { operations, runtime, observe }: Omit<DeliveryContext, "concurrency">,
): readonly (readonly [string, CheckedProcessor])[] {
  checkWebhooks(webhooks);
  if (webhooks === undefined) return [];
  const { concurrency, maxResultBytes } = settings;
  const { definition, processor } = webhooks;
  const { run, ...options } = processor({ operations, runtime, observe, concurrency });
  // Attempts have their own time limit and delays. These options of a worker are for the work of its users.
  const own = readProcessorSettings(options, DEFAULTS, runtime.random, "webhooks.");
  return [[definition.name, { definition, run, create: undefined, settings: { ...own, maxResultBytes } }]];
}

const DEFAULTS = { concurrency: 1, leaseMs: 30_000, maxAttempts: 1, attemptTimeoutMs: undefined };
