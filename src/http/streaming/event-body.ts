import { isTerminal } from "../../contract/operation.js";
import type { Subscription } from "../../following/hub.js";
import type { ServiceContext } from "../context.js";
import { eventOnce } from "./state-event.js";

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
    let silentUntil = clock.now() + HEARTBEAT_MS;
    for (;;) {
      const news = await subscription.nextWithin(Math.max(0, silentUntil - clock.now()));
      if (news === undefined) return;
      const event = news === "idle" ? undefined : await eventOnce(service, news);
      if (event?.id !== known) {
        yield event?.bytes ?? HEARTBEAT;
        silentUntil = clock.now() + HEARTBEAT_MS;
        known = event?.id ?? known;
      }
      if (news !== "idle" && isTerminal(news.state)) return;
    }
  } finally {
    subscription.close();
  }
}
