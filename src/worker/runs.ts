import { onAbort, sleep } from "../ports/waits.js";
import { createAttempts } from "./attempt/attempt.js";
import { Running, type WorkerContext } from "./context.js";
import { Latch } from "./latch.js";
import { createReceiver } from "./receiver.js";
import { countOutcomes, type RunSummary } from "./run-summary.js";
import { createRunTime } from "./run-time.js";
import type { Slots } from "./slots.js";

/** Limits of a run. */
export interface RunLimits {
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

/** Parts of a worker that its runs share. */
interface SharedParts {
  readonly slots: Slots;
  readonly sweep: () => Promise<number | undefined>;
}

/**
 * Creates the function that starts runs. A run is a worker within the worker: it stops when nothing is due, or in time to
 * release what still runs. Runs at the same time share the slots.
 */
export function createRuns(
  worker: WorkerContext,
  { slots, sweep }: SharedParts,
): (limits: RunLimits) => StartedRun {
  const inTurn = createTurns();
  const processors = [...worker.processors.values()];
  const { settings, announcer, runtime } = worker;
  const { clock } = runtime;

  return ({ maxMs, signal }) => {
    const time = createRunTime(maxMs, clock);
    const { counts, observe } = countOutcomes(worker.observe);
    const draining = new Latch();
    const stopping = new Latch();
    const context = { ...worker, observe, running: new Running(), draining, stopping };
    const receiver = createReceiver(context, slots, createAttempts(context));
    const handled = new Set<Promise<void>>();
    // Created once, because each one captures a stack.
    const noWait = AbortSignal.abort();

    /** Begins what is due, in the slots that are free. Returns how many deliveries there were. */
    async function receive(): Promise<number> {
      const free = new Map(
        [...slots.free()].filter(([name]) => {
          const processor = worker.processors.get(name);
          return processor !== undefined && time.allows(processor);
        }),
      );
      if (draining.raised || free.size === 0) return 0;
      const deliveries = await receiver.receive(free, noWait);
      for (const delivery of deliveries) {
        const handling = receiver.handle(delivery, () => void handled.delete(handling));
        handled.add(handling);
      }
      return deliveries.length;
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
      // A receipt can begin what is due in one write. If the sweep came first, it would write too.
      let sweepAt = clock.elapsed() + settings.sweepIntervalMs;
      let announced: number | undefined;
      /** Whether there may have been work since the last sweep. */
      let worked = true;
      while (!draining.raised) {
        await announcer.published();
        if (clock.elapsed() >= sweepAt) {
          announced = await sweep();
          await announcer.published();
          sweepAt = clock.elapsed() + settings.sweepIntervalMs;
          worked = false;
        }
        const { freed } = slots;
        if ((await inTurn(receive)) > 0) {
          worked = true;
          // Without this, quick work in memory would starve the rest of the process.
          await runtime.pause();
        } else if (handled.size > 0 || slots.free().size === 0) {
          await slotFreed(freed);
          worked = true;
        } else if (!processors.some(time.allows)) return false;
        else if (worked || (announced ?? 0) > 0) sweepAt = clock.elapsed();
        else return announced === 0 && processors.every(time.allows);
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
      try {
        return await workUntilIdle();
      } finally {
        while (handled.size > 0) await Promise.all(handled);
        draining.raise();
        await announcer.published();
        await receiver.close();
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
