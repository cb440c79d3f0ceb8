import { AsyncReplyError, forbidden, isAsyncReplyError } from "../contract/errors.js";
import type { Principal } from "../ports/authorize.js";
import type { TimeLimit } from "../ports/webhooks.js";
import { withinTime } from "../protocol/within-time.js";
import { readReceiverUrl } from "./sending/receiver-url.js";
import type { WebhookSettings } from "./settings.js";

/** Checks the receiver that a request or a call chose: see `Webhooks.checkUrl`. */
export async function checkRequestedUrl(
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
  if (typeof url === "string") throw invalid(`The URL of the receiver cannot be used: ${url}.`);
  if ((await allow(url.href, principal)) === true) return url.href;
  throw forbidden("These credentials do not allow webhooks to this URL.");
}

function invalid(detail: string): AsyncReplyError {
  return new AsyncReplyError("INVALID_HEADER", detail);
}

function unavailable(cause?: unknown): AsyncReplyError {
  const detail = "The receiver of the webhook could not be checked at the moment. Try again later.";
  return new AsyncReplyError("AUTHORIZATION_UNAVAILABLE", detail, { cause });
}
