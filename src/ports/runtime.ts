/** The time as one process sees it. Stores use their own clock for leases and expiry. */
export interface Clock {
  /** Returns the current time. Epoch milliseconds. */
  now(): number;
  /**
   * Returns the time since some moment. Corrections of the system time do not change it, so it measures how long something
   * takes. Milliseconds.
   */
  elapsed(): number;
  /** Runs `task` once, `delayMs` from now at the earliest. Milliseconds. Returns a function that cancels it. */
  schedule(delayMs: number, task: () => void): () => void;
  /** Does the same, but does not keep the process alive. Default: `schedule`. */
  scheduleInBackground?(delayMs: number, task: () => void): () => void;
}

/** Source of time, ids, randomness and hashes, so that tests can replace them. */
export interface Runtime {
  /** Clock for time limits and renewals. Stores have their own clock. */
  readonly clock: Clock;
  /** Returns a new operation id: a UUID v7, so that ids of one process sort by time and indexes stay small. */
  newId(): string;
  /** Returns a new random text, never reused, of at least 120 bits. Tokens of attempts have parts of it, so all of it must be random. */
  newToken(): string;
  /** Returns a number in [0, 1), for jitter. */
  random(): number;
  /** Resolves after everything else that waits for the event loop has had its turn, including sockets. */
  pause(): Promise<void>;
  /**
   * Returns the SHA-256 of the UTF-8 text in base64url. Synchronous if the platform can, because it is on the hot
   * path.
   */
  hash(text: string): string | Promise<string>;
}
