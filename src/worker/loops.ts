import type { Delivery } from "../ports/queue.js";
import { reportError, type WorkerContext } from "./context.js";
import { sleep } from "./latch.js";
import { createReceiver } from "./receiver.js";
import type { RunSummary } from "./run-summary.js";
import { createRuns, type RunLimits } from "./runs.js";
import { createSlots } from "./slots.js";

/** Functions that the loops call. */
export interface LoopCalls {
  /** Sweeps once. Returns how many operations it announced, or `undefined` if it could not look for them. */
  readonly sweep: () => Promise<number | undefined>;
  /** Takes a delivery from its receipt to its settlement. */
  readonly attempt: (delivery: Delivery) => Promise<void>;
}

export interface Loops {
  /** Receives as many deliveries as there are free slots, until draining. */
  receiveLoop(): Promise<void>;
  /** Sweeps every `sweepIntervalMs`, until draining. */
  sweepLoop(): Promise<void>;
  /** Works until nothing is due, until draining, or within its limits. */
  run(limits: RunLimits): Promise<RunSummary>;
  /** Resolves when no delivery and no run is in progress. */
  ended(): Promise<void>;
  /** Releases what the loops hold in the queue. */
  close(): Promise<void>;
}

const PAUSE_AFTER_FAILURE_MS = 1_000;

/** Creates the two loops of a worker, and the runs that replace them in tests and serverless functions. */
export function createLoops(context: WorkerContext, { sweep, attempt }: LoopCalls): Loops {
  const { processors, settings, runtime, suspects, draining } = context;
  const running = new Set<Promise<unknown>>();
  const slots = createSlots(processors, settings.concurrency);
  const receiver = createReceiver(context, slots, attempt);
  const startRun = createRuns(context, { slots, sweep });
  // Created with the loop, because Cloudflare Workers cannot create it outside a request.
  let waiting: AbortController | undefined;

  function handle(delivery: Delivery): void {
    const handled = receiver.handle(delivery, () => void running.delete(handled));
    running.add(handled);
  }

  /** Waits for deliveries, but at most until a definition that is full now has a free slot, or a suspect may begin. */
  async function receiveUntilFreed(): Promise<readonly Delivery[]> {
    if (waiting === undefined || waiting.signal.aborted) waiting = new AbortController();
    const full = new Set([...processors.keys()].filter(slots.isFull));
    const forget = slots.onFree((definition) => {
      if (full.has(definition)) waiting?.abort();
    });
    try {
      return await receiver.receive(slots.free(), waiting.signal);
    } finally {
      forget();
    }
  }

  async function receiveOnce(): Promise<void> {
    try {
      for (const delivery of await receiveUntilFreed()) handle(delivery);
      // Without this, a long backlog of quick work would starve the rest of the process.
      await runtime.pause();
    } catch (error) {
      reportError(context, "receive", error);
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
    receiveLoop: async () => {
      const endWait = (): void => waiting?.abort();
      draining.onRaise(endWait);
      suspects.onOpen(endWait);
      while (!draining.raised) {
        await freeSlot();
        // Draining may have started while this waited for a slot.
        if (!draining.raised) await receiveOnce();
      }
    },
    sweepLoop: async () => {
      while (!draining.raised) {
        await sweep();
        await sleep(settings.sweepIntervalMs, runtime.clock, draining);
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
    close: receiver.close,
  };
}
