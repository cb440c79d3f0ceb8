import { AsyncReplyError } from "../contract/errors.js";
import type { Clock } from "../ports/runtime.js";

/** Calls the listener when the signal is aborted, not if it already is. Returns a function that removes the listener. */
export function onAbort(signal: AbortSignal | undefined, listener: () => void): () => void {
  signal?.addEventListener("abort", listener);
  return () => signal?.removeEventListener("abort", listener);
}

/** Resolves after this time, or once the signal is aborted. Milliseconds. */
export function sleep(ms: number, clock: Clock, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const end = (): void => {
      cancel();
      forget();
      resolve();
    };
    const cancel = clock.schedule(ms, end);
    const forget = onAbort(signal, end);
    if (signal?.aborted) end();
  });
}

/** Waits for work. If the signal is aborted first, rejects with its reason and ignores the later result or error. */
export function untilAborted<T>(work: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  if (signal === undefined) return work;
  return new Promise((resolve, reject) => {
    const abort = (): void => reject(signal.reason);
    if (signal.aborted) abort();
    work.then(resolve, reject).finally(onAbort(signal, abort));
  });
}

/** Waits for a promise for at most `ms` milliseconds. Ignores what comes later. Does not stop the work itself. */
export function withinTime<T>(
  promise: PromiseLike<T>,
  ms: number,
  clock: Clock,
  tooLate: () => Error,
): Promise<T> {
  return new Promise((resolve, reject) => {
    let settled = false;
    let cancel: (() => void) | undefined;
    promise.then(
      (value) => {
        settled = true;
        cancel?.();
        resolve(value);
      },
      (error: unknown) => {
        settled = true;
        cancel?.();
        reject(error);
      },
    );
    // A promise that has already settled calls back before this, and needs no timer. `queueMicrotask` takes longer.
    void Promise.resolve().then(() => {
      if (!settled) cancel = clock.schedule(ms, () => reject(tooLate()));
    });
  });
}

/**
 * Calls functions after a time. Calls that are due within the same `widthMs` share a timer, because a timer costs more
 * than most of what waits for it.
 */
export class Deadlines {
  readonly #clock: Clock;
  readonly #widthMs: number;
  readonly #buckets = new Map<number, Bucket>();

  constructor(clock: Clock, widthMs: number) {
    this.#clock = clock;
    this.#widthMs = widthMs;
  }

  /** Calls the function once, after `ms` or up to `widthMs` earlier. Milliseconds. */
  add(ms: number, call: () => void): Deadline {
    const now = this.#clock.elapsed();
    const at = Math.floor((now + ms) / this.#widthMs);
    const bucket = this.#buckets.get(at) ?? this.#open(at, at * this.#widthMs - now);
    const deadline = new Deadline(call, bucket);
    bucket.deadlines.add(deadline);
    return deadline;
  }

  #open(at: number, delayMs: number): Bucket {
    const deadlines = new Set<Deadline>();
    const end = (): void => {
      this.#buckets.delete(at);
      bucket.close = () => {};
      for (const { call } of deadlines) call();
    };
    const cancelTimer = this.#clock.schedule(delayMs, end);
    const close = (): void => {
      this.#buckets.delete(at);
      cancelTimer();
    };
    const bucket: Bucket = { deadlines, close };
    this.#buckets.set(at, bucket);
    return bucket;
  }
}

/** Calls that share a timer. */
interface Bucket {
  readonly deadlines: Set<Deadline>;
  /** Cancels the timer. */
  close: () => void;
}

/** A call that waits in {@link Deadlines}. */
export class Deadline {
  /** @internal */
  readonly call: () => void;
  /** @internal */
  readonly bucket: Bucket;

  constructor(call: () => void, bucket: Bucket) {
    this.call = call;
    this.bucket = bucket;
  }

  /** Cancels the call. Can be repeated, also after the call. */
  cancel(): void {
    const { deadlines, close } = this.bucket;
    if (deadlines.delete(this) && deadlines.size === 0) close();
  }
}

/** Resolves after everything else that waits for the event loop has had its turn, including sockets. */
export function nextTurn(): Promise<void> {
  return new Promise((resolve) => (globalThis.setImmediate ?? setTimeout)(resolve));
}

/** Waits for an answer up to a time limit. The work itself continues. Throws `STORE_UNAVAILABLE`. */
export type WithinTime = <T>(answer: Promise<T>) => Promise<T>;

interface Waiting {
  /** Number of ticks before the wait began. */
  readonly since: number;
  readonly giveUp: (error: AsyncReplyError) => void;
}

/** Number of ticks in the limit. A wait can exceed the limit by one tick. */
const TICKS = 8;

/**
 * Creates a time limit of `ms` milliseconds with one timer for all waiting calls, because a timer for each would cost
 * as much as the rest of the call. It counts ticks instead of reading the time, so changes of the clock have no
 * effect.
 */
export function createTimeLimit(ms: number, clock: Clock): WithinTime {
  const waiting = new Set<Waiting>();
  let ticks = 0;
  let cancelTick: (() => void) | undefined;

  function tickLater(): void {
    cancelTick = clock.schedule(ms / TICKS, tick);
  }

  function tick(): void {
    ticks += 1;
    for (const each of waiting) {
      if (ticks - each.since <= TICKS) break;
      waiting.delete(each);
      each.giveUp(new AsyncReplyError("STORE_UNAVAILABLE", "The store did not answer in time."));
    }
    if (waiting.size > 0) tickLater();
    else cancelTick = undefined;
  }

  /** Ends a wait. Cancels the timer after the last one, because a timer would keep the process alive. */
  function end(entry: Waiting): void {
    waiting.delete(entry);
    if (waiting.size > 0) return;
    cancelTick?.();
    cancelTick = undefined;
  }

  return (answer) =>
    new Promise((resolve, reject) => {
      const entry: Waiting = { since: ticks, giveUp: reject };
      waiting.add(entry);
      if (cancelTick === undefined) tickLater();
      answer.then(
        (value) => {
          end(entry);
          resolve(value);
        },
        (error: unknown) => {
          end(entry);
          reject(error);
        },
      );
    });
}
