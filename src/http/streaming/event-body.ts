import { isTerminal } from "../../contract/operation.js";
import { jsonFormat } from "../../formats/json.js";
import type { Subscription } from "../../operations/following/hub.js";
import type { Snapshot } from "../../operations/following/reader.js";
import type { ServiceContext } from "../context.js";
import { presentSnapshot } from "../operation/present.js";

/** Longest silence of a stream. Several proxies and platforms close connections that are idle for 10 s or more. */
const HEARTBEAT_MS = 8_000;

const encoder = new TextEncoder();
/** A comment, which clients ignore. */
const HEARTBEAT = encoder.encode(":\n\n");

/** The beginning of a stream. */
interface Beginning {
  /** First chunk. */
  readonly text: string;
  /** Id of the event that the client has after the first chunk. */
  readonly id: string;
}

/**
 * Creates the body of a stream. It sends each state that differs from the one before, and ends after the terminal state
 * or with its subscription. Chunks are created when they are asked for, so a slow client skips states, and nothing
 * piles up in memory.
 */
export function createEventBody(
  service: ServiceContext,
  subscription: Subscription,
  beginning: Beginning,
): AsyncIterable<Uint8Array> {
  const chunks = createChunks(service, subscription, beginning);
  const iterator: AsyncIterator<Uint8Array> = {
    next: () => chunks.next(),
    return: () => {
      // Wakes a call of `next`. The generator could not return before.
      subscription.close();
      return chunks.return();
    },
  };
  return { [Symbol.asyncIterator]: () => iterator };
}

async function* createChunks(
  service: ServiceContext,
  subscription: Subscription,
  { text, id }: Beginning,
): AsyncGenerator<Uint8Array, void, void> {
  const { clock } = service.runtime;
  let known = id;
  try {
    yield encoder.encode(text);
    let silentUntil = clock.elapsed() + HEARTBEAT_MS;
    for (;;) {
      const change = await subscription.nextWithin(Math.max(0, silentUntil - clock.elapsed()));
      if (change === undefined) return;
      const event = change === "idle" ? undefined : await eventOf(service, change);
      if (event?.id !== known) {
        yield event?.bytes ?? HEARTBEAT;
        silentUntil = clock.elapsed() + HEARTBEAT_MS;
        known = event?.id ?? known;
      }
      if (change !== "idle" && isTerminal(change.operation.state)) return;
    }
  } finally {
    subscription.close();
  }
}

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
