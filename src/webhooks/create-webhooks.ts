import { AsyncReplyError, forbidden } from "../contract/errors.js";
import type { Principal } from "../ports/authorize.js";
import type { Webhooks } from "../ports/webhooks.js";
import { deliver } from "./delivery/deliver.js";
import { type DeliveryInput, toInput, webhookDeliveries } from "./delivery/delivery-definition.js";
import { MAX_ATTEMPTS } from "./delivery/schedule.js";
import { readReceiverUrl } from "./sending/receiver-url.js";
import { readWebhookSettings, type WebhookSettings, type WebhooksOptions } from "./settings.js";

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
    checkUrl: (url, principal) => checkUrl(settings, url, principal),
    followUp: ({ id: operationId, retentionMs }, id, url) => ({
      id,
      definition: webhookDeliveries.name,
      input: toInput(operationId, url),
      retentionMs,
    }),
    processor: (context) => ({
      run: (input, attempt) => deliver(settings, context, input as DeliveryInput, attempt),
      concurrency: settings.concurrency ?? Math.max(1, Math.floor(context.concurrency / 2)),
      maxAttempts: MAX_ATTEMPTS,
    }),
  };
}

/**
 * Checks the receiver that a request chose. Resolves no host name, because an answer would tell callers about the
 * network of the service.
 */
async function checkUrl(
  { allow, trustedOrigins }: WebhookSettings,
  text: string,
  principal: Required<Principal>,
): Promise<string> {
  if (allow === undefined)
    throw new AsyncReplyError(
      "INVALID_HEADER",
      "This service sends webhooks to registered endpoints only. Leave out Webhook-URL.",
    );
  const url = readReceiverUrl(text, trustedOrigins);
  if (typeof url === "string")
    throw new AsyncReplyError("INVALID_HEADER", `The header field Webhook-URL cannot be used: ${url}.`);
  if ((await allow(url.href, principal)) === true) return url.href;
  throw forbidden("These credentials do not allow webhooks to this URL.");
}
