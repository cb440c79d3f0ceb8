import { setTimeout as sleep } from "node:timers/promises";

/** Steps of a processor before its work, or in place of it. */
export const behaviors = {
  exit: () => process.exit(1),
  // Blocks the event loop without using the processor, which other tests need.
  block: ({ attempt }) =>
    attempt === 1 && Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 4_500),
  slow: () => sleep(600),
  throw: () => {
    throw new Error("simulated");
  },
  hang: () => new Promise(() => {}),
};
