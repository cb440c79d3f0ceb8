import type { Observer } from "../ports/observer.js";
import type { Delivery, Queue } from "../ports/queue.js";
import type { Runtime } from "../ports/runtime.js";
import type { Announcer } from "../steps/announcer.js";
import { type Latch, sleep } from "./latch.js";
import type { WorkerSettings } from "./settings.js";

export interface LoopsOptions {
  readonly queue: Queue;
  readonly definitions: readonly string[];
  readonly settings: WorkerSettings;
  readonly runtime: Runtime;
  readonly announcer: Announcer;
  readonly observe: Observer;
  /** Sweeps once and says how many operations it announced. */
  readonly sweep: () => Promise<number>;
  readonly execute: (delivery: Delivery) => Promise<void>;
  /** Ends the loops. */
  readonly draining: Latch;
}

export interface Loops {
  /** Receives as many deliveries as there are free slots, until draining. */
  receiveLoop(): Promise<void>;
  /** Sweeps at intervals, until draining. */
  sweepLoop(): Promise<void>;
  /** Alternates between sweeping and working until neither finds anything. */
  runUntilIdle(): Promise<void>;
  /** Resolves when no delivery is being dealt with. */
  settled(): Promise<void>;
}

const PAUSE_AFTER_FAILURE_MS = 1_000;

/** The two loops of a worker and the one that stands in for them in tests. */
export function createLoops(options: LoopsOptions): Loops {
  const { queue, definitions, settings, runtime, announcer, observe, sweep, execute, draining } = options;
  const running = new Set<Promise<void>>();
  let slotFreed: () => void = () => {};

  function receive(signal: AbortSignal): Promise<readonly Delivery[]> {
    const limit = settings.concurrency - running.size;
    return queue.receive({ definitions, limit, leaseMs: settings.leaseMs, signal });
  }

  function run(delivery: Delivery): Promise<void> {
    const execution = execute(delivery).finally(() => {
      running.delete(execution);
      slotFreed();
    });
    running.add(execution);
    return execution;
  }

  async function receiveOnce(signal: AbortSignal): Promise<void> {
    try {
      for (const delivery of await receive(signal)) void run(delivery);
      // Without this a long backlog of quick work would keep everything else from running.
      await runtime.pause();
    } catch (error) {
      observe({ event: "background.failed", step: "receive", error });
      await sleep(PAUSE_AFTER_FAILURE_MS, runtime.clock, draining);
    }
  }

  async function freeSlot(): Promise<void> {
    while (running.size >= settings.concurrency) {
      await new Promise<void>((resolve) => {
        slotFreed = resolve;
      });
    }
  }

  return {
    receiveLoop: async () => {
      // Not made together with the loops: Workers refuse it outside of a request.
      const receiving = new AbortController();
      draining.onRaise(() => receiving.abort());
      while (!draining.raised) {
        await freeSlot();
        // A slot may have come free because draining gave its attempt back.
        if (!draining.raised) await receiveOnce(receiving.signal);
      }
    },
    sweepLoop: async () => {
      while (!draining.raised) {
        await sweep();
        await sleep(settings.sweepIntervalMs, runtime.clock, draining);
      }
    },
    runUntilIdle: async () => {
      for (;;) {
        await announcer.idle();
        const announced = await sweep();
        await announcer.idle();
        const deliveries = await receive(AbortSignal.abort());
        if (announced === 0 && deliveries.length === 0) return;
        await Promise.all(deliveries.map(run));
      }
    },
    settled: async () => {
      while (running.size > 0) await Promise.all(running);
    },
  };
}
