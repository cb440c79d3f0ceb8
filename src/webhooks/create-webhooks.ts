import { AsyncReplyError, type ErrorContext, forbidden, isAsyncReplyError } from "../contract/errors.js";
import { withinTime } from "../platform/waits.js";
import type { Principal } from "../ports/authorize.js";
import type { TimeLimit, Webhooks } from "../ports/webhooks.js";
import { deliver } from "./delivery/deliver.js";
import { type DeliveryInput, toInput, webhookDeliveries } from "./delivery/delivery-definition.js";
import { MAX_ATTEMPTS } from "./delivery/schedule.js";
import { createSendingSlots } from "./delivery/slots.js";
import { reportFailure } from "./delivery/to-failure.js";
import { readReceiverUrl } from "./sending/judge-address.js";
import { readWebhookSettings, type WebhookSettings, type WebhooksOptions } from "./settings.js";

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
      const slots = createSendingSlots(concurrency, context);
      return {
        run: (input, attempt) => deliver(settings, { ...context, slots }, input as DeliveryInput, attempt),
        failed: (delivery, error) => reportFailure(context, delivery, error),
        settings: {
          concurrency,
          leaseMs: LEASE_MS,
          maxAttempts: MAX_ATTEMPTS,
          backoff: () => LEASE_MS,
          attemptTimeoutMs: undefined,
        },
      };
    },
  };
}

/** Checks the receiver that a request or a call chose: see `Webhooks.checkUrl`. */
async function checkRequestedUrl(
  settings: WebhookSettings,
  text: string,
  principal: Required<Principal>,
  { clock, timeoutMs }: TimeLimit,
): Promise<string> {
  try {
    return await withinTime(check(settings, text, principal), timeoutMs, clock, () => unavailable());
  } catch (error) {
    const isRefusal = isAsyncReplyError(error) && ["INVALID_HEADER", "FORBIDDEN"].includes(error.code);
    throw isRefusal ? error : unavailable(error);
  }
}

/** Resolves no host name, because an answer would tell callers about the network of the service. */
async function check(
  { allow, trustedOrigins }: WebhookSettings,
  text: string,
  principal: Required<Principal>,
): Promise<string> {
  if (allow === undefined)
    throw invalid(
      "This service sends webhooks to registered endpoints only. Leave out the URL of the receiver.",
    );
  const url = readReceiverUrl(text, trustedOrigins);
  if (!(url instanceof URL)) throw invalid(url.detail, { eventDetail: url.advice });
  if ((await allow(url.href, principal)) === true) return url.href;
  throw forbidden("These credentials do not allow webhooks to this URL.");
}

function invalid(detail: string, context: ErrorContext = {}): AsyncReplyError {
  return new AsyncReplyError("INVALID_HEADER", detail, context);
}

function unavailable(cause?: unknown): AsyncReplyError {
  const detail = "The receiver of the webhook could not be checked at the moment. Try again later.";
  return new AsyncReplyError("AUTHORIZATION_UNAVAILABLE", detail, { cause });
}
