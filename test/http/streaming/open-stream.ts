import type { HttpResponse, RequestContext } from "async-request-reply";
import type { Mountable } from "async-request-reply/ports";
import { nextTurn } from "../../../src/platform/waits.js";
import { createEventParser } from "../../support/event-reader.js";

/** Differences from a plain request for a stream. */
interface StreamRequest {
  readonly method?: string;
  readonly fields?: Readonly<Record<string, string>>;
  readonly context?: RequestContext;
}

/** Requests the stream of an operation, and reads it as fast as it comes. */
export async function openStream(service: Mountable, id: string, request: StreamRequest = {}) {
  const reply = await requestStream(service, id, request);
  const reading = await readEvents(reply.body);
  const { received } = reading;
  /** Returns the `status` in the data of each event so far. */
  const statuses = () => received.events.map(({ data }) => (JSON.parse(data) as { status: unknown }).status);
  return Object.assign(reading, { reply, statuses });
}

/** Reads a stream of events as fast as it comes. */
export async function readEvents(body: HttpResponse["body"]) {
  const { received, push } = createEventParser();
  const chunks = toIterator(body);
  let ended = false;
  const end = (async () => {
    for (let next = await chunks.next(); next.done !== true; next = await chunks.next())
      push(new TextDecoder().decode(next.value));
    ended = true;
  })();
  await nextTurn();
  return {
    received,
    get ended() {
      return ended;
    },
    /** Resolves when the stream has ended. */
    end,
    /** Breaks the connection, like a client that goes away. */
    abort: async () => chunks.return?.(),
  };
}

/** Requests the stream of an operation, and reads nothing of it. */
export function requestStream(
  service: Mountable,
  id: string,
  { method = "GET", fields = {}, context }: StreamRequest = {},
): Promise<HttpResponse> {
  const headers = { accept: "text/event-stream", ...fields };
  return service.handle({ method, path: `/operations/${id}`, headers }, context);
}

/** Returns the chunks of a body that is a stream, or the body as one chunk. */
export function toIterator(body: HttpResponse["body"]): AsyncIterator<Uint8Array> {
  if (typeof body === "object" && Symbol.asyncIterator in body) return body[Symbol.asyncIterator]();
  const whole = body === undefined ? [] : [new TextEncoder().encode(body as string)];
  return (async function* () {
    yield* whole;
  })();
}
