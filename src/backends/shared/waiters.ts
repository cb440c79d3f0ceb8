import type { Clock } from "../../ports/runtime.js";

/** A wait for due work. A wake-up that comes before `wait` is called ends the wait too. */
export interface Waiter {
  /** Resolves at a wake-up of one of the definitions, when the poll interval is over, or when the signal is aborted. */
  wait(signal: AbortSignal): Promise<void>;
  /** Unregisters the wait. */
  cancel(): void;
}

/** The waits of the consumers in this process. */
export interface Waiters {
  /** Number of registered waits. */
  readonly size: number;
  /** Ends the waits for these definitions. Default: all waits. */
  wake(definitions?: ReadonlySet<string>): void;
  /** Registers a wait for due work of definitions. */
  expect(definitions: readonly string[]): Waiter;
}

/** Options of {@link createWaiters}. */
export interface WaitersOptions {
  /** Maximum length of a wait, because wake-ups can get lost. Milliseconds. */
  readonly pollMs: number;
  readonly clock: Clock;
  /** Called when a wait begins. */
  readonly onWait: () => void;
}

/** Creates the waits of a process. */
export function createWaiters({ pollMs, clock, onWait }: WaitersOptions): Waiters {
  const waiting = new Set<(definitions: ReadonlySet<string> | undefined) => void>();
  return {
    get size() {
      return waiting.size;
    },
    wake: (definitions) => {
      for (const each of waiting) each(definitions);
    },
    expect: (definitions) => {
      let named = false;
      let end: () => void = () => {};
      const onNamed = (changed?: ReadonlySet<string>): void => {
        if (changed !== undefined && !definitions.some((definition) => changed.has(definition))) return;
        named = true;
        end();
      };
      waiting.add(onNamed);
      return {
        wait: (signal) =>
          new Promise<void>((resolve) => {
            if (named || signal.aborted) return resolve();
            onWait();
            end = () => {
              cancelTimer();
              // The signal is used for many waits.
              signal.removeEventListener("abort", end);
              resolve();
            };
            const cancelTimer = clock.schedule(pollMs, end);
            signal.addEventListener("abort", end);
          }),
        cancel: () => void waiting.delete(onNamed),
      };
    },
  };
}
