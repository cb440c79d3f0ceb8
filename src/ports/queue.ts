import type { Ring } from "./ring.js";

/** Functions that a queue calls for one worker. They never throw. */
export interface RingListener {
  /** Called when work of a definition that the worker wants may be able to begin. */
  readonly onRing: () => void;
  /** Called when the queue cannot be reached, with an error `QUEUE_UNAVAILABLE`. The queue keeps trying by itself. */
  readonly onError: (error: unknown) => void;
}

/** The rings of one worker. */
export interface Listening {
  /**
   * Sets the definitions of which the worker has free slots: it hears rings of these only. A worker calls it when it starts and
   * after each claim. Until then, it wants none.
   *
   * A queue that gives each ring to one worker rings again for a definition that its worker no longer wants, although it has
   * heard a ring of it since it last kept slots free: there may be more work than it could take.
   */
  want(definitions: ReadonlySet<string>): void;
  /** Ends it, and releases what it holds in the queue. Never rejects. */
  close(): Promise<void>;
}

/**
 * Wakes up workers. A ring may come twice, late or never: a worker claims work in the store, also when nothing rings. So losing a
 * ring costs nothing but time, at most 10 s.
 */
export interface Queue {
  /** Publishes rings: each reaches at least one worker that wants its definition. Throws `QUEUE_UNAVAILABLE`. */
  publish(rings: readonly Ring[]): Promise<void>;
  /** Lets a worker hear rings. It connects on first use, so this never throws if the queue is down. */
  listen(listener: RingListener): Listening;
  /** Releases everything that the queue opened itself. */
  close(): Promise<void>;
}
