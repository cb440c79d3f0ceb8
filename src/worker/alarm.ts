import type { Clock } from "../ports/runtime.js";
import { CLAIM_INTERVAL_MS } from "../protocol/bell.js";
import type { CheckedProcessor } from "./processors.js";

/** Decides how long a worker sleeps after a claim. */
export interface Alarm {
  /**
   * Returns the time until the next claim, if nothing wakes the worker earlier. Milliseconds.
   *
   * @param nextInMs When work becomes due, as far as the store knows. Milliseconds from now.
   */
  after(nextInMs: number | undefined): number;
  /** Call it after each claim with whether it began anything. `isWoken` says whether something woke the worker before. */
  claimed(hasBegun: boolean, isWoken: boolean): void;
}

const MIN_SPREAD_MS = 5;
const MAX_SPREAD_MS = 500;

/**
 * Creates an alarm. Many processes wait for the same moment, so each adds a random time. One that comes too late for the work
 * doubles its range, and one that finds work halves it. So a hundred idle processes still claim once each, but not at once.
 */
export function createAlarm(processors: ReadonlyMap<string, CheckedProcessor>, random: () => number): Alarm {
  // Half of a lease, so that the end of each one is known before it ends.
  const halves = [...processors.values()].map(({ settings }) => settings.leaseMs / 2);
  const intervalMs = Math.ceil(Math.min(CLAIM_INTERVAL_MS, ...halves));
  let spreadMs = 0;
  /** Whether work was to be due at the end of the sleep. */
  let expected = false;
  return {
    after: (nextInMs = Number.POSITIVE_INFINITY) => {
      expected = nextInMs < intervalMs;
      return Math.min(intervalMs, nextInMs + Math.floor(random() * spreadMs));
    },
    claimed: (hasBegun, isWoken) => {
      if (!expected || isWoken) return;
      spreadMs = hasBegun
        ? Math.floor(spreadMs / 2)
        : Math.min(MAX_SPREAD_MS, Math.max(MIN_SPREAD_MS, spreadMs * 2));
    },
  };
}

/** Ends the sleep of a worker. */
export interface WakeUp {
  /** Ends the sleep, or the next one. */
  wake(): void;
  /** Forgets earlier calls of `wake`. */
  reset(): void;
  /** Sleeps for at most this time. Resolves to whether `wake` has ended it. Milliseconds. */
  sleep(ms: number): Promise<boolean>;
}

/** Creates a wake-up for one sleeper. */
export function createWakeUp(clock: Clock): WakeUp {
  let isWoken = false;
  let end: () => void = () => {};
  return {
    wake: () => {
      isWoken = true;
      end();
    },
    reset: () => {
      isWoken = false;
    },
    sleep: (ms) =>
      new Promise((resolve) => {
        if (isWoken) return resolve(true);
        const cancel = clock.schedule(ms, () => end());
        end = () => {
          cancel();
          end = () => {};
          resolve(isWoken);
        };
      }),
  };
}
