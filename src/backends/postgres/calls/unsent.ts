import { AsyncReplyError } from "../../../contract/errors.js";

/** Knows which batches have been sent, so that callers can give up on items that have not. */
export interface Unsent<Item> {
  /** Called right before a statement with items of a batch is sent. Throws if the caller of one of them has given up. */
  send(items: readonly Item[], batch: readonly Item[]): void;
  /** Called when a batch has its answer. */
  answered(batch: readonly Item[]): void;
  /** Gives up on an item that waits for its answer. Returns whether it has not been sent, so it never will be. */
  giveUp(item: Item): boolean;
  isGivenUp(item: Item): boolean;
}

/** Creates an {@link Unsent} without batches. It keeps nothing for each item, because every submission is one. */
export function createUnsent<Item extends object>(): Unsent<Item> {
  const sent = new Set<readonly Item[]>();
  const givenUp = new WeakSet<Item>();
  const isGivenUp = (item: Item): boolean => givenUp.has(item);
  return {
    send: (items, batch) => {
      if (items.some(isGivenUp))
        throw new AsyncReplyError("STORE_UNAVAILABLE", "The caller has already timed out.");
      sent.add(batch);
    },
    answered: (batch) => void sent.delete(batch),
    giveUp: (item) => {
      for (const batch of sent) if (batch.includes(item)) return false;
      givenUp.add(item);
      return true;
    },
    isGivenUp,
  };
}
