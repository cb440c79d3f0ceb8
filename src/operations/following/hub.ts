import { coalesce } from "../../batching/batches.js";
import type { Mutable } from "../../contract/mutable.js";
import type { Operation } from "../../contract/operation.js";
import type { Observer } from "../../ports/observer.js";
import type { OperationStore } from "../../ports/operation-store.js";
import type { Runtime } from "../../ports/runtime.js";
import type { Places, WaitSettings } from "./places.js";
import { createOnce, type Shared } from "./shared.js";
import { createSpots, pollMsOf } from "./spots.js";
import { createWaiter, type Waiter } from "./waiter.js";

/** A state of an operation, shared by all who wait for it. */
export interface Snapshot extends Shared {
  readonly operation: Operation;
}

/** Creates a snapshot. It keeps everything that `once` makes for as long as it lives itself. */
export function createSnapshot(operation: Operation): Snapshot {
  return { operation, once: createOnce() };
}

/** An operation that a caller wants to follow. */
interface Interest extends WaitSettings {
  /** Id of the operation. */
  readonly id: string;
  /** Tenant of the caller. Operations of other tenants are never delivered. */
  readonly tenant: string;
}

/**
 * The changes of one operation. Only the latest state counts: it replaces an earlier one that was not taken. There are no further
 * ones if the tenant has no such operation.
 */
export interface Subscription extends Waiter<Snapshot> {
  /** Reads the operation soon, as if it had changed. */
  refresh(): void;
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
export interface HubOptions {
  readonly operations: OperationStore;
  readonly runtime: Pick<Runtime, "clock" | "pause">;
  readonly observe: Observer;
  /** Places of all who wait. `close` ends all waits in them. */
  readonly places: Places;
  /** Applies the time limit of store calls. */
  readonly inTime: <T>(call: Promise<T>) => Promise<T>;
}

/** Operations in one call of the store. */
const MAX_BATCH = 500;

/** Creates a hub. It has no timer and does not watch the store before the first subscription. */
export function createHub({ operations, runtime, observe, places, inTime }: HubOptions): Hub {
  const pollMs = pollMsOf(operations);
  const spots = createSpots<undefined, Snapshot | undefined>({
    read: createReader(operations, inTime),
    // An operation has only one state.
    keyOf: () => "",
    watch: (changed) => [operations.watch?.(changed)],
    pollMs,
    runtime,
    observe,
  });

  const hub: Mutable<Hub> = {
    closed: false,
    subscribe: ({ id, ...wait }) => {
      const spot = spots.enter(id, undefined, false);
      // A read that has begun before may find an older state than the one that the caller will read.
      let seen = spot.begun;
      const waiter = createWaiter<Snapshot>(places, wait, {
        take: (wake) => {
          const { last } = spot;
          if (last === undefined || last.number <= seen) return spots.wait(spot, wake);
          seen = last.number;
          return last.found?.operation.tenant === wait.tenant ? last.found : "gone";
        },
        leave: (wake) => spots.leave(spot, wake),
      });
      return waiter && { ...waiter, refresh: () => spots.changed(id) };
    },
    pause: (signal) => places.pause({ waitMs: pollMs, signal }),
    close: () => {
      hub.closed = true;
      places.close();
      spots.close();
    },
    get waiters() {
      return places.taken;
    },
  };
  return hub;
}

/** Creates a function that reads an operation, unless it is hidden. Reads that begin together share a call of the store. */
function createReader(
  operations: OperationStore,
  inTime: HubOptions["inTime"],
): (id: string) => Promise<Snapshot | undefined> {
  return coalesce({
    maxBatch: MAX_BATCH,
    maxWaiting: Number.POSITIVE_INFINITY,
    flush: async (ids) => {
      const found = new Map((await inTime(operations.getMany(ids))).map((each) => [each.id, each]));
      return ids.map((id) => {
        const operation = found.get(id);
        return operation === undefined || operation.hidden === true ? undefined : createSnapshot(operation);
      });
    },
  });
}
