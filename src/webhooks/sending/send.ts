import type { Bytes } from "../sign-webhook.js";

/** A signed webhook, ready to be sent. */
export interface WebhookRequest {
  /** URL of the receiver. Its scheme, port and host have been checked, but not what the host resolves to. */
  readonly url: string;
  /** Header fields, with names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  /** Signed bytes. Send them unchanged. */
  readonly body: Bytes;
  /** Aborted after 15 s, or when the worker stops. */
  readonly signal: AbortSignal;
}

/** The part of a receiver's answer that matters. Its body is never read. */
export interface WebhookAnswer {
  /** Status of the answer. 2xx accepts the webhook, 3xx and 410 end the delivery, and others are retried. */
  readonly status: number;
  /** Value of `Retry-After`. Default: none. */
  readonly retryAfter?: string | undefined;
}

/**
 * Sends a webhook with one `POST` and returns the answer. Must not follow redirects, and must not connect to an address
 * that your receivers have no business with. Throws if there is no answer.
 */
export type SendWebhook = (request: WebhookRequest) => Promise<WebhookAnswer>;

/**
 * Sends a webhook with the platform's `fetch`, without following redirects. **It does not check which address a host
 * name resolves to.** Use it only where the network itself keeps requests away from internal addresses, such as on
 * Cloudflare Workers.
 */
export async function sendWithFetch({ url, headers, body, signal }: WebhookRequest): Promise<WebhookAnswer> {
  const answer = await fetch(url, { method: "POST", headers, body, signal, redirect: "manual" });
  // An error of an unread body does not matter.
  void answer.body?.cancel().catch(() => {});
  return { status: answer.status, retryAfter: answer.headers.get("retry-after") ?? undefined };
}
