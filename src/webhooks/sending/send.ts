import type { Bytes } from "../bytes.js";

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
