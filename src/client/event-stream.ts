import { AsyncReplyError } from "../contract/errors.js";
import { misuse, shown } from "../contract/options.js";
import { type Connection, readEvents } from "./event-reader.js";
import { type AnyOperation, hasEnded, toOperation } from "./operation.js";
import type { ClientSettings } from "./options.js";
import { backoff, within } from "./pause.js";
import { send } from "./send.js";

/** Time until a reconnect, unless the service sends another one. Milliseconds. */
const RETRY_MS = 1_000;

/** Shortest time until a reconnect, even if the service sends a shorter one. Milliseconds. */
const MIN_RETRY_MS = 500;

/**
 * Reads the states of an operation from server-sent events, over one connection instead of one request for each state.
 * Pass it to `createClient` as `eventStream`. Ends without a terminal state if the service does not stream.
 *
 * Throws `INVALID_OPTION` if the reply is neither a stream nor an operation, or if an event is no operation.
 */
export async function* eventStream(
  settings: ClientSettings,
  url: string,
  signal?: AbortSignal,
): AsyncGenerator<AnyOperation, void, undefined> {
  const connection: Connection = { lastId: "", retryMs: RETRY_MS, wasHeard: false };
  for (let failures = 0; ; failures++) {
    const { lastId } = connection;
    const { body: stream } = await send(settings, {
      url,
      signal,
      headers: () => ({
        accept: "text/event-stream, application/json;q=0.5",
        ...(lastId === "" ? {} : { "last-event-id": lastId }),
      }),
      read: toStream,
    });
    if (typeof stream === "string")
      throw misuse(
        `The reply of ${url} is ${shown(stream)}, and not an event stream. Check \`baseUrl\` and \`statusPath\`.`,
      );
    if (!stream) return;
    connection.wasHeard = false;
    for await (const data of readEvents(stream as ReadableStream<Uint8Array>, url, connection, signal)) {
      const operation = toState(data, url);
      yield operation;
      if (hasEnded(operation)) return;
    }
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

function toState(data: string, url: string): AnyOperation {
  try {
    return toOperation(JSON.parse(data), url);
  } catch (cause) {
    const detail = `An event of ${url} is not an operation. Check \`baseUrl\` and \`statusPath\`.`;
    throw new AsyncReplyError("INVALID_OPTION", detail, { cause });
  }
}
