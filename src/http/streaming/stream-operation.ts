import { isTerminal, type Operation } from "../../contract/operation.js";
import { createSnapshot, type Snapshot, type Subscription } from "../../operations/following/hub.js";
import type { Runtime } from "../../ports/runtime.js";
import type { ServiceContext } from "../context.js";
import { header } from "../message/headers.js";
import type { HttpRequest, HttpResponse, RequestContext } from "../message/message.js";
import { emptyReply, type Fields, isStream } from "../message/reply.js";
import { addSuccessorLink, findOperation, retryAfter } from "../operation/status-monitor.js";
import type { ServiceSettings } from "../settings.js";
import { createEventBody, eventOf, STREAM_FIELDS, whole } from "./event-body.js";

/** The operation that a client follows. */
interface Followed {
  readonly id: string;
  readonly tenant: string;
  /** Ends the stream when the client disconnects. */
  readonly context: RequestContext;
}

/** A stream ends up to this part early, so that clients that began together do not come back together. */
const STREAM_JITTER = 0.2;
/** The same for the time after which a client reconnects. */
const RETRY_JITTER = 0.4;
/** Longest time after which the client of a stream reconnects. It learns of no change before. Milliseconds. */
const MAX_RETRY_MS = 5_000;

/**
 * Replies with a stream of the states of an operation. The id of an event is the `ETag` of a poll, and its data is the
 * body, in JSON. If the client already has the terminal state, the reply is a 204, which ends its reconnects. If there
 * is no place for the tenant, the stream ends after the current state, and the client reconnects after `Retry-After`.
 *
 * Throws like `findOperation`.
 */
export async function streamOperation(
  service: ServiceContext,
  request: HttpRequest,
  followed: Followed,
): Promise<HttpResponse> {
  const subscription = request.method === "HEAD" ? undefined : subscribe(service, followed);
  let reply: HttpResponse | undefined;
  try {
    const found = await findOperation(service, followed.id, followed.tenant);
    reply = await begin(service, request, found, subscription);
    return reply;
  } finally {
    if (!isStream(reply?.body)) subscription?.close();
  }
}

function subscribe(
  { hub, runtime, settings }: ServiceContext,
  { id, tenant, context }: Followed,
): Subscription | undefined {
  return hub.subscribe({ id, tenant, waitMs: streamMs(settings, runtime), signal: context.signal });
}

/** Returns how long a stream lasts. Milliseconds. */
export function streamMs(
  { maxStreamMs }: Pick<ServiceSettings, "maxStreamMs">,
  { random }: Pick<Runtime, "random">,
): number {
  return maxStreamMs * (1 - STREAM_JITTER * random());
}

async function begin(
  service: ServiceContext,
  { method, headers }: HttpRequest,
  found: Operation,
  subscription: Subscription | undefined,
): Promise<HttpResponse> {
  const { id, text } = await eventOf(service, createSnapshot(found));
  // Proxies that compress a poll make its tag weak.
  const isKnown = header(headers, "last-event-id")?.replace(/^W\//, "") === id;
  const ended = isTerminal(found.state);
  if (ended && isKnown) return emptyReply(204, { "cache-control": "no-store", vary: "accept" });
  const fields = toFields(service, found);
  if (method === "HEAD") return emptyReply(200, fields);
  const unseen = isKnown ? "" : text;
  if (ended) return whole(fields, unseen);
  const first = `${retryLine(service, found, subscription)}${unseen}`;
  if (subscription === undefined) return whole(fields, first);
  let known = id;
  const body = createEventBody(service.runtime.clock, subscription, first, async (snapshot: Snapshot) => {
    const event = await eventOf(service, snapshot);
    const isNew = event.id !== known;
    known = event.id;
    return { ...(isNew && { bytes: event.bytes }), isLast: isTerminal(snapshot.operation.state) };
  });
  return { status: 200, headers: fields, body };
}

function toFields(service: ServiceContext, operation: Operation): Fields {
  const fields: Fields = { ...STREAM_FIELDS, vary: "accept" };
  addSuccessorLink(fields, service, operation);
  return fields;
}

function retryLine(
  service: ServiceContext,
  found: Operation,
  subscription: Subscription | undefined,
): string {
  const estimateMs = Number(retryAfter(service, found)) * 1_000;
  const retryMs = subscription === undefined ? estimateMs : Math.min(estimateMs, MAX_RETRY_MS);
  return `retry: ${Math.ceil(retryMs * (1 - RETRY_JITTER * service.runtime.random()))}\n\n`;
}
