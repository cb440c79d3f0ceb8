import { utf8Length } from "../../contract/json/json-text.js";
import { jsonFormat } from "../../formats/json.js";
import type { Snapshot } from "../../operations/following/hub.js";
import type { Clock } from "../../ports/runtime.js";
import type { ServiceContext } from "../context.js";
import type { HttpResponse } from "../message/message.js";
import type { Fields } from "../message/reply.js";
import { EVENT_STREAM } from "../negotiation/reply-format.js";
import { presentSnapshot } from "../operation/status-monitor.js";

/** Longest silence of a stream. Several proxies and platforms close connections that are idle for 10 s or more. */
const HEARTBEAT_MS = 8_000;

const encoder = new TextEncoder();
/** A comment, which clients ignore. */
const HEARTBEAT = encoder.encode(":\n\n");

/** Header fields of every stream. */
export const STREAM_FIELDS: Readonly<Fields> = {
  "content-type": EVENT_STREAM,
  // A proxy or middleware that compresses a stream would hold its events back.
  "cache-control": "no-store, no-transform",
  // Turns off the buffer of nginx.
  "x-accel-buffering": "no",
  "x-content-type-options": "nosniff",
};

/** Creates the reply for a stream that has ended. */
export function whole(headers: Readonly<Fields>, body: string): HttpResponse {
  return { status: 200, headers: { ...headers, "content-length": String(utf8Length(body)) }, body };
}

/** Source of the events of a stream. It ends when `nextWithin` resolves to `undefined`. */
interface Source<Change> {
  nextWithin(ms: number): Promise<Change | "idle" | undefined>;
  close(): void;
}

/** Reaction of a stream to a change. */
export interface Sent {
  /** Default: nothing. */
  readonly bytes?: Uint8Array;
  /** Whether the stream ends after it. */
  readonly isLast: boolean;
}

/**
 * Creates the body of a stream. It sends the text, then what `toSent` returns for each change, and comments during silence. Chunks
 * are created when they are asked for, so nothing piles up in memory for a slow client. An iterator by hand, because a generator
 * resolves several promises for each chunk.
 */
export function createEventBody<Change extends object>(
  clock: Clock,
  source: Source<Change>,
  text: string,
  toSent: (change: Change) => Sent | Promise<Sent>,
): AsyncIterable<Uint8Array> {
  let hasBegun = false;
  let isOver = false;
  let silentUntil = 0;
  /** Number of calls of `next` that were not answered, and the last one. */
  let asked = 0;
  let last: Promise<Next> = Promise.resolve(ENDED);

  function end(): Ended {
    isOver = true;
    source.close();
    return ENDED;
  }

  function answer(next: Next): Next {
    asked -= 1;
    return next;
  }

  function fail(error: unknown): never {
    answer(end());
    throw error;
  }

  function ask(): Promise<Next> {
    if (isOver) return Promise.resolve(answer(ENDED));
    silentUntil = clock.elapsed() + HEARTBEAT_MS;
    if (hasBegun) return advance();
    hasBegun = true;
    return Promise.resolve(answer({ done: false, value: encoder.encode(text) }));
  }

  const advance = (): Promise<Next> =>
    source.nextWithin(Math.max(0, silentUntil - clock.elapsed())).then(react);

  function react(change: Change | "idle" | undefined): Next | Promise<Next> {
    if (isOver || change === undefined) return answer(end());
    if (change === "idle") return answer({ done: false, value: HEARTBEAT });
    try {
      const sent = toSent(change);
      return "then" in sent ? sent.then(send, fail) : send(sent);
    } catch (error) {
      return fail(error);
    }
  }

  function send({ bytes, isLast }: Sent): Next | Promise<Next> {
    if (isLast) end();
    if (bytes !== undefined) return answer({ done: false, value: bytes });
    return isOver ? answer(ENDED) : advance();
  }

  const iterator: AsyncIterator<Uint8Array> = {
    next: () => {
      asked += 1;
      last = asked === 1 ? ask() : last.then(ask, ask);
      return last;
    },
    // Wakes a call of `next`.
    return: async () => end(),
  };
  return { [Symbol.asyncIterator]: () => iterator };
}

type Ended = IteratorReturnResult<undefined>;
type Next = IteratorYieldResult<Uint8Array> | Ended;

const ENDED: Ended = { done: true, value: undefined };

/** An event that shows the state of an operation. */
export interface StateEvent {
  /** The `ETag` of the state in JSON, with its quotes. */
  readonly id: string;
  /** The event as text, with the empty line at its end. */
  readonly text: string;
  /** The bytes of `text`. All streams share them. */
  readonly bytes: Uint8Array;
}

/** Returns the event for a snapshot, which all of its streams share. */
export function eventOf(service: ServiceContext, snapshot: Snapshot): Promise<StateEvent> {
  return snapshot.once(createEvent, () => createEvent(service, snapshot));
}

async function createEvent(service: ServiceContext, snapshot: Snapshot): Promise<StateEvent> {
  const { headers, body } = await presentSnapshot(service, snapshot, jsonFormat);
  const id = headers.etag ?? "";
  // JSON escapes line breaks, so the body is a single line.
  const text = `id: ${id}\ndata: ${body as string}\n\n`;
  return { id, text, bytes: encoder.encode(text) };
}
