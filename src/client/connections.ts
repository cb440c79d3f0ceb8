import { misuse, shown } from "../contract/options.js";
import { type Connection, readEvents, type StreamEvent } from "./event-reader.js";
import type { ClientSettings } from "./options.js";
import { backoff, within } from "./pause.js";
import { type Call, send } from "./send.js";

/** Time until a reconnect, unless the service sends another one. Milliseconds. */
const RETRY_MS = 1_000;

/** Shortest time until a reconnect, even if the service sends a shorter one. Milliseconds. */
const MIN_RETRY_MS = 500;

/** An event, and the id of the last one up to it. */
export interface ReceivedEvent extends StreamEvent {
  readonly lastId: string;
}

/**
 * Reads server-sent events, over as many connections as it takes. Ends if the service does not stream, or has no more. A reply with
 * a problem that the call expects is an event with the name of the problem: its data is the header field `Stream-Next-Offset`.
 *
 * Throws `INVALID_OPTION` if the reply is neither a stream nor JSON.
 *
 * @param toCall Returns the request of the next connection.
 * @param lastId Id of the last event of an earlier stream, or an empty text.
 */
export async function* openEvents(
  settings: ClientSettings,
  toCall: (connection: Connection) => Pick<Call, "url" | "headers" | "expected" | "patientWith">,
  lastId: string,
  signal: AbortSignal | undefined,
): AsyncGenerator<ReceivedEvent, void, undefined> {
  const connection: Connection = { lastId, retryMs: RETRY_MS, wasHeard: false };
  for (let failures = 0; ; failures++) {
    const call = toCall(connection);
    const { status, headers, body } = await send(settings, { ...call, signal, read: toStream });
    if (status >= 400) {
      connection.lastId = headers.get("stream-next-offset") ?? "";
      yield { type: `${call.expected}`, data: "", lastId: connection.lastId };
      continue;
    }
    if (typeof body === "string")
      throw misuse(
        `The reply of ${call.url} is ${shown(body)}, and not an event stream. Check \`baseUrl\` and \`statusPath\`.`,
      );
    if (!body) return;
    connection.wasHeard = false;
    for await (const event of readEvents(body as ReadableStream<Uint8Array>, call.url, connection, signal))
      yield { ...event, lastId: connection.lastId };
    if (connection.wasHeard) failures = 0;
    const pauseMs = connection.wasHeard ? MIN_RETRY_MS : backoff(failures, MIN_RETRY_MS);
    await within(Math.max(connection.retryMs, pauseMs), signal);
  }
}

/**
 * Returns the stream of a reply. If the service does not stream or has no news, returns
 * undefined. Otherwise returns the media type.
 */
async function toStream({ status, headers, body }: Response): Promise<ReadableStream | string | undefined> {
  const type = headers.get("content-type") ?? "";
  if (/^text\/event-stream *(;|$)/i.test(type)) return body ?? undefined;
  await body?.cancel();
  return status === 204 || /^$|json|^text\/plain/i.test(type) ? undefined : type;
}
