import type { Consumer, Delivery } from "../ports/queue.js";
import { reportError, type WorkerContext } from "./context.js";
import { sleep } from "./latch.js";
import { createSlots } from "./slots.js";

/** Functions that the loops call. */
export interface LoopCalls {
  /** Sweeps once and returns how many operations it announced. */
  readonly sweep: () => Promise<number>;
  /** Handles one delivery. */
  readonly execute: (delivery: Delivery) => Promise<void>;
}

export interface Loops {
  /** Receives as many deliveries as there are free slots, until draining. */
  receiveLoop(): Promise<void>;
  /** Sweeps every `sweepIntervalMs`, until draining. */
  sweepLoop(): Promise<void>;
  /** Alternates between sweeping and working until neither finds anything. */
  runUntilIdle(): Promise<void>;
  /** Resolves when no delivery is in progress. */
  attemptsEnded(): Promise<void>;
  /** Releases what the worker holds in the queue. */
  close(): Promise<void>;
}

const PAUSE_AFTER_FAILURE_MS = 1_000;

/** Creates the two loops of a worker, and `runUntilIdle`, which replaces them in tests and serverless functions. */
export function createLoops(context: WorkerContext, { sweep, execute }: LoopCalls): Loops {
  const { processors, settings, runtime, announcer, draining } = context;
  const running = new Set<Promise<void>>();
  const slots = createSlots(processors, settings.concurrency);
  let slotFreed: (definition: string) => void = () => {};
  let consumer: Consumer | undefined;
  let token: string | undefined;

  function open(): Consumer {
    const definitions = [...processors].map(([name, { create, settings: own }]) => {
      const { concurrency, leaseMs } = own;
      return { name, concurrency, leaseMs, creates: create !== undefined };
    });
    return context.backend.queue.consume({ definitions });
  }

  async function receive(signal: AbortSignal): Promise<readonly Delivery[]> {
    consumer ??= open();
    // Kept until there is an answer: if it is lost, the same token makes the queue return the attempts that it began.
    token ??= runtime.newToken();
    const limit = settings.concurrency - slots.taken;
    const deliveries = await consumer.receive({ slots: slots.free(), limit, token, signal });
    token = undefined;
    return deliveries;
  }

  function run(delivery: Delivery): Promise<void> {
    const { definition } = delivery.announcement;
    const freed = (): void => {
      running.delete(execution);
      slots.release(definition);
      slotFreed(definition);
    };
    slots.take(definition);
    // A delivery that fails must not affect the others or the process.
    const execution = execute(delivery).then(freed, (error: unknown) => {
      reportError(context, "execute", error);
      freed();
    });
    running.add(execution);
    return execution;
  }

  /** Waits for deliveries, but at most until a definition that is full now has a free slot. */
  async function receiveUntilFreed(signal: AbortSignal): Promise<readonly Delivery[]> {
    const full = new Set([...processors.keys()].filter(slots.isFull));
    if (full.size === 0) return receive(signal);
    const waiting = new AbortController();
    const stop = (): void => waiting.abort();
    signal.addEventListener("abort", stop);
    slotFreed = (definition) => {
      if (full.has(definition)) stop();
    };
    try {
      return await receive(waiting.signal);
    } finally {
      signal.removeEventListener("abort", stop);
      slotFreed = () => {};
    }
  }

  async function receiveOnce(signal: AbortSignal): Promise<void> {
    try {
      for (const delivery of await receiveUntilFreed(signal)) void run(delivery);
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
        slotFreed = () => resolve();
      });
    }
  }

  return {
    receiveLoop: async () => {
      // Created here and not with the loops, because Cloudflare Workers cannot create it outside a request.
      const receiving = new AbortController();
      draining.onRaise(() => receiving.abort());
      while (!draining.raised) {
        await freeSlot();
        // Draining may have started while this waited for a slot.
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
    attemptsEnded: async () => {
      while (running.size > 0) await Promise.all(running);
    },
    close: async () => {
      try {
        await consumer?.close();
      } catch (error) {
        reportError(context, "receive", error);
      }
    },
  };
}
