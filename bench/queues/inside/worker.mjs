import { createCounter } from "../../postgres/inside/counter.mjs";
import { nowMs } from "./clock.mjs";

/** RabbitMQ recommends a prefetch of 100 to 300, and BullMQ as many jobs at a time. */
const SLOTS = 128;

/** The methods of the process that does the work. */
export function createWorker(openWorker) {
  let worker;
  let counter;
  const startedAt = new Map();

  return {
    open: async (options) => {
      worker = await openWorker({
        ...options,
        slots: SLOTS,
        onStart: (id) => void startedAt.set(id, nowMs()),
        onCompleted: (count) => counter.add(count),
      });
    },
    begin: async () => {
      counter = createCounter();
      startedAt.clear();
    },
    /** Waits until a number of orders is completed. Returns when that was. */
    completed: async ({ count }) => {
      await counter.reached(count);
      return nowMs();
    },
    /** Returns when the work of each order started. */
    starts: async () => [...startedAt],
    close: () => worker.close(),
  };
}
