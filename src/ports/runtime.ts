/** Time as one process sees it. Stores reckon leases and expiries by a clock of their own. */
export interface Clock {
  /** Epoch milliseconds. */
  now(): number;
  /** Runs `task` once, `delayMs` from now at the earliest. The returned function takes that back. */
  schedule(delayMs: number, task: () => void): () => void;
}

/** Everything that is not a pure function of its arguments comes in here. */
export interface Runtime {
  /** For time limits and renewals. Stores have a clock of their own. */
  readonly clock: Clock;
  /** A new operation id: UUID v7, so that ids of one process sort by time and indexes stay small. */
  newId(): string;
  /** A new attempt token: random, never reused, at least 120 bits. */
  newToken(): string;
  /** A number in [0, 1), for jitter. */
  random(): number;
  /** Lets what else waits for the event loop run, sockets included. */
  pause(): Promise<void>;
  /** SHA-256 of the UTF-8 text, in base64url. Synchronous where the platform can, because it is on the hot path. */
  hash(text: string): string | Promise<string>;
}
