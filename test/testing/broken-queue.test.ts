import { createMemoryBackend, type Queue } from "async-request-reply";
import { createManualClock, type OpenPort, type QueueHarness, queueCases } from "async-request-reply/testing";
import type { Alter } from "../support/memory-harnesses.js";
import { runSuite } from "../support/run-suite.js";
import { overriding, proveSuite } from "./broken/prove.js";
import { brokenQueues } from "./broken/queues.js";
import { handsOnUnwanted, singleDelivery } from "./broken/single-delivery.js";

/** Creates queues of several processes. Memory is their server. */
function sharedQueues(alter: Alter<Queue>): QueueHarness {
  const clock = createManualClock();
  return {
    capabilities: { leaseGranularityMs: 1, processes: true },
    ringsWithinMs: 1_000,
    passTime: (ms) => clock.advance(ms),
    create: async () => {
      const server = createMemoryBackend({ clock }).queue;
      const open = (): OpenPort<Queue> => ({ port: alter(server, clock) });
      return { ...open(), connect: async () => open() };
    },
  };
}

runSuite(
  "a queue that rings for all listeners",
  queueCases,
  sharedQueues((queue) => queue),
);
runSuite(
  "a queue that gives each ring to one listener",
  queueCases,
  sharedQueues((queue) => overriding(queue, singleDelivery(queue, handsOnUnwanted))),
);

proveSuite("queues", {
  cases: queueCases,
  harness: sharedQueues,
  base: (queue) => queue,
  broken: brokenQueues,
});
