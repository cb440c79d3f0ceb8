import type { Queue } from "async-request-reply";
import { queueCases } from "async-request-reply/testing";
import { receivingBy } from "../../support/consumers.js";
import { type BrokenPort, overriding } from "./prove.js";
import { deliveringQueues, receivingQueues } from "./queues.js";

const rules = new Set(queueCases.map(({ rule }) => rule));

/** Adds consumers by ticket, which receive like those of `consume`, but do not wait. */
export function withTickets(queue: Queue): Queue {
  const { consume } = receivingBy(queue, (request, consumer) =>
    consumer.receive({ ...request, signal: AbortSignal.abort() }),
  );
  return overriding(queue, { consumeByTicket: consume });
}

/** Makes the same mistake in consumers by ticket, instead of those of `consume`. */
function byTicket({ name, caughtBy, methods }: BrokenPort<Queue>): BrokenPort<Queue> {
  return {
    name: `${name}, by ticket`,
    caughtBy: caughtBy.map((rule) => `tickets.${rule}`).filter((rule) => rules.has(rule)),
    methods: (queue, clock) => {
      const { consumeByTicket = queue.consume } = queue;
      const { consume = consumeByTicket, ...others } = methods(
        overriding(queue, { consume: consumeByTicket }),
        clock,
      );
      return { ...others, consumeByTicket: consume };
    },
  };
}

/** Queues whose consumers by ticket break a rule. */
export const ticketQueues: readonly BrokenPort<Queue>[] = [
  {
    name: "waits for work, by ticket",
    caughtBy: ["tickets.at-once"],
    methods: (queue) => ({ consumeByTicket: queue.consume }),
  },
  {
    name: "begins only work that was published, by ticket",
    caughtBy: ["tickets.unpublished"],
    methods: () => ({}),
  },
  ...[...receivingQueues, ...deliveringQueues].map(byTicket).filter(({ caughtBy }) => caughtBy.length > 0),
];
