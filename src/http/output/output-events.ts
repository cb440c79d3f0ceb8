import { isSamePosition, positionText } from "../../contract/output.js";
import type { Follower } from "../../operations/output/follower.js";
import type { SharedSlice } from "../../operations/output/output-reader.js";
import type { Runtime } from "../../ports/runtime.js";
import type { HttpResponse } from "../message/message.js";
import { createEventBody, type Sent, STREAM_FIELDS, whole } from "../streaming/event-body.js";
import { arrayOf, isClosed } from "./output-reply.js";
import { cursorAfter } from "./stream-cursor.js";

/** Time after which a client reconnects. Milliseconds. */
const RETRY_MS = 1_000;
/** A client reconnects up to this part earlier, so that clients of one deployment do not come back together. */
const RETRY_JITTER = 0.4;

/** Clients of the protocol look for `no-cache`. */
const FIELDS = { ...STREAM_FIELDS, "cache-control": "no-cache, no-store, no-transform" } as const;

/**
 * Replies with a stream of the parts of an output (Durable Streams §5.8). The id of an event is the place after it, so an
 * `EventSource` goes on from there. The stream ends when the output is closed. It also ends when chunks are discarded: the client
 * then learns of it when it reconnects.
 *
 * @param follower Where further parts come from. Without it, the stream ends after the first.
 * @param first Part that was read from where the client is.
 */
export function streamParts(
  runtime: Runtime,
  follower: Follower | undefined,
  first: SharedSlice,
  cursor: number | undefined,
): HttpResponse {
  const base = cursorAfter(cursor, runtime);
  if (isClosed(first)) return whole(FIELDS, frameOf(first, base));
  const retryMs = Math.ceil(RETRY_MS * (1 - RETRY_JITTER * runtime.random()));
  const text = `retry: ${retryMs}\n\n${frameOf(first, base)}`;
  if (follower === undefined) return whole(FIELDS, text);
  let place = first.end;
  const toSent = (slice: SharedSlice): Sent => {
    if (!isSamePosition(slice.start, place)) return { isLast: true };
    place = slice.end;
    const current = Math.max(base, cursorAfter(undefined, runtime));
    return { bytes: bytesOf(slice, current), isLast: isClosed(slice) };
  };
  return { status: 200, headers: FIELDS, body: createEventBody(runtime.clock, follower, text, toSent) };
}

/**
 * Returns a part as the text of its events. The id is on the first of them, because a client that has the data must not get it
 * again, even if the connection breaks before the rest.
 */
function frameOf(slice: SharedSlice, cursor: number): string {
  const streamNextOffset = positionText(slice.end);
  const data = slice.chunks.length === 0 ? "" : `event: data\ndata:${arrayOf(slice)}\n\n`;
  const control = isClosed(slice)
    ? { streamNextOffset, upToDate: true, streamClosed: true, status: slice.state }
    : { streamNextOffset, streamCursor: String(cursor), ...(slice.upToDate && { upToDate: true }) };
  return `id: ${streamNextOffset}\n${data}event: control\ndata:${JSON.stringify(control)}\n\n`;
}

const encoder = new TextEncoder();

/** Returns the bytes of a part, which all followers with the same cursor share. */
function bytesOf(slice: SharedSlice, cursor: number): Uint8Array {
  const last = slice.once<{ cursor?: number; bytes?: Uint8Array }>(bytesOf, () => ({}));
  if (last.bytes === undefined || last.cursor !== cursor) {
    last.cursor = cursor;
    last.bytes = encoder.encode(frameOf(slice, cursor));
  }
  return last.bytes;
}
