import { queueCases } from "async-request-reply/testing";
import { memoryQueue } from "../support/memory-harnesses.js";
import { brokenQueues } from "./broken/index.js";
import { proveSuite } from "./broken/prove.js";
import { withTickets } from "./broken/ticket-queues.js";

proveSuite("queues", {
  cases: queueCases,
  harness: memoryQueue,
  base: withTickets,
  broken: brokenQueues,
});
