import { invalidOption } from "../contract/options.js";
import { nextTurn } from "../ports/next-turn.js";
import type { Clock } from "../ports/runtime.js";

/** A clock that stands still until it is moved. */
export interface ManualClock extends Clock {
  /**
   * Moves the clock, runs what falls due on the way in the order of its time, and after each task lets everything
   * run that waits for no timer. Calls add up: a second one begins where the first ends. Rejects with what a task
   * throws, and then stands at the time of that task.
   *
   * @throws AsyncReplyError `INVALID_OPTION` for less than 0
   */
  advance(ms: number): Promise<void>;
  /**
   * Sets the clock forward, or back by a negative number, as when the time of a machine is corrected. Timers run no sooner
   * and no later for it. Takes effect after earlier calls to `advance`.
   *
   * @throws AsyncReplyError `INVALID_OPTION` if `ms` is not finite
   */
  jump(ms: number): Promise<void>;
}

interface Timer {
  at: number;
  readonly task: () => void;
}

/** Makes a clock for tests: time passes only by `advance`. It starts at the beginning of 2026 if not told otherwise. */
export function createManualClock(startMs: number = Date.UTC(2026, 0)): ManualClock {
  let now = startMs;
  /** In the order of scheduling, which decides between timers of the same time. */
  const timers = new Set<Timer>();
  let lastStep = Promise.resolve();

  function jump(ms: number): void {
    now += ms;
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
    // What ran up to here may be about to schedule a task.
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
