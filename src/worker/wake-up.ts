import type { Clock } from "../ports/runtime.js";

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
