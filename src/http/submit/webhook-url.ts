import type { Principal } from "../../ports/authorize.js";
import type { ServiceContext } from "../context.js";
import { singleHeader } from "../message/headers.js";
import type { HttpRequest } from "../message/message.js";

/**
 * Returns the receiver that a request chooses with `Webhook-URL`, or undefined if it chooses none.
 *
 * Throws `INVALID_HEADER`, `FORBIDDEN`, `AUTHORIZATION_UNAVAILABLE`.
 */
export function readWebhookUrl(
  { webhooks, settings, runtime }: ServiceContext,
  { headers }: HttpRequest,
  principal: Required<Principal>,
): Promise<string> | undefined {
  const url = webhooks && singleHeader(headers, "webhook-url");
  if (url === undefined) return undefined;
  return webhooks?.checkUrl(url, principal, { clock: runtime.clock, timeoutMs: settings.authorizeTimeoutMs });
}
