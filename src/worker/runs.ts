import { onAbort, sleep } from "../platform/waits.js";
import type { Sweep } from "../protocol/sweep.js";
import { createAttempts } from "./attempt/attempt.js";
import { Running, type WorkerContext } from "./context.js";
import { Latch } from "./latch.js";
import { countOutcomes, type RunSummary } from "./run-summary.js";
import { createRunTime } from "./run-time.js";
import { createClaimer, type Slots } from "./slots.js";

/** Limits of a run. */
export interface RunSettings {
  /** Time after which the run has ended. Milliseconds. Default: none. */
  readonly maxMs?: number;
  /** Ends the run when the attempts that have begun have ended. Default: none. */
  readonly signal?: AbortSignal | undefined;
}

/** A run in progress. */
interface StartedRun {
  /** Resolves when the run has ended, or when its time is over. Rejects if the queue cannot be reached. */
  readonly summary: Promise<RunSummary>;
  /** Settles when nothing of the run is in progress. */
  readonly ended: Promise<unknown>;
}

/** Result of a claim of a run. */
interface Look {
  /** Whether it began or ended anything, so that another claim may find more. */
  readonly found: boolean;
  /** Whether it did not look at everything. */
  readonly again: boolean;
  /** Whether work is due that cannot begin. */
  readonly blocked: boolean;
}

/** Parts of a worker that its runs share. */
interface SharedParts {
  readonly slots: Slots;
  readonly sweep: Sweep;
}

/**
 * Creates the function that starts runs. A run is a worker within the worker: it stops when nothing is due, or in time to
 * release what still runs. Runs at the same time share the slots.
 */
export function createRuns(
  worker: WorkerContext,
  { slots, sweep }: SharedParts,
): (limits: RunSettings) => StartedRun {
  const inTurn = createTurns();
  const processors = [...worker.processors.values()];
  const { settings, bell, minutes, runtime } = worker;
  const { clock } = runtime;

  return ({ maxMs, signal }) => {
    const time = createRunTime(maxMs, clock);
    const { counts, observe } = countOutcomes(worker.observe);
    const draining = new Latch();
    const stopping = new Latch();
    const isEnding = (): boolean => draining.raised || time.nearsEnd();
    const context = { ...worker, observe, running: new Running(), draining, stopping, isEnding };
    const handled = new Set<Promise<unknown>>();
    const claim = createClaimer(context, { slots, attempt: createAttempts(context), running: handled });

    /** Claims what is due, for the slots that are free. */
    async function look(): Promise<Look> {
      const free = new Map(
        [...slots.free()].filter(([name]) => {
          const processor = worker.processors.get(name);
          return processor !== undefined && time.allows(processor);
        }),
      );
      if (draining.raised || free.size === 0) return { found: false, again: false, blocked: false };
      const { begun, ended, again, blocked } = await claim(free);
      return { found: begun.length > 0 || ended.length > 0, again, blocked };
    }

    /** Waits until a slot becomes free, at most until the next sweep. `freed` says how many were when this was decided. */
    async function slotFreed(freed: number): Promise<void> {
      if (slots.freed !== freed) return;
      const waiting = new AbortController();
      const end = (): void => waiting.abort();
      const forget = [slots.onFree(end), draining.onRaise(end)];
      await sleep(settings.sweepIntervalMs, clock, waiting.signal);
      for (const each of forget) each();
    }

    /** Returns whether nothing is due any more. */
    async function workUntilIdle(): Promise<boolean> {
      let sweepAt = clock.elapsed() + settings.sweepIntervalMs;
      /** Whether there may have been work since the last sweep. */
      let worked = true;
      while (!draining.raised) {
        if (clock.elapsed() >= sweepAt) {
          await sweep.endOverdue();
          await sweep.clean();
          sweepAt = clock.elapsed() + settings.sweepIntervalMs;
          worked = false;
        }
        const { freed } = slots;
        const { found, again, blocked } = await inTurn(look);
        worked ||= found;
        if (found || again) {
          // Without this, quick work in memory would starve the rest of the process.
          await runtime.pause();
        } else if (handled.size > 0 || slots.free().size === 0) {
          await slotFreed(freed);
          worked = true;
        } else if (!processors.some(time.allows)) return false;
        // A sweep can end what is overdue, and a follow-up is due then.
        else if (worked) sweepAt = clock.elapsed();
        else return !blocked && processors.every(time.allows);
      }
      return false;
    }

    /** Works, and returns when the run holds nothing any more. */
    async function work(): Promise<boolean> {
      const forget = [
        worker.draining.onRaise(() => draining.raise()),
        worker.stopping.onRaise(() => stopping.raise()),
        onAbort(signal, () => draining.raise()),
        time.onRelease(() => {
          draining.raise();
          stopping.raise();
        }),
      ];
      if (signal?.aborted) draining.raise();
      const unserve = minutes?.serve(worker.processors.keys());
      try {
        return await workUntilIdle();
      } finally {
        while (handled.size > 0) await Promise.all(handled);
        draining.raise();
        unserve?.();
        await Promise.all([bell.flush(), minutes?.flush()]);
        for (const each of forget) each();
      }
    }

    const ended = work();
    return { ended, summary: untilEnd(ended).then((idle) => ({ ...counts, idle })) };

    /** Waits for the end, but not beyond the time. A store or a broker that does not answer must not hold the caller. */
    function untilEnd(working: Promise<boolean>): Promise<boolean> {
      return new Promise((resolve, reject) => {
        const cancel = time.onEnd(() => resolve(false));
        working.then(resolve, reject).finally(cancel);
      });
    }
  };
}

/** Returns a function that runs steps one after the other. */
function createTurns(): <T>(step: () => Promise<T>) => Promise<T> {
  let last: Promise<unknown> = Promise.resolve();
  return (step) => {
    const next = last.then(step);
    last = next.catch(() => {});
    return next;
  };
}
