import type { WebhookAnswer, WebhookRequest } from "./send.js";

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
