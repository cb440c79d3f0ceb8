import type { Queue } from "async-request-reply";
import type { Announcement, BegunAttempt, Delivery, ReceiveRequest } from "async-request-reply/ports";
import { receivingBy } from "../../support/consumers.js";
import { type BrokenPort, sharingAnswers } from "./prove.js";

const EVERY = ["orders", "orders2", "order", "reports", "__proto__"];

function every({ limit }: ReceiveRequest): ReadonlyMap<string, number> {
  return new Map(EVERY.map((name) => [name, limit]));
}

/** Queues that break a rule of receiving. */
export const receivingQueues: readonly BrokenPort<Queue>[] = [
  {
    name: "loses all announcements of a batch but the first",
    caughtBy: ["receive.all", "receive.limit", "receive.share", "receive.ordered", "receive.burst"],
    methods: (queue) => ({ publish: (announcements) => queue.publish(announcements.slice(0, 1)) }),
  },
  {
    name: "changes announcements",
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
    methods: (queue) =>
      receivingBy(queue, (request, consumer) => consumer.receive({ ...request, slots: every(request) })),
  },
  {
    name: "drops announcements of definitions that the receiver did not request",
    caughtBy: ["receive.definitions"],
    methods: (queue) =>
      receivingBy(queue, async (request, consumer) => {
        const received = await consumer.receive({ ...request, slots: every(request) });
        return received.filter(({ announcement }) => request.slots.has(announcement.definition));
      }),
  },
  {
    name: "delivers more than the limit",
    caughtBy: ["receive.limit"],
    methods: (queue) =>
      receivingBy(queue, (request, consumer) => consumer.receive({ ...request, limit: 1_000 })),
  },
  {
    name: "ignores the free slots of a definition",
    caughtBy: ["receive.slots"],
    methods: (queue) =>
      receivingBy(queue, ({ slots, ...request }, consumer) =>
        consumer.receive({ ...request, slots: new Map([...slots.keys()].map((name) => [name, 1_000])) }),
      ),
  },
  {
    name: "does not notice announcements while a call is waiting",
    caughtBy: ["receive.waits", "receive.other-definition", "receive.share"],
    methods: (queue) =>
      receivingBy(queue, async (request, consumer) => {
        const received = await consumer.receive({ ...request, signal: AbortSignal.abort() });
        if (received.length > 0) return received;
        await new Promise((resolve) => request.signal.addEventListener("abort", resolve));
        return [];
      }),
  },
  {
    name: "delivers to a waiting call only when the signal is aborted",
    caughtBy: ["receive.waits", "receive.other-definition"],
    methods: (queue) =>
      receivingBy(queue, async (request, consumer) => {
        const received = await consumer.receive({ ...request, signal: AbortSignal.abort() });
        if (received.length > 0 || request.signal.aborted) return received;
        await new Promise((resolve) => request.signal.addEventListener("abort", resolve));
        return consumer.receive(request);
      }),
  },
  {
    name: "ignores the signal",
    caughtBy: ["receive.abort", "receive.nothing", "delivery.acked"],
    methods: (queue) =>
      receivingBy(queue, (request, consumer) =>
        consumer.receive({ ...request, signal: new AbortController().signal }),
      ),
  },
  {
    name: "loses announcements that follow an aborted call",
    caughtBy: ["receive.abort"],
    methods: (queue) => {
      let aborted = false;
      return receivingBy(queue, async (request, consumer) => {
        const received = await consumer.receive(request);
        const loses = aborted;
        aborted ||= request.signal.aborted;
        return loses ? [] : received;
      });
    },
  },
  {
    name: "delivers the same announcement to several waiting receivers",
    caughtBy: ["receive.share", "delivery.concurrent"],
    methods: (queue) => {
      const share = sharingAnswers((receive: () => Promise<readonly Delivery[]>) => receive());
      return receivingBy(queue, (request, consumer) => share(() => consumer.receive(request)));
    },
  },
  {
    name: "delivers in the order of arrival, whatever the tenants",
    caughtBy: ["turns.newcomer", "turns.round", "turns.urgent", "turns.reached"],
    methods: (queue) => inOrder(queue, (arrived) => arrived),
  },
  {
    name: "delivers the newest work of a tenant first",
    caughtBy: ["turns.round", "turns.oldest", "receive.ordered"],
    methods: (queue) => inOrder(queue, (arrived) => [...arrived].reverse()),
  },
  {
    name: "keeps a slot free for another tenant",
    caughtBy: [
      "turns.alone",
      "turns.newcomer",
      "turns.round",
      "turns.later",
      "turns.urgent",
      "turns.reached",
    ],
    methods: (queue) =>
      receivingBy(queue, (request, consumer) =>
        consumer.receive({ ...request, limit: Math.max(1, request.limit - 1) }),
      ),
  },
  {
    name: "ignores limits",
    caughtBy: ["limits.queue-running", "limits.queue-tenant", "limits.queue-urgent"],
    methods: (queue) => ({
      consume: ({ definitions }) =>
        queue.consume({ definitions: definitions.map(({ limits: _, ...definition }) => definition) }),
    }),
  },
  {
    name: "counts only what has begun when it delivers",
    caughtBy: ["limits.queue-running", "limits.queue-tenant"],
    methods: (queue) =>
      receivingBy(queue, async (request, consumer) => [
        ...(await consumer.receive({ ...request, limit: 3 })),
        ...(await consumer.receive({ ...request, limit: 3 })),
      ]),
  },
  {
    name: "delivers operations before their turn in a lane",
    caughtBy: ["lanes.queue"],
    methods: (queue) => ({
      publish: (announcements) =>
        queue.publish(announcements.map((each) => ({ ...each, operationId: `unknown ${each.operationId}` }))),
    }),
  },
  {
    name: "delivers the newest announcements first",
    caughtBy: ["receive.ordered"],
    methods: (queue) =>
      receivingBy(queue, async (request, consumer) => [...(await consumer.receive(request))].reverse()),
  },
];

