import { queueCases } from "async-request-reply/testing";
import { memoryQueue } from "../support/memory-harnesses.js";
import { proveSuite } from "./broken/prove.js";
import { deliveringQueues, receivingQueues } from "./broken/queues.js";
import { ticketQueues, withTickets } from "./broken/ticket-queues.js";

proveSuite("queues", {
  cases: queueCases,
  harness: memoryQueue,
  base: withTickets,
  broken: [...receivingQueues, ...deliveringQueues, ...ticketQueues],
});
