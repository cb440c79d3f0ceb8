const SECOND_MS = 1_000;
const MINUTE_MS = 60 * SECOND_MS;

/** Number of timeouts in a row that postpone later deliveries. */
const MAX_TIMEOUTS = 3;
const MAX_DELAY_MS = 15 * MINUTE_MS;

/** The deliveries of one tenant, to one origin, or of one tenant to one origin: those in progress, and what is known from earlier ones. */
export class Traffic {
  /** Times at which the deliveries in progress started, in order. */
  readonly #startedAt: number[] = [];
  #timeouts = 0;
  #postponedUntil = 0;
  #lastMs = 0;
  #lastTurnAt = 0;

  /** Whether no delivery is in progress. */
  get isIdle(): boolean {
    return this.#startedAt.length === 0;
  }

  /** Whether the latest deliveries timed out. */
  get isSilent(): boolean {
    return this.#timeouts > 0;
  }

  isPostponed(now: number): boolean {
    return now < this.#postponedUntil;
  }

  /**
   * Returns whether one more delivery may start while so many slots are free: they never take more than they leave to
   * others. After a timeout, there is one delivery at a time, which finds out whether there are answers again.
   */
  hasRoom(free: number): boolean {
    return this.#startedAt.length < (this.#timeouts === 0 ? free : 1);
  }

  /** Returns how long the oldest delivery has been in progress. Milliseconds. */
  ageMs(now: number): number {
    return now - (this.#startedAt[0] ?? now);
  }

  start(now: number): void {
    this.#startedAt.push(now);
  }

  end(startedAt: number, now: number): void {
    this.#startedAt.splice(this.#startedAt.indexOf(startedAt), 1);
    this.#lastMs = now - startedAt;
  }

  answered(): void {
    this.#timeouts = 0;
    this.#postponedUntil = 0;
  }

  /** Counts a timeout. Returns for how long it postpones later deliveries, or undefined if it does not. Milliseconds. */
  timedOut(now: number, random: number): number | undefined {
    // The others in progress met the same silence.
    if (this.isPostponed(now)) return undefined;
    this.#timeouts += 1;
    if (this.#timeouts < MAX_TIMEOUTS) return undefined;
    const periodMs = Math.min(MINUTE_MS * 2 ** (this.#timeouts - MAX_TIMEOUTS), MAX_DELAY_MS);
    const delayMs = Math.round(periodMs * (0.8 + 0.4 * random));
    this.#postponedUntil = now + delayMs;
    return delayMs;
  }

  /**
   * Returns when a delivery without a slot should come again. Turns are as far apart as slots become free, so that a
   * backlog neither returns all at once nor leaves slots empty. Milliseconds from now.
   */
  nextTurnMs(now: number, random: number): number {
    const slotMs = Math.max(this.#lastMs, this.ageMs(now)) / Math.max(1, this.#startedAt.length);
    const spacingMs = Math.min(slotMs, SECOND_MS);
    const earliest = Math.max(this.#postponedUntil, now + SECOND_MS);
    this.#lastTurnAt = Math.max(earliest, Math.min(this.#lastTurnAt + spacingMs, now + MAX_DELAY_MS));
    return Math.ceil(this.#lastTurnAt + spacingMs * random - now);
  }
}
