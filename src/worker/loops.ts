import type { BegunOperation } from "../ports/claim.js";
import type { Listening } from "../ports/queue.js";
import type { Sweep } from "../protocol/sweep.js";
import { createAlarm, createWakeUp } from "./alarm.js";
import type { HandleAttempt } from "./attempt/attempt.js";
import { reportError, type WorkerContext } from "./context.js";
import { sleep } from "./latch.js";
import type { RunSummary } from "./run-summary.js";
import { createRuns, type RunSettings } from "./runs.js";
import { createClaimer, createSlots } from "./slots.js";

/** Functions that the loops call. */
export interface LoopCalls {
  readonly sweep: Sweep;
  /** Takes an attempt from its beginning to its settlement. */
  readonly attempt: HandleAttempt;
}

export interface Loops {
  /** Claims work for the free slots, until draining. */
  claimLoop(): Promise<void>;
  /** Sweeps now and then, until draining. */
  sweepLoop(): Promise<void>;
  /** Works until nothing is due, until draining, or within its limits. */
  run(limits: RunSettings): Promise<RunSummary>;
  /** Resolves when no attempt and no run is in progress. */
  ended(): Promise<void>;
}

const PAUSE_AFTER_FAILURE_MS = 1_000;
/**
 * Interval at which operations are deleted, unless sweeps are to be more frequent than the default. Twice as long where nothing was
 * to be deleted, so that idle workers send few statements. Milliseconds.
 */
const CLEAN_INTERVAL_MS = 60_000;
/** The same for the end of overdue operations if no definition has a deadline: submissions may have one. Milliseconds. */
const OVERDUE_INTERVAL_MS = 30_000;
const DEFAULT_SWEEP_MS = 1_000;
/** Maximum number of claims one after the other that begin nothing. */
const MAX_IN_A_ROW = 64;

/** Creates the two loops of a worker, and the runs that replace them in tests and serverless functions. */
export function createLoops(context: WorkerContext, { sweep, attempt }: LoopCalls): Loops {
  const { processors, settings, runtime, suspects, draining } = context;
  const running = new Set<Promise<unknown>>();
  const slots = createSlots(processors, settings.concurrency);
  const claim = createClaimer(context, { slots, attempt, running });
  const alarm = createAlarm(processors, runtime.random);
  const startRun = createRuns(context, { slots, sweep });
  const hasDeadlines = [...processors.values()].some(
    ({ definition }) => definition.startWithinMs !== undefined,
  );
  const { sweepIntervalMs } = settings;
  const share = Math.min(1, sweepIntervalMs / DEFAULT_SWEEP_MS);
  const sweepMs = hasDeadlines ? sweepIntervalMs : Math.max(sweepIntervalMs, OVERDUE_INTERVAL_MS * share);
  const wakeUp = createWakeUp(runtime.clock);
  /** Definitions of which more work may be due than the last claim could take. */
  let filled: ReadonlySet<string> = new Set();
  /** Whether something else than the alarm has ended the last sleep. */
  let isWoken = true;
  /** Number of claims one after the other that were to be made again. */
  let inARow = 0;

  /** Claims once. Returns the time until the next claim, if nothing wakes the worker earlier. */
  async function claimOnce(): Promise<number> {
    // A ring that comes during claims that follow each other may concern a tenant that they have passed.
    if (inARow === 0) wakeUp.reset();
    const asked = slots.free();
    const { left } = slots;
    const { begun, ended, again, nextInMs } = await claim(asked);
    alarm.claimed(begun.length > 0, isWoken);
    isWoken = true;
    filled = new Set(begun.length < left ? filledBy(begun, asked) : processors.keys());
    // A slot can become free during the claim. Another suspect may begin beside the first.
    const hasFree = [...filled].some((name) => !slots.isFull(name));
    const continues = again || hasFree || ended.length > 0 || begun.some(({ previousLost }) => previousLost);
    inARow = continues && begun.length === 0 ? inARow + 1 : 0;
    // Bounded, so that work that cannot begin costs no more than a share of the time.
    return continues && inARow <= MAX_IN_A_ROW ? 0 : alarm.after(nextInMs);
  }

  /** Returns the definitions of which a claim has taken as many attempts as it asked for. */
  function filledBy(begun: readonly BegunOperation[], asked: ReadonlyMap<string, number>): readonly string[] {
    return [...processors.keys()].filter((name) => {
      const count = begun.filter(({ operation }) => operation.definition === name).length;
      return count >= (asked.get(name) ?? 0);
    });
  }

  async function claimAndSleep(want: (definitions: ReadonlySet<string>) => void): Promise<void> {
    try {
      const sleepMs = await claimOnce();
      want(new Set(slots.free().keys()));
      // Without this, a long backlog of quick work would starve the rest of the process.
      await runtime.pause();
      if (sleepMs === 0) return;
      inARow = 0;
      if (slots.left > 0) isWoken = await wakeUp.sleep(sleepMs);
    } catch (error) {
      reportError(context, "claim", error);
      await sleep(PAUSE_AFTER_FAILURE_MS, runtime.clock, draining);
    }
  }

  async function freeSlot(): Promise<void> {
    while (slots.free().size === 0) {
      await new Promise<void>((resolve) => {
        const forget = slots.onFree(() => {
          forget();
          resolve();
        });
      });
    }
  }

  return {
    claimLoop: async () => {
      const listening = hear(context, wakeUp.wake);
      draining.onRaise(wakeUp.wake);
      const forget = [
        suspects.onOpen(wakeUp.wake),
        slots.onFree((definition) => {
          if (filled.has(definition)) wakeUp.wake();
        }),
      ];
      listening.want(new Set(processors.keys()));
      while (!draining.raised) {
        await freeSlot();
        // Draining may have started while this waited for a slot.
        if (!draining.raised) await claimAndSleep(listening.want);
      }
      for (const each of forget) each();
      await listening.close();
    },
    sweepLoop: async () => {
      const { clock } = runtime;
      let cleanAt = clock.elapsed();
      while (!draining.raised) {
        await sweep.endOverdue();
        if (clock.elapsed() >= cleanAt) {
          const hasDeleted = await sweep.clean();
          cleanAt = clock.elapsed() + CLEAN_INTERVAL_MS * share * (hasDeleted ? 1 : 2);
        }
        await sleep(sweepMs, clock, draining);
      }
    },
    run: (limits) => {
      const { summary, ended } = startRun(limits);
      const forget = (): void => void running.delete(tracked);
      const tracked = ended.then(forget, forget);
      running.add(tracked);
      return summary;
    },
    ended: async () => {
      while (running.size > 0) await Promise.all(running);
    },
  };
}

/** Listens to the queue. A queue that breaks its contract costs the worker its rings and nothing else. */
function hear(context: WorkerContext, onRing: () => void): Listening {
  const onError = (error: unknown): void => reportError(context, "listen", error);
  const attempted = <Result>(call: () => Result): Result | undefined => {
    try {
      return call();
    } catch (error) {
      onError(error);
      return undefined;
    }
  };
  const listening = attempted(() => context.backend.queue.listen({ onRing, onError }));
  return {
    want: (definitions) => attempted(() => listening?.want(definitions)),
    close: async () => {
      await attempted(() => listening?.close())?.catch(onError);
    },
  };
}
