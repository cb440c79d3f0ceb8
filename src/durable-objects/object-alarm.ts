import type { AlarmStorage } from "./platform.js";

/** The alarm of an object. An object has one, so everything that will be due shares it. Writes only what changes, because each change is a row. */
export class ObjectAlarm {
  readonly #storage: AlarmStorage;
  #at = Number.POSITIVE_INFINITY;

  constructor(storage: AlarmStorage) {
    this.#storage = storage;
  }

  /** Returns whether an alarm is set. */
  isSet(): boolean {
    return this.#at < Number.POSITIVE_INFINITY;
  }

  /** Learns which alarm was set before this object was in memory. */
  async load(): Promise<void> {
    this.#at = (await this.#storage.getAlarm()) ?? Number.POSITIVE_INFINITY;
  }

  /** Rings at this time instead of any other. Epoch milliseconds. */
  set(at: number): void {
    if (at === this.#at) return;
    this.#at = at;
    // Takes effect at once, together with the other writes of this turn. If these fail, the platform restarts the object.
    void this.#storage.setAlarm(at);
  }

  /** Rings at this time, or earlier if an earlier alarm is set. Epoch milliseconds. */
  noLaterThan(at: number): void {
    this.set(Math.min(at, this.#at));
  }

  /** Does the same in a transaction that may be rolled back, and the alarm with it. So the next call sets it again. */
  mayBeUndone(at: number): void {
    if (at < this.#at) void this.#storage.setAlarm(at);
  }

  /** Learns that the alarm has rung, so that none is set. */
  rang(): void {
    this.#at = Number.POSITIVE_INFINITY;
  }

  /** Removes the alarm. */
  remove(): void {
    this.#at = Number.POSITIVE_INFINITY;
    void this.#storage.deleteAlarm();
  }
}
