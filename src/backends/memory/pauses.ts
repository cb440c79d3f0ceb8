import type { Pause } from "../../ports/operation-reads.js";
import type { Clock } from "../../ports/runtime.js";

/** The paused definitions of a back end in memory. */
export class Pauses {
  readonly #clock: Clock;
  readonly #paused = new Map<string, Pause>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Returns the pause of a definition, or undefined if it is not paused. */
  of(definition: string): Pause | undefined {
    return this.#paused.get(definition);
  }

  pause(definition: string, by: string | undefined): void {
    if (this.#paused.has(definition)) return;
    const since = this.#clock.now();
    this.#paused.set(definition, by === undefined ? { since } : { since, by });
  }

  resume(definition: string): void {
    this.#paused.delete(definition);
  }
}
