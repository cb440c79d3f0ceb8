import type { Clock } from "../../../ports/runtime.js";
import { sleep } from "../../../ports/waits.js";

/** Sends with everything that arrives in the meantime. Resolves or rejects as the send does. */
export type PacedSend<Item> = (items: Iterable<Item>) => Promise<void>;

/**
 * Creates a function that sends at once if nothing was sent in the last `pauseMs` milliseconds. Calls that arrive earlier share
 * one send at the end of that time, which always follows.
 */
export function createPacedSend<Item>(
  send: (items: ReadonlySet<Item>) => Promise<void>,
  pauseMs: number,
  clock: Clock,
): PacedSend<Item> {
  let next: { readonly items: Set<Item>; readonly sent: Promise<void> } | undefined;
  let free: Promise<void> = Promise.resolve();

  async function sendNext(items: Set<Item>): Promise<void> {
    await free;
    next = undefined;
    const sent = send(items);
    const pause = (): Promise<void> => sleep(pauseMs, clock);
    free = sent.then(pause, pause);
    await sent;
  }

  return (items) => {
    if (next === undefined) {
      const own = new Set<Item>();
      next = { items: own, sent: sendNext(own) };
    }
    for (const item of items) next.items.add(item);
    return next.sent;
  };
}
