import type { Webhooks } from "../ports/webhooks.js";
import { checkRequestedUrl } from "./check-requested-url.js";
import { deliver } from "./delivery/deliver.js";
import { type DeliveryInput, toInput, webhookDeliveries } from "./delivery/delivery-definition.js";
import { createPlaces } from "./delivery/places/places.js";
import { reportFailure } from "./delivery/report-failure.js";
import { MAX_ATTEMPTS } from "./delivery/schedule.js";
import { readWebhookSettings, type WebhooksOptions } from "./settings.js";

/** Twice as long as an attempt can take. */
const LEASE_MS = 30_000;

/**
 * Creates the webhooks of a service: it announces the end of every operation to the endpoint of its tenant, signed as
 * Standard Webhooks 1.0 describes. Pass them to `createService`, and to `createWorker` in processes without the
 * service. Only workers with webhooks deliver.
 *
 * Throws `INVALID_OPTION`, naming the option.
 */
export function createWebhooks(options: WebhooksOptions): Webhooks {
  const settings = readWebhookSettings(options);
  return {
    definition: webhookDeliveries,
    takesUrls: settings.allow !== undefined,
    checkUrl: (url, principal, limit) => checkRequestedUrl(settings, url, principal, limit),
    followUp: ({ id: operationId, retentionMs, failedRetentionMs }, id, url) => ({
      id,
      definition: webhookDeliveries.name,
      input: toInput(operationId, url),
      retentionMs,
      ...(failedRetentionMs === undefined ? {} : { failedRetentionMs }),
    }),
    processor: (context) => {
      const concurrency = settings.concurrency ?? Math.max(1, Math.floor(context.concurrency / 2));
      const places = createPlaces(concurrency, context);
      return {
        run: (input, attempt) => deliver(settings, { ...context, places }, input as DeliveryInput, attempt),
        failed: (delivery, error) => reportFailure(context, delivery, error),
        settings: {
          concurrency,
          leaseMs: LEASE_MS,
          maxAttempts: MAX_ATTEMPTS,
          backoffMs: () => LEASE_MS,
          attemptTimeoutMs: undefined,
        },
      };
    },
  };
}
