import { quantile } from "../ports/histogram.js";
import { HOUR_MS, MINUTE_MS, type MinutesStore } from "../ports/minutes-store.js";
import type { Clock } from "../ports/runtime.js";

/** Returns how long operations of a definition took, or undefined if that is not known. Milliseconds. */
export type KnownDuration = (definition: string) => number | undefined;

/** Options of {@link createCountedDurations}. */
interface CountedDurationsOptions {
  readonly minutes: Pick<MinutesStore, "read">;
  readonly clock: Clock;
  /** Names of the definitions. */
  readonly names: readonly string[];
}

/**
 * Returns the medians of what all processes have counted in the last hour. A call starts to read them in the background, at most once
 * a minute, and returns what is known so far. An error changes nothing.
 */
export function createCountedDurations({ minutes, clock, names }: CountedDurationsOptions): KnownDuration {
  const medians = new Map<string, number>();
  let readAt = Number.NEGATIVE_INFINITY;

  async function read(): Promise<void> {
    const to = (Math.floor(clock.now() / MINUTE_MS) + 1) * MINUTE_MS;
    const range = { definitions: names, from: to - HOUR_MS, to, stepMs: HOUR_MS };
    for (const { definition, total } of await minutes.read(range)) {
      const median = quantile(total, 0.5);
      if (median !== undefined) medians.set(definition, median);
    }
  }

  return (definition) => {
    if (clock.elapsed() >= readAt + MINUTE_MS) {
      readAt = clock.elapsed();
      read().catch(() => {});
    }
    return medians.get(definition);
  };
}
