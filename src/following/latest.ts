/** Passes values to one consumer. Keeps only the latest one, because a consumer needs no history. */
export interface Latest<Value> {
  /** Offers a value. Replaces one that was not taken. */
  offer(value: Value): void;
  /** Ends the values. A value that was not taken can still be taken. */
  end(): void;
  /** Resolves to the next value, or to `undefined` after the end or a call of `interrupt`. */
  next(): Promise<Value | undefined>;
  /** Wakes a call of `next` without a value. */
  interrupt(): void;
  /** Returns whether `end` was called. */
  hasEnded(): boolean;
}

/** Creates an empty slot. */
export function createLatest<Value>(): Latest<Value> {
  let latest: Value | undefined;
  let ended = false;
  let wake: () => void = () => {};
  return {
    offer: (value) => {
      latest = value;
      wake();
    },
    end: () => {
      ended = true;
      wake();
    },
    next: async () => {
      if (latest === undefined && !ended) {
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
      }
      const taken = latest;
      latest = undefined;
      return taken;
    },
    interrupt: () => wake(),
    hasEnded: () => ended,
  };
}
