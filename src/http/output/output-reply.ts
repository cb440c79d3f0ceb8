import { isTerminal } from "../../contract/operation.js";
import { positionText } from "../../contract/output.js";
import type { OutputSlice } from "../../ports/output-store.js";
import type { HttpResponse } from "../message/message.js";
import { completeReply, emptyReply, type Fields, matches, notModified } from "../message/reply.js";

/** Returns whether this part is the end of an output to which nothing is added any more. */
export function isClosed({ state, upToDate }: Pick<OutputSlice, "state" | "upToDate">): boolean {
  return upToDate && isTerminal(state);
}

/** Returns the chunks as a JSON array. */
export function arrayOf({ chunks }: OutputSlice): string {
  return `[${chunks.join(",")}]`;
}

/** Returns the header fields that say where a part ends (Durable Streams §5.6). */
export function placeFields(slice: OutputSlice, cursor?: number): Fields {
  const fields: Fields = { "stream-next-offset": positionText(slice.end) };
  if (slice.upToDate) fields["stream-up-to-date"] = "true";
  if (isClosed(slice)) fields["stream-closed"] = "true";
  else if (cursor !== undefined) fields["stream-cursor"] = String(cursor);
  return fields;
}

/** How a part is requested. */
interface PartRequest {
  readonly ifNoneMatch: string | undefined;
  /** Set for live replies. */
  readonly cursor?: number;
  /** Whether the request is for what comes next. Its reply is never the same. */
  readonly isNow?: boolean;
}

/** Replies with a part, or with 304 if the client has it. Caches must ask each time, because chunks can be discarded. */
export function partReply(
  slice: OutputSlice,
  { ifNoneMatch, cursor, isNow = false }: PartRequest,
): HttpResponse {
  const fields = placeFields(slice, cursor);
  fields["cache-control"] = isNow ? "no-store" : "private, no-cache";
  const tag = tagOf(slice);
  if (!isNow) fields.etag = tag;
  const full = completeReply(200, "application/json", arrayOf(slice), fields);
  return !isNow && matches(ifNoneMatch, tag) ? notModified(full) : full;
}

/** The tag names what the reply depends on: places are never reused, so no two parts share one. */
function tagOf(slice: OutputSlice): string {
  const end = isClosed(slice) ? "closed" : slice.upToDate ? "open" : "more";
  return `"${positionText(slice.start)}-${positionText(slice.end)}-${end}"`;
}

/** Replies to a client that asked only for the end of the output. */
export function endReply(slice: OutputSlice): HttpResponse {
  return completeReply(200, "application/json", "[]", { ...placeFields(slice), "cache-control": "no-store" });
}

/** Replies that there is nothing new. */
export function nothingNew(slice: OutputSlice, cursor?: number): HttpResponse {
  const fields = placeFields(slice, cursor);
  return emptyReply(204, { ...fields, "cache-control": "no-store", "x-content-type-options": "nosniff" });
}
