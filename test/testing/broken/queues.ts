import type { Announcement, Delivery, Queue } from "async-request-reply";
import { type BrokenPort, sharingAnswers } from "./prove.js";

const EVERY = ["orders", "orders2", "order", "reports", "__proto__"];

/** Queues that break a rule of receiving. */
export const receivingQueues: readonly BrokenPort<Queue>[] = [
  {
    name: "loses all but the first of a batch",
    caughtBy: ["receive.all", "receive.limit", "receive.share", "receive.ordered", "receive.burst"],
    methods: (queue) => ({ publish: (announcements) => queue.publish(announcements.slice(0, 1)) }),
  },
  {
    name: "changes what it carries",
    caughtBy: ["receive.all"],
    methods: (queue) => ({
      publish: (announcements) =>
        queue.publish(announcements.map((each) => ({ ...each, operationId: each.id }))),
    }),
  },
  {
    name: "refuses an empty batch",
    caughtBy: ["receive.nothing"],
    methods: (queue) => ({
      publish: async (announcements) => {
        if (announcements.length === 0) throw new Error("there is nothing to publish");
        await queue.publish(announcements);
      },
    }),
  },
  {
    name: "delivers announcements of every definition",
    caughtBy: ["receive.definitions", "receive.other-definition"],
    methods: (queue) => ({ receive: (request) => queue.receive({ ...request, definitions: EVERY }) }),
  },
  {
    name: "drops announcements that the receiver did not ask for",
    caughtBy: ["receive.definitions"],
    methods: (queue) => ({
      receive: async (request) => {
        const received = await queue.receive({ ...request, definitions: EVERY });
        return received.filter(({ announcement }) => request.definitions.includes(announcement.definition));
      },
    }),
  },
  {
    name: "delivers more than the limit",
    caughtBy: ["receive.limit", "receive.share"],
    methods: (queue) => ({ receive: (request) => queue.receive({ ...request, limit: 1_000 }) }),
  },
  {
    name: "does not see what is published while a call waits",
    caughtBy: ["receive.waits", "receive.other-definition", "receive.share"],
    methods: (queue) => ({
      receive: async (request) => {
        const received = await queue.receive({ ...request, signal: AbortSignal.abort() });
        if (received.length > 0) return received;
        await new Promise((resolve) => request.signal.addEventListener("abort", resolve));
        return [];
      },
    }),
  },
  {
    name: "looks at what was published once the signal is aborted only",
    caughtBy: ["receive.waits", "receive.other-definition"],
    methods: (queue) => ({
      receive: async (request) => {
        const received = await queue.receive({ ...request, signal: AbortSignal.abort() });
        if (received.length > 0 || request.signal.aborted) return received;
        await new Promise((resolve) => request.signal.addEventListener("abort", resolve));
        return queue.receive(request);
      },
    }),
  },
  {
    name: "waits on in spite of the signal",
    caughtBy: ["receive.abort", "receive.nothing", "delivery.acked"],
    methods: (queue) => ({
      receive: (request) => queue.receive({ ...request, signal: new AbortController().signal }),
    }),
  },
  {
    name: "loses what comes after an aborted call",
    caughtBy: ["receive.abort"],
    methods: (queue) => {
      let aborted = false;
      return {
        receive: async (request) => {
          const received = await queue.receive(request);
          const loses = aborted;
          aborted ||= request.signal.aborted;
          return loses ? [] : received;
        },
      };
    },
  },
  {
    name: "delivers the same to receivers that wait together",
    caughtBy: ["receive.share"],
    methods: (queue) => ({ receive: sharingAnswers((request) => queue.receive(request)) }),
  },
  {
    name: "delivers the newest first",
    caughtBy: ["receive.ordered"],
    methods: (queue) => ({ receive: async (request) => [...(await queue.receive(request))].reverse() }),
  },
];

function altering(queue: Queue, alter: (delivery: Delivery) => Partial<Delivery>): Partial<Queue> {
  return {
    receive: async (request) =>
      (await queue.receive(request)).map((delivery) => ({ ...delivery, ...alter(delivery) })),
  };
}

/** Queues that break a rule of deliveries. */
export const deliveringQueues: readonly BrokenPort<Queue>[] = [
  {
    name: "delivers again what was acked",
    caughtBy: ["delivery.acked", "delivery.nacked"],
    methods: (queue) => altering(queue, ({ nack }) => ({ ack: nack })),
  },
  {
    name: "loses what was nacked",
    caughtBy: ["delivery.nacked"],
    methods: (queue) => altering(queue, ({ ack }) => ({ nack: ack })),
  },
  {
    name: "delivers again once only",
    caughtBy: ["delivery.nacked"],
    methods: (queue) => {
      const nacked = new Set<string>();
      return altering(queue, ({ announcement, nack }) => ({
        nack: async () => {
          if (!nacked.has(announcement.id)) await nack();
          nacked.add(announcement.id);
        },
      }));
    },
  },
  {
    name: "takes announcements of one operation for the same",
    caughtBy: ["delivery.each"],
    methods: (queue) => {
      const seen = new Set<string>();
      const isNew = ({ operationId }: Announcement) => !seen.has(operationId) && seen.add(operationId);
      return { publish: (announcements) => queue.publish(announcements.filter(isNew)) };
    },
  },
  {
    name: "says that it deduplicates and does not",
    caughtBy: ["delivery.deduplicated"],
    methods: () => ({}),
  },
  {
    name: "says that it begins attempts and does not",
    caughtBy: ["delivery.begun"],
    methods: () => ({}),
  },
  {
    name: "begins every attempt with the same token",
    caughtBy: ["delivery.begun"],
    methods: (queue) =>
      altering(queue, ({ announcement: { operationId: id, definition } }) => ({
        attempt: {
          lease: { operationId: id, token: "token" },
          begun: {
            outcome: "begun",
            operation: { id, definition, scope: "", input: "", state: "pending", attempt: 1, createdAt: 0 },
            previousLost: false,
          },
        },
      })),
  },
];
