import { isTerminal, type Operation } from "../../contract/operation.js";
import type { Format } from "../../formats/format.js";
import { createSnapshot, type Snapshot, type Subscription } from "../../operations/following/hub.js";
import type { Runtime } from "../../ports/runtime.js";
import type { ServiceContext } from "../context.js";
import { splitList } from "../message/headers.js";
import type { HttpResponse, RequestContext } from "../message/message.js";
import type { Fields } from "../message/reply.js";
import { hasMatch, presentSnapshot, retryAfter, unlessMatched } from "./status-monitor.js";

/** The operation that a request waits for. */
interface Awaited {
  readonly id: string;
  readonly tenant: string;
  /** Ends the wait when the client disconnects. */
  readonly context: RequestContext;
}

/** A wait that has begun. */
export interface Wait {
  readonly subscription: Subscription;
  /** Upper limit of the wait, for `Preference-Applied`. Whole seconds. */
  readonly seconds: number;
}

/** A wait ends up to this part early, so that clients that began together do not come back together. */
const JITTER = 0.4;
const MAX_JITTER_MS = 10_000;

/**
 * Begins to wait if the client prefers to. Returns undefined if it does not, if `maxWaitMs` is 0, or if there is no
 * place for the tenant.
 */
export function beginWait(
  { settings, runtime, hub }: ServiceContext,
  prefer: string,
  { id, tenant, context }: Awaited,
): Wait | undefined {
  const preferred = preferredWait(prefer);
  if (preferred === undefined) return undefined;
  const limitMs = Math.min(preferred * 1_000, settings.maxWaitMs);
  if (limitMs === 0) return undefined;
  const subscription = hub.subscribe({
    id,
    tenant,
    waitMs: waitMs(limitMs, runtime),
    signal: context.signal,
  });
  return subscription && { subscription, seconds: Math.ceil(limitMs / 1_000) };
}

/** Returns how long a request waits that may wait for `limitMs`. Milliseconds. */
export function waitMs(limitMs: number, { random }: Pick<Runtime, "random">): number {
  return limitMs - random() * Math.min(limitMs * JITTER, MAX_JITTER_MS);
}

/**
 * Returns the seconds of the preference `wait` (RFC 7240 §4.3), or undefined without one. A preference that
 * is malformed or unknown is ignored, and of a repeated one only the first counts (§2).
 */
function preferredWait(prefer: string): number | undefined {
  if (prefer.length > MAX_PREFER_LENGTH) return undefined;
  const wait = splitList(prefer).find((preference) => /^\s*wait(?![!#$%&'*+.^`|~\w-])/i.test(preference));
  const [, quoted, plain] = wait?.match(/^\s*wait\s*=\s*(?:"(\d+)"|(\d+))\s*(?:;.*)?$/i) ?? [];
  const seconds = quoted ?? plain;
  return seconds === undefined ? undefined : Number(seconds);
}

/** Longer fields are ignored. */
const MAX_PREFER_LENGTH = 1024;

/** The representation that the client wants, and the tag of the one that it has. */
interface Known {
  readonly format: Format;
  readonly ifNoneMatch: string | undefined;
}

/**
 * Waits until the operation ends, or until it differs from what the client has. Replies with the latest state, also if the
 * time is over.
 *
 * @param found The operation as it was read after the subscription.
 */
export async function replyToChange(
  service: ServiceContext,
  wait: Wait,
  found: Operation,
  { format, ifNoneMatch }: Known,
): Promise<HttpResponse> {
  let latest = createSnapshot(found);
  while (!(await hasChanged(service, latest, { format, ifNoneMatch }))) {
    const next = await wait.subscription.next();
    if (next === undefined) break;
    latest = next;
  }
  const shared = await presentSnapshot(service, latest, format);
  // The estimate of a reply that other requests share may be old.
  const own = isTerminal(latest.operation.state)
    ? {}
    : { "retry-after": retryAfter(service, latest.operation) };
  return withPreference(unlessMatched(shared, ifNoneMatch), wait, own);
}

async function hasChanged(
  service: ServiceContext,
  snapshot: Snapshot,
  { format, ifNoneMatch }: Known,
): Promise<boolean> {
  if (isTerminal(snapshot.operation.state)) return true;
  if (ifNoneMatch === undefined) return false;
  return !hasMatch(await presentSnapshot(service, snapshot, format), ifNoneMatch);
}

/** Waits until the operation ends. Returns undefined if the time is over before. */
export async function untilEnd(subscription: Subscription): Promise<Snapshot | undefined> {
  for (;;) {
    const next = await subscription.next();
    if (next === undefined || isTerminal(next.operation.state)) return next;
  }
}

/**
 * Tells the client that the preference was applied (RFC 7240 §3), and caches that the reply depends on it (§2).
 *
 * @param own Further header fields of this reply.
 */
export function withPreference(
  { headers, ...rest }: HttpResponse,
  { seconds }: Wait,
  own?: Readonly<Fields>,
): HttpResponse {
  const vary = `${headers.vary}, prefer`;
  return { ...rest, headers: { ...headers, ...own, vary, "preference-applied": `wait=${seconds}` } };
}
