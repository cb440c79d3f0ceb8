import type { Runtime } from "../../ports/runtime.js";
import { createParking, pollMsOf } from "./parking.js";
import type { Places } from "./places.js";
import type { Snapshot } from "./reader.js";
import { createReader, type ReaderOptions } from "./reader.js";
import type { WaitSettings } from "./wait-ends.js";

/** An operation that a caller wants to follow. */
interface Interest extends WaitSettings {
  /** Id of the operation. */
  readonly id: string;
  /** Tenant of the caller. Operations of other tenants are never delivered. */
  readonly tenant: string;
}

/** The changes of one operation. */
export interface Subscription {
  /**
   * Resolves to a snapshot, once the operation was read after a change. Only the latest state counts: it replaces an earlier
   * one that was not taken. Resolves to `undefined` if the time is over, the signal is aborted, the hub is closed, or
   * the tenant has no such operation.
   */
  next(): Promise<Snapshot | undefined>;
  /** Resolves like `next`, or to `idle` if nothing is delivered within this time. Milliseconds. */
  nextWithin(ms: number): Promise<Snapshot | "idle" | undefined>;
  /** Reads the operation soon, as if it had changed. */
  refresh(): void;
  /** Ends the subscription and frees everything that it holds. Its limits do the same. Can be repeated. */
  close(): void;
}

/**
 * Tells waiting callers when operations change. It reads each changed operation once, regardless of how many callers
 * wait for it.
 */
export interface Hub {
  /**
   * Subscribes to an operation. Returns `undefined` if there is no place for this tenant, or if the signal is already
   * aborted. To miss no change, subscribe first, then read the operation, and then call `next`.
   */
  subscribe(interest: Interest): Subscription | undefined;
  /** Resolves after the polling interval of the hub, when the signal is aborted, or when the hub is closed. */
  pause(signal: AbortSignal | undefined): Promise<void>;
  /** Ends all subscriptions. Later ones end at once. */
  close(): void;
  /** Number of open subscriptions. */
  readonly waiters: number;
  /** Whether `close` was called. */
  readonly closed: boolean;
}

/** Dependencies of {@link createHub}. */
export interface HubOptions extends ReaderOptions {
  readonly runtime: Pick<Runtime, "clock" | "pause">;
  /** Places of all who wait. `close` ends all waits in them. */
  readonly places: Places;
}

/** Creates a hub. It has no timer and does not watch the store before the first subscription. */
export function createHub(options: HubOptions): Hub {
  const { operations, runtime, places } = options;
  const pollMs = pollMsOf(operations);
  const parking = createParking(operations, runtime.clock, pollMs, (id) => look(id));
  const look = createReader(options, parking.subscribers);

  return {
    subscribe: ({ id, ...wait }) => {
      const { tenant } = wait;
      const latest = createLatest<Snapshot>();
      let leave = (): void => {};
      const end = (): void => {
        leave();
        leave = () => {};
        latest.end();
      };
      const free = places.take(wait, end);
      if (free === undefined) return undefined;
      if (!latest.hasEnded()) leave = parking.park(id, { offer: latest.offer, end: latest.end, tenant });
      return {
        next: latest.next,
        nextWithin: async (ms) => {
          const deadline = places.after(ms, latest.interrupt);
          const next = await latest.next();
          deadline.cancel();
          return next ?? (latest.hasEnded() ? undefined : "idle");
        },
        refresh: () => look(id),
        close: () => {
          free();
          end();
        },
      };
    },
    pause: (signal) => places.pause({ waitMs: pollMs, signal }),
    close: () => {
      places.close();
      parking.close();
    },
    get waiters() {
      return places.taken;
    },
    get closed() {
      return places.closed;
    },
  };
}

/** Passes values to one consumer. Keeps only the latest one, because a consumer needs no history. */
interface Latest<Value> {
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
function createLatest<Value>(): Latest<Value> {
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