/** Takes everything that has arrived, and delivers it in another order. */
function inOrder(queue: Queue, sort: (arrived: readonly Delivery[]) => readonly Delivery[]): Partial<Queue> {
  const published: string[] = [];
  const held = new Map<string, Delivery>();
  return {
    publish: async (announcements) => {
      published.push(...announcements.map(({ id }) => id));
      await queue.publish(announcements);
    },
    ...receivingBy(queue, async (request, consumer) => {
      const { slots, limit, signal } = request;
      const all = {
        ...request,
        limit: 1_000,
        slots: new Map([...slots.keys()].map((name) => [name, 1_000])),
      };
      for (const delivery of await consumer.receive({
        ...all,
        signal: held.size > 0 ? AbortSignal.abort() : signal,
      }))
        held.set(delivery.announcement.id, delivery);
      const arrived = sort(published.flatMap((id) => held.get(id) ?? []));
      const taken: Delivery[] = [];
      const left = new Map(slots);
      for (const delivery of arrived) {
        const free = left.get(delivery.announcement.definition) ?? 0;
        if (taken.length >= limit || free <= 0) continue;
        left.set(delivery.announcement.definition, free - 1);
        held.delete(delivery.announcement.id);
        taken.push(delivery);
      }
      return taken;
    }),
  };
}

function altering(
  queue: Queue,
  alter: (delivery: Delivery, request: ReceiveRequest) => Partial<Delivery>,
): Partial<Queue> {
  return receivingBy(queue, async (request, consumer) =>
    (await consumer.receive(request)).map((delivery) => ({ ...delivery, ...alter(delivery, request) })),
  );
}

/** Invents the attempt that a queue without storage would return. */
function madeUp({ announcement: { operationId: id, definition } }: Delivery, token: string): BegunAttempt {
  const about = {
    id,
    definition,
    tenant: "",
    input: "",
    retentionMs: 0,
    state: "pending",
    attempt: 1,
    createdAt: 0,
  } as const;
  return {
    lease: { operationId: id, token },
    begun: { outcome: "begun", operation: about, previousLost: false },
  };
}

/** Queues that break a rule of deliveries. */
export const deliveringQueues: readonly BrokenPort<Queue>[] = [
  {
    name: "redelivers acked announcements",
    caughtBy: ["delivery.acked", "delivery.nacked"],
    methods: (queue) => altering(queue, ({ nack }) => ({ ack: nack })),
  },
  {
    name: "loses nacked announcements",
    caughtBy: ["delivery.nacked"],
    methods: (queue) => altering(queue, ({ ack }) => ({ nack: ack })),
  },
  {
    name: "redelivers only once",
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
    name: "confuses different announcements of one operation",
    caughtBy: ["delivery.each"],
    methods: (queue) => {
      const seen = new Set<string>();
      const isNew = ({ operationId }: Announcement) => !seen.has(operationId) && seen.add(operationId);
      return { publish: (announcements) => queue.publish(announcements.filter(isNew)) };
    },
  },
  {
    name: "declares that it deduplicates and does not",
    caughtBy: ["delivery.deduplicated"],
    methods: () => ({}),
  },
  {
    name: "declares that it begins attempts and does not",
    caughtBy: [
      "delivery.begun",
      "delivery.repeated",
      "delivery.repeated-empty",
      "delivery.repeated-late",
      "delivery.suspects",
      "limits.queue-lost",
    ],
    methods: () => ({}),
  },
  {
    name: "begins every attempt with a new token",
    caughtBy: [
      "delivery.begun",
      "delivery.repeated",
      "delivery.repeated-empty",
      "delivery.repeated-late",
      "delivery.suspects",
    ],
    methods: (queue) => altering(queue, (delivery) => ({ attempt: madeUp(delivery, "token") })),
  },
  {
    name: "begins operations after their deadline",
    caughtBy: ["deadline.queue", "deadline.queue-limits"],
    methods: (queue) => altering(queue, (delivery, { token }) => ({ attempt: madeUp(delivery, token) })),
  },
  {
    name: "begins other attempts when a call is repeated",
    caughtBy: ["delivery.repeated", "delivery.repeated-late"],
    methods: (queue) => altering(queue, (delivery, { token }) => ({ attempt: madeUp(delivery, token) })),
  },
  {
    name: "begins further attempts if a call is repeated with more free slots",
    caughtBy: ["delivery.repeated", "delivery.repeated-empty"],
    methods: (queue) => {
      const begun = new Map<string, readonly Delivery[]>();
      return receivingBy(queue, async (request, consumer) => {
        const { token, limit } = request;
        const earlier = begun.get(token) ?? [];
        const received = await consumer.receive({ ...request, limit: limit - earlier.length });
        const others = received.map((delivery) => ({ ...delivery, attempt: madeUp(delivery, token) }));
        begun.set(token, [...earlier, ...others]);
        return [...earlier, ...others];
      });
    },
  },
  {
    name: "remembers only the last token, so that a late call makes it forget a newer one",
    caughtBy: ["delivery.repeated-late"],
    methods: (queue) => {
      let last: { readonly token: string; readonly begun: readonly Delivery[] } | undefined;
      return receivingBy(queue, async (request, consumer) => {
        const { token } = request;
        if (last?.token === token) return last.begun;
        const received = await consumer.receive(request);
        const begun = received.map((delivery) => ({ ...delivery, attempt: madeUp(delivery, token) }));
        last = { token, begun };
        return begun;
      });
    },
  },
];
