import { AsyncReplyError } from "../../contract/errors.js";
import type { Operation } from "../../contract/operation.js";
import {
  END,
  isSamePosition,
  type OutputPosition,
  parsePosition,
  positionText,
} from "../../contract/output.js";
import type { Follower } from "../../operations/output/follower.js";
import type { SharedSlice } from "../../operations/output/output-reader.js";
import { admitRequest } from "../access/admit-request.js";
import type { ServiceContext } from "../context.js";
import { header, singleHeader } from "../message/headers.js";
import type { HttpRequest, HttpResponse, RequestContext } from "../message/message.js";
import { notFound } from "../message/refusals.js";
import { emptyReply, isStream } from "../message/reply.js";
import {
  findOperation,
  hasOutput,
  OUTPUT_SUFFIX,
  operationIdOf,
  retryAfter,
} from "../operation/status-monitor.js";
import { waitMs } from "../operation/wait.js";
import { NO_PARAMS } from "../routing/route-table.js";
import { streamMs } from "../streaming/stream-operation.js";
import { streamParts } from "./output-events.js";
import { type OutputQuery, readOutputQuery } from "./output-query.js";
import { endReply, isClosed, nothingNew, partReply, placeFields } from "./output-reply.js";
import { cursorAfter } from "./stream-cursor.js";

const READ = { action: "read", params: NO_PARAMS } as const;

/** A request that may see the output. */
interface Reading {
  readonly request: HttpRequest;
  readonly query: OutputQuery;
  readonly found: Operation;
  readonly context: RequestContext;
}

/**
 * Replies with a part of the output of an operation, as the reading half of the Durable Streams protocol: what stands, the next
 * part once there is one, or a stream of parts.
 */
export async function getOutput(
  request: HttpRequest,
  service: ServiceContext,
  context: RequestContext,
): Promise<HttpResponse> {
  const { tenant } = await admitRequest(service, request, READ);
  const query = readOutputQuery(request.path);
  const found = await findOperation(service, operationIdOf(request, OUTPUT_SUFFIX), tenant);
  if (!hasOutput(service, found)) throw notFound();
  const reading = { request, query, found, context };
  if (request.method === "HEAD") return describe(service, found);
  if (query.live === undefined) return readPart(service, reading);
  const place = placeOf(reading);
  const follower = follow(service, reading, place ?? END);
  let reply: HttpResponse | undefined;
  try {
    reply = await readLive(service, reading, follower, place);
    return reply;
  } finally {
    if (!isStream(reply?.body)) follower?.close();
  }
}

async function describe(service: ServiceContext, { id }: Operation): Promise<HttpResponse> {
  const fields = placeFields(await readAt(service, id, END));
  return emptyReply(200, {
    ...fields,
    "content-type": "application/json",
    "cache-control": "no-store",
    "x-content-type-options": "nosniff",
  });
}

async function readPart(service: ServiceContext, { request, query, found }: Reading): Promise<HttpResponse> {
  const { after } = query;
  if (after === undefined) return endReply(await readAt(service, found.id, END));
  const slice = standing(await readAt(service, found.id, after), after);
  return partReply(slice, { ifNoneMatch: header(request.headers, "if-none-match") });
}

async function readAt(service: ServiceContext, id: string, after: OutputPosition): Promise<SharedSlice> {
  const slice = await service.outputs?.read(id, after);
  if (slice === undefined) throw notFound();
  return slice;
}

/** Returns where the client is. An `EventSource` that reconnects says so in a header field, because it cannot change its URL. */
function placeOf({ request, query }: Reading): OutputPosition | undefined {
  const lastEventId = query.live === "sse" ? singleHeader(request.headers, "last-event-id") : undefined;
  if (lastEventId === undefined || lastEventId === "") return query.after;
  const place = parsePosition(lastEventId);
  if (place !== undefined) return place;
  throw new AsyncReplyError(
    "INVALID_HEADER",
    "The header field Last-Event-ID must be the id of an earlier event.",
  );
}

/** Takes a place, unless the service does not wait or has no place. */
function follow(
  { settings, runtime, outputs }: ServiceContext,
  { query, found, context }: Reading,
  after: OutputPosition,
): Follower | undefined {
  const limitMs = query.live === "sse" ? streamMs(settings, runtime) : waitMs(settings.maxWaitMs, runtime);
  if (limitMs === 0) return undefined;
  const { id, tenant } = found;
  return outputs?.follow({ id, tenant, after, waitMs: limitMs, signal: context.signal });
}

async function readLive(
  service: ServiceContext,
  reading: Reading,
  follower: Follower | undefined,
  place: OutputPosition | undefined,
): Promise<HttpResponse> {
  const { found, query, request } = reading;
  const read = await (follower?.read() ?? readAt(service, found.id, place ?? END));
  if (read === undefined) throw notFound();
  const first = place === undefined ? read : standing(read, place);
  const hasNews = first.chunks.length > 0 || isClosed(first);
  if (follower === undefined && !hasNews) throw noPlace(service, found);
  if (query.live === "long-poll") return waitForPart(service, reading, follower, first);
  const isOver = isClosed(first) && first.chunks.length === 0;
  // Ends the reconnects of an `EventSource`.
  if (isOver && header(request.headers, "last-event-id")) return nothingNew(first);
  return streamParts(service.runtime, follower, first, query.cursor);
}

async function waitForPart(
  { runtime }: ServiceContext,
  { request, query }: Reading,
  follower: Follower | undefined,
  first: SharedSlice,
): Promise<HttpResponse> {
  const hasNews = first.chunks.length > 0 || isClosed(first);
  const next = hasNews ? undefined : await follower?.next();
  const slice = next === undefined ? first : standing(next, first.end);
  const cursor = cursorAfter(query.cursor, runtime);
  if (slice.chunks.length === 0) return nothingNew(slice, cursor);
  const isNow = query.after === undefined;
  return partReply(slice, { cursor, isNow, ifNoneMatch: header(request.headers, "if-none-match") });
}

/** Returns a part that begins where the client is. Throws `OUTPUT_DISCARDED`, with the last place that stands. */
function standing(slice: SharedSlice, place: OutputPosition): SharedSlice {
  if (isSamePosition(slice.start, place)) return slice;
  throw new AsyncReplyError(
    "OUTPUT_DISCARDED",
    "The work was repeated from an earlier place, so chunks before this offset were discarded. Drop them, and read on from the " +
      "offset in the header field Stream-Next-Offset.",
    { headers: { "stream-next-offset": positionText(slice.start) } },
  );
}

/** Longest time after which a client without a place reads again. Seconds. */
const MAX_RETRY_SECONDS = 5;

/** A client that got an empty reply instead would ask again at once. */
function noPlace(service: ServiceContext, operation: Operation): AsyncReplyError {
  return new AsyncReplyError(
    "TOO_MANY_REQUESTS",
    "The service does not wait, or too many requests wait already. Read again later, or without `live`.",
    { retryAfterSeconds: Math.min(MAX_RETRY_SECONDS, Number(retryAfter(service, operation))) },
  );
}
