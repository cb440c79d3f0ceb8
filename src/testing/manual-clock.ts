import { invalidOption } from "../contract/options.js";
import { nextTurn } from "../platform/waits.js";
import type { Clock } from "../ports/runtime.js";

/** A clock that moves only when a test moves it. */
export interface ManualClock extends Clock {
  /**
   * Moves the clock and runs the timers that fall due on the way, in order of time. After each timer, it waits for
   * the promises that depend on no timer. Calls add up: a second call starts where the first one ends. If a timer
   * throws, it rejects with that error and stops at the time of that timer.
   *
   * Throws `INVALID_OPTION` if `ms` is less than 0.
   */
  advance(ms: number): Promise<void>;
  /**
   * Sets the clock forward, or back if `ms` is negative, like a correction of the system time. Timers still run
   * after their original delays, and `elapsed` does not change. Takes effect after earlier calls to `advance`.
   *
   * Throws `INVALID_OPTION` if `ms` is not finite.
   */
  jump(ms: number): Promise<void>;
}

interface Timer {
  at: number;
  readonly task: () => void;
}

/** Creates a clock for tests. Time passes only through `advance`. Default start: the beginning of 2026 (UTC). */
export function createManualClock(startMs: number = Date.UTC(2026, 0)): ManualClock {
  let now = startMs;
  /** How far the clock was set, in sum. */
  let jumped = 0;
  /** In order of scheduling, which decides between timers of the same time. */
  const timers = new Set<Timer>();
  let lastStep = Promise.resolve();

  function jump(ms: number): void {
    now += ms;
    jumped += ms;
    for (const timer of timers) timer.at += ms;
  }

  /** Runs a step after all earlier ones. */
  function inTurn(step: () => void | Promise<void>): Promise<void> {
    const done = lastStep.then(step);
    lastStep = done.catch(() => {});
    return done;
  }

  async function move(ms: number): Promise<void> {
    const end = now + ms;
    // Code that is already running may schedule more timers.
    await nextTurn();
    for (let next = earliest(timers); next !== undefined && next.at <= end; next = earliest(timers)) {
      timers.delete(next);
      now = next.at;
      next.task();
      await nextTurn();
    }
    now = end;
    await nextTurn();
  }

  return {
    now: () => now,
    elapsed: () => now - jumped - startMs,
    schedule: (delayMs, task) => {
      const timer = { at: now + Math.max(0, delayMs), task };
      timers.add(timer);
      return () => void timers.delete(timer);
    },
    advance: async (ms) => {
      if (!(ms >= 0 && ms < Number.POSITIVE_INFINITY))
        throw invalidOption("ms", "a duration of at least 0", ms);
      return inTurn(() => move(ms));
    },
    jump: async (ms) => {
      if (!Number.isFinite(ms)) throw invalidOption("ms", "a finite number of milliseconds", ms);
      return inTurn(() => jump(ms));
    },
  };
}

function earliest(timers: ReadonlySet<Timer>): Timer | undefined {
  let found: Timer | undefined;
  for (const timer of timers) if (found === undefined || timer.at < found.at) found = timer;
  return found;
}
