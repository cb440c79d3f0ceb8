import type { Subscription } from "../../following/hub.js";
import type { ServiceContext } from "../context.js";
import { header } from "../message/headers.js";
import type { HttpRequest, HttpResponse, RequestContext } from "../message/message.js";
import { preferredWait } from "./preferred-wait.js";

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
  { headers }: HttpRequest,
  { id, tenant, context }: Awaited,
): Wait | undefined {
  const preferred = preferredWait(header(headers, "prefer"));
  if (preferred === undefined) return undefined;
  const limitMs = Math.min(preferred * 1_000, settings.maxWaitMs);
  if (limitMs === 0) return undefined;
  const waitMs = limitMs - runtime.random() * Math.min(limitMs * JITTER, MAX_JITTER_MS);
  const subscription = hub.subscribe({ id, tenant, waitMs, signal: context.signal });
  return subscription && { subscription, seconds: Math.ceil(limitMs / 1_000) };
}

/** Tells the client that the preference was applied (RFC 7240 §3), and caches that the reply depends on it (§2). */
export function withPreference({ headers, ...rest }: HttpResponse, { seconds }: Wait): HttpResponse {
  const vary = `${headers.vary}, prefer`;
  return { ...rest, headers: { ...headers, vary, "preference-applied": `wait=${seconds}` } };
}
