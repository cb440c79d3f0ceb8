import type { Clock } from "../../ports/runtime.js";
import { onAbort } from "../../ports/waits.js";

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
  /** Ends the waits for these definitions, and returns whether there were any. Default: all waits. */
  wake(definitions?: ReadonlySet<string>): boolean;
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
  const waiting = new Set<(definitions: ReadonlySet<string> | undefined) => boolean>();
  return {
    get size() {
      return waiting.size;
    },
    wake: (definitions) => {
      let woken = false;
      for (const each of waiting) woken = each(definitions) || woken;
      return woken;
    },
    expect: (definitions) => {
      let named = false;
      let end: () => void = () => {};
      const onNamed = (changed?: ReadonlySet<string>): boolean => {
        if (changed !== undefined && !definitions.some((definition) => changed.has(definition))) return false;
        named = true;
        end();
        return true;
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
              forget();
              resolve();
            };
            const cancelTimer = clock.schedule(pollMs, end);
            const forget = onAbort(signal, end);
          }),
        cancel: () => void waiting.delete(onNamed),
      };
    },
  };
}
