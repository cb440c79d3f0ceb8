import { isTerminal, type Operation } from "../../contract/operation.js";
import type { Subscription } from "../../following/hub.js";
import type { Format } from "../../formats/format.js";
import type { ServiceContext } from "../context.js";
import type { HttpResponse } from "../message/message.js";
import { hasMatch, retryAfter } from "../operation/present.js";
import { presentOnce } from "./present-once.js";

/** The representation that the client wants, and the tag of the one that it has. */
interface Known {
  readonly format: Format;
  readonly ifNoneMatch: string | undefined;
}

/**
 * Waits until the operation ends, or until it differs from what the client has. Returns the 200 for the latest state,
 * also if the time is over.
 *
 * @param found The operation as it was read after the subscription.
 */
export async function untilNews(
  service: ServiceContext,
  subscription: Subscription,
  found: Operation,
  { format, ifNoneMatch }: Known,
): Promise<HttpResponse> {
  const isNews = async (operation: Operation): Promise<boolean> => {
    if (isTerminal(operation.state)) return true;
    if (ifNoneMatch === undefined) return false;
    return !hasMatch(await presentOnce(service, operation, format), ifNoneMatch);
  };
  // A copy, because the store may keep its object for days, and the reply with it.
  let latest: Operation = { ...found };
  while (!(await isNews(latest))) {
    const next = await subscription.next();
    if (next === undefined) break;
    latest = next;
  }
  const full = await presentOnce(service, latest, format);
  if (isTerminal(latest.state)) return full;
  // The estimate of a reply that other requests share may be old.
  return { ...full, headers: { ...full.headers, "retry-after": retryAfter(service, latest) } };
}

/** Waits until the operation ends. Returns undefined if the time is over before. */
export async function untilEnd(subscription: Subscription): Promise<Operation | undefined> {
  for (;;) {
    const next = await subscription.next();
    if (next === undefined || isTerminal(next.state)) return next;
  }
}
