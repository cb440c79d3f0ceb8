import { AsyncReplyError, isAsyncReplyError } from "../../contract/errors.js";
import type { Principal } from "../../ports/authorize.js";
import type { Webhooks } from "../../ports/webhooks.js";
import { withinTime } from "../../protocol/within-time.js";
import type { Service } from "../context.js";
import { singleHeader } from "../message/headers.js";
import type { HttpRequest } from "../message/message.js";

/**
 * Returns the receiver that a request chooses with `Webhook-URL`, or undefined if it chooses none.
 *
 * Throws `INVALID_HEADER`, `FORBIDDEN`; `AUTHORIZATION_UNAVAILABLE` if `allow` throws or does not answer in time.
 */
export async function readWebhookUrl(
  { settings, runtime }: Service,
  webhooks: Webhooks,
  { headers }: HttpRequest,
  principal: Required<Principal>,
): Promise<string | undefined> {
  const url = singleHeader(headers, "webhook-url");
  if (url === undefined) return undefined;
  const checked = webhooks.checkUrl(url, principal);
  try {
    return await withinTime(checked, settings.authorizeTimeoutMs, runtime.clock, () => unavailable());
  } catch (error) {
    const isRefusal = isAsyncReplyError(error) && ["INVALID_HEADER", "FORBIDDEN"].includes(error.code);
    throw isRefusal ? error : unavailable(error);
  }
}

function unavailable(cause?: unknown): AsyncReplyError {
  const detail = "The receiver of the webhook could not be checked at the moment. Try again later.";
  return new AsyncReplyError("AUTHORIZATION_UNAVAILABLE", detail, { cause });
}
