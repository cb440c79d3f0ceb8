import type { Consumer, Delivery, ReceiveRequest } from "../ports/queue.js";
import { reportError, type WorkerContext } from "./context.js";
import { sleep } from "./latch.js";
import type { CheckedProcessor } from "./processors.js";

/** Functions that the loops call. */
export interface LoopCalls {
  /** Sweeps once and returns how many operations it announced. */
  readonly sweep: () => Promise<number>;
  /** Takes a delivery from its receipt to its settlement. */
  readonly attempt: (delivery: Delivery) => Promise<void>;
}

export interface Loops {
  /** Receives as many deliveries as there are free slots, until draining. */
  receiveLoop(): Promise<void>;
  /** Sweeps every `sweepIntervalMs`, until draining. */
  sweepLoop(): Promise<void>;
  /** Alternates between sweeping and working until neither finds anything, until draining, or until the signal. */
  workUntilIdle(signal: AbortSignal | undefined): Promise<void>;
  /** Resolves when no delivery and no `workUntilIdle` is in progress. */
  ended(): Promise<void>;
  /** Releases what the worker holds in the queue. */
  close(): Promise<void>;
}

const PAUSE_AFTER_FAILURE_MS = 1_000;

/** Creates the two loops of a worker, and `workUntilIdle`, which replaces them in tests and serverless functions. */
export function createLoops(context: WorkerContext, { sweep, attempt }: LoopCalls): Loops {
  const { processors, settings, runtime, announcer, suspects, draining } = context;
  const running = new Set<Promise<void>>();
  const slots = createSlots(processors, settings.concurrency);
  let slotFreed: (definition: string) => void = () => {};
  // Created with the loop, because Cloudflare Workers cannot create it outside a request.
  let waiting: AbortController | undefined;
  let consumer: Consumer | undefined;
  let token: string | undefined;

  function open(): Consumer {
    const definitions = [...processors].map(([name, { create, definition, settings: own }]) => {
      const { concurrency, leaseMs } = own;
      return {
        name,
        concurrency,
        leaseMs,
        creates: create !== undefined,
        limits: definition.limits,
        lanes: definition.serialBy !== undefined,
      };
    });
    return context.backend.queue.consume({ definitions });
  }

  async function receive(signal: AbortSignal): Promise<readonly Delivery[]> {
    const free = slots.free();
    const limit = settings.concurrency - slots.taken;
    const suspected = suspects.next(free, limit);
    if (suspected.length > 0) return suspected;
    consumer ??= open();
    // Kept until there is an answer: if it is lost, the same token makes the queue return the attempts that it began.
    token ??= runtime.newToken();
    const admitted = admittedSuspects();
    const deliveries = await consumer.receive({ slots: free, limit, token, signal, ...admitted });
    token = undefined;
    return deliveries;
  }

  function handle(delivery: Delivery): Promise<void> {
    const { definition } = delivery.announcement;
    const freed = (): void => {
      running.delete(handled);
      slots.release(definition);
      slotFreed(definition);
    };
    slots.take(definition);
    // A delivery that fails must not affect the others or the process.
    const handled = attempt(delivery).then(freed, (error: unknown) => {
      reportError(context, "attempt", error);
      freed();
    });
    running.add(handled);
    return handled;
  }

  /** Returns the definitions of which a suspect may begin. Absent if these are all. */
  function admittedSuspects(): Pick<ReceiveRequest, "suspects"> | undefined {
    const names = [...processors.keys()];
    if (names.every(suspects.mayBegin)) return undefined;
    return { suspects: new Set(names.filter(suspects.mayBegin)) };
  }

  /** Waits for deliveries, but at most until a definition that is full now has a free slot, or a suspect may begin. */
  async function receiveUntilFreed(): Promise<readonly Delivery[]> {
    if (waiting === undefined || waiting.signal.aborted) waiting = new AbortController();
    const full = new Set([...processors.keys()].filter(slots.isFull));
    slotFreed = (definition) => {
      if (full.has(definition)) waiting?.abort();
    };
    try {
      return await receive(waiting.signal);
    } finally {
      slotFreed = () => {};
    }
  }

  async function receiveOnce(): Promise<void> {
    try {
      for (const delivery of await receiveUntilFreed()) void handle(delivery);
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

  async function alternate(signal: AbortSignal | undefined): Promise<void> {
    const isOver = (): boolean => draining.raised || signal?.aborted === true;
    // Created once, because each one captures a stack.
    const noWait = AbortSignal.abort();
    while (!isOver()) {
      await announcer.idle();
      const announced = await sweep();
      await announcer.idle();
      if (isOver()) return;
      const deliveries = await receive(noWait);
      if (announced === 0 && deliveries.length === 0) return;
      await Promise.all(deliveries.map(handle));
      // Without this, quick work in memory would starve the rest of the process.
      await runtime.pause();
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
    workUntilIdle: (signal) => {
      const working = alternate(signal);
      const forget = (): void => void running.delete(ended);
      const ended = working.then(forget, forget);
      running.add(ended);
      return working;
    },
    ended: async () => {
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

/** Counts attempts in progress, in total and per definition. */
interface Slots {
  /** Number of attempts in progress. */
  readonly taken: number;
  /** Returns how many attempts may begin now, by definition. Definitions without a free slot are left out. */
  free(): ReadonlyMap<string, number>;
  /** Returns whether a definition has no free slot. */
  isFull(definition: string): boolean;
  take(definition: string): void;
  release(definition: string): void;
}

/** Creates the slots of a worker, `concurrency` in total. */
function createSlots(processors: ReadonlyMap<string, CheckedProcessor>, concurrency: number): Slots {
  const takenBy = new Map<string, number>([...processors.keys()].map((name) => [name, 0]));
  let taken = 0;
  const freeOf = (name: string, { settings }: CheckedProcessor): number =>
    Math.min(concurrency - taken, settings.concurrency - (takenBy.get(name) ?? 0));
  const add = (definition: string, by: 1 | -1): void => {
    taken += by;
    takenBy.set(definition, (takenBy.get(definition) ?? 0) + by);
  };
  return {
    get taken() {
      return taken;
    },
    free: () =>
      new Map(
        [...processors]
          .map(([name, processor]) => [name, freeOf(name, processor)] as const)
          .filter(([, free]) => free > 0),
      ),
    isFull: (definition) => {
      const processor = processors.get(definition);
      return processor !== undefined && freeOf(definition, processor) <= 0;
    },
    take: (definition) => add(definition, 1),
    release: (definition) => add(definition, -1),
  };
}
